import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { ADDRESS } from '../support/estate.ts';
import { ordering } from './oms-scenes.ts';

type ScanVerb = 'collect' | 'depart' | 'out-for-delivery' | 'hold' | 'deliver' | 'attempt' | 'return' | 'lose' | 'find';

export interface Line {
  readonly sku: string;
  readonly qty: number;
}

/** Steps of an order from its confirmation to its delivery, done by hand: the clock moves only when a test moves it. */
export async function fulfilling(progression: ProgressionInput = {}) {
  const scene = await ordering({ carrier: 'manual', ...progression });
  const { rehearsal } = scene;
  const routed = async (id: string) => {
    const { fulfillmentOrders } = await scene.order(id);
    return fulfillmentOrders as { id: string; state: string; locationId: string; shipments: { id: string; state: string }[] }[];
  };
  /** A paid draft of several lines. */
  const draftOf = async (lines: readonly Line[], customerId = 'cus_ada') => {
    const basket = await rehearsal.ok('POST', '/baskets', { channel: 'web', customerId, lines });
    await rehearsal.ok('POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS });
    return rehearsal.ok('POST', '/orders', { basketId: basket.id });
  };
  const confirmedOf = async (lines: readonly Line[], customerId?: string) => {
    const { id } = await draftOf(lines, customerId);
    await scene.authorise(id);
    return rehearsal.ok('POST', `/orders/${id}/confirm`);
  };
  const pick = async (fulfillmentOrderId: string, ...steps: (string | { status: string; lines: object[] })[]) => {
    const picking = await rehearsal.ok('POST', '/picking-orders', { fulfillmentOrderId });
    for (const step of steps) {
      await rehearsal.ok('PUT', `/picking-orders/${picking.id}/status`, typeof step === 'string' ? { status: step } : step);
    }
    return picking;
  };
  const packed = (fulfillmentOrderId: string) => pick(fulfillmentOrderId, 'started', 'picked', 'packed');
  const dispatch = (fulfillmentOrderId: string) => rehearsal.call('POST', `/fulfillment/orders/${fulfillmentOrderId}/dispatch`, {});
  /** @returns the parcel's id */
  const sent = async (fulfillmentOrderId: string, body: object = {}): Promise<string> => {
    await packed(fulfillmentOrderId);
    const { shipments } = await rehearsal.ok('POST', `/fulfillment/orders/${fulfillmentOrderId}/dispatch`, body);
    return shipments[0].id;
  };
  const scan = async (id: string, ...scans: ScanVerb[]) => {
    for (const verb of scans) await rehearsal.client.control('play-scan', { params: { id, scan: verb }, body: {} });
    await rehearsal.settle();
  };
  const delivered = (parcel: string) => scan(parcel, 'collect', 'depart', 'out-for-delivery', 'deliver');
  const lost = (parcel: string) => scan(parcel, 'collect', 'lose');
  /** Picks nothing, or only some, of the one line of a fulfillment order. */
  const short = async (order: { lines: { lineId: string }[] }, fulfillmentOrderId: string, pickedQty: number, line = 0) => {
    const orderLineId = order.lines[line]?.lineId;
    const picking = await pick(fulfillmentOrderId, 'started', { status: 'short', lines: [{ orderLineId, pickedQty }] });
    await rehearsal.settle();
    return picking;
  };
  const paid = async (id: string) => {
    const { payments } = await scene.order(id);
    return payments.map((payment: { state: string; capturedAmount: { amount: number }; refundedAmount: { amount: number } }) => [
      payment.state,
      payment.capturedAmount.amount - payment.refundedAmount.amount,
    ]);
  };
  const progress = (body: ProgressionInput) => rehearsal.client.control('set-progression', { body });
  return {
    ...scene,
    ...{ routed, draftOf, confirmedOf, pick, packed, dispatch, sent, scan, delivered, lost, short, paid, progress },
    settle: () => rehearsal.settle(),
    down: (application: string) => rehearsal.fault(`${application}-down`, { match: { application }, fault: { kind: 'outage' } }),
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

export type FulfilmentScene = Awaited<ReturnType<typeof fulfilling>>;

/** The fulfillment order of an order that has one. */
export const onlyFulfilment = async (scene: FulfilmentScene, orderId: string): Promise<string> => {
  const [first, ...others] = await scene.routed(orderId);
  if (!first || others.length > 0) throw new Error('not exactly one fulfillment order');
  return first.id;
};

/** Units of a SKU on hand and reserved, per location. */
export const stockOf = async (scene: FulfilmentScene, sku: string): Promise<Record<string, [onHand: number, reserved: number]>> => {
  const { locations } = await scene.rehearsal.ok('GET', `/inventory/items/${sku}`);
  return Object.fromEntries(locations.map(({ locationId, onHand, reserved }: Record<string, unknown>) => [locationId, [onHand, reserved]]));
};
