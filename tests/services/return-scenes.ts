import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { signWebhook } from '../../shared/control/webhook-signature.ts';
import { fulfilling, type Line } from './oms-fulfillment-scenes.ts';

type ReturnVerb = 'approve' | 'reject' | 'receive' | 'inspect' | 'write-off';

/** Amounts in cents, in the currency of the fixtures. */
export const euros = (amount: number) => ({ amount, currency: 'EUR' });

/** The default store for returned goods. */
export const STORE = 'store-01';

/** Delivered goods and their return, moved by hand by default. */
export async function returning(progression: ProgressionInput = {}) {
  const scene = await fulfilling({ returns: 'manual', ...progression });
  const { rehearsal } = scene;
  /** Picks, sends and delivers. @returns the completed order */
  const deliveredOrder = async (orderId: string) => {
    await rehearsal.ok('POST', `/orders/${orderId}/confirm`);
    for (const { id } of await scene.routed(orderId)) await scene.delivered(await scene.sent(id));
    return scene.order(orderId);
  };
  /** A completed order that a card paid. */
  const completed = async (lines: readonly Line[] = [{ sku: 'mug-blue', qty: 2 }], customerId?: string) => {
    const { id } = await scene.draftOf(lines, customerId);
    await scene.authorise(id);
    return deliveredOrder(id);
  };
  /** Like `completed`, in a rehearsal without automatic labels. */
  const completedByHandLabel = async () => {
    const { id } = await scene.draftOf([{ sku: 'mug-blue', qty: 2 }]);
    await scene.authorise(id);
    await rehearsal.ok('POST', `/orders/${id}/confirm`);
    for (const { id: fulfillmentOrderId } of await scene.routed(id)) {
      const parcel = await scene.sent(fulfillmentOrderId);
      await rehearsal.ok('POST', `/shipments/${parcel}/label`, {}, { as: 'api-key' });
      await scene.delivered(parcel);
    }
    return scene.order(id);
  };
  /** Signs and sends a webhook as the carrier does. */
  const webhook = async (id: string, data: object) => {
    const at = await rehearsal.now();
    const body = JSON.stringify({ type: 'shipment.tracking.updated', timestamp: new Date(at).toISOString(), data });
    const headers = { 'content-type': 'application/json', ...signWebhook(rehearsal.credentials.webhookSecret, { id, at, body }) };
    const path = `/webhooks/carrier?rehearsal=${rehearsal.name}`;
    const { status } = await rehearsal.call('POST', path, body, { as: 'none', headers });
    if (status !== 204) throw new Error(`The webhook ${id} was answered with ${status}.`);
  };
  const ask = (body: object, headers: Record<string, string> = {}) => rehearsal.call('POST', '/returns', body, { headers });
  /** Announces units of the first line: to a store by default, by parcel with a carrier. */
  const requested = (
    order: { id: string; lines: { lineId: string }[] },
    qty = 1,
    more: { dropOff?: string; [member: string]: unknown } = {},
  ) =>
    rehearsal.ok('POST', '/returns', {
      orderId: order.id,
      lines: [{ orderLineId: order.lines[0]?.lineId, qty, reason: 'too small' }],
      ...(more.dropOff !== 'carrier' && { locationId: STORE }),
      ...more,
    });
  const move = (id: string, verb: ReturnVerb, body: object = {}) =>
    rehearsal.call('POST', `/_control/returns/${id}/${verb}`, body, { as: 'admin' });
  /** Like `move`, for steps that must succeed. */
  const moved = async (id: string, ...verbs: ReturnVerb[]) => {
    let body: { state: string } | undefined;
    for (const verb of verbs) {
      const reply = await move(id, verb);
      if (reply.status >= 300) throw new Error(`${verb}: ${reply.status} ${JSON.stringify(reply.body)}`);
      body = reply.body;
    }
    await rehearsal.settle();
    return body;
  };
  const object = (id: string) => rehearsal.object('return', id);
  /** On hand of a SKU at a location. */
  const onHand = async (sku: string, locationId: string): Promise<number> => {
    const { locations } = await rehearsal.ok('GET', `/inventory/items/${sku}`);
    return locations.find((level: { locationId: string }) => level.locationId === locationId).onHand;
  };
  /** Names of a return's events, with the states before and after. */
  const eventsOf = async (id: string) => {
    const events = await rehearsal.events({ subject: `return/${id}`, ext: true });
    return events.map(({ type, data }) => [type.replace('com.unified-commerce.', ''), data.previousState, data.object.state]);
  };
  return {
    ...scene,
    ...{ deliveredOrder, completed, completedByHandLabel, webhook, ask, requested, move, moved, object, onHand, eventsOf },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

export type ReturnScene = Awaited<ReturnType<typeof returning>>;
