import type { ApiInput, OperationInput } from '../../../rehearsal/call-types.ts';
import type { ProgressionInput } from '../../../shared/catalog/control/progression.ts';
import type { OpenRehearsal } from '../open-rehearsal.ts';
import type { Goods, OrderSteps } from './order.ts';

type Picking = ApiInput<'update-picking-status-api'>['body'];
type Status = Picking['status'];
type Dispatch = ApiInput<'dispatch-fulfillment-order-api'>['body'];
type Scan = OperationInput<'play-scan'>['params']['scan'];

/** Steps of an order through the warehouse and to its delivery. */
export function parcelSteps({ api, call, control, settle }: OpenRehearsal, { order, confirmed }: OrderSteps) {
  const routed = async (id: string) => (await order(id)).fulfillmentOrders;
  /** The id of the fulfillment order of an order that has one. */
  const onlyFulfilment = async (orderId: string): Promise<string> => {
    const [first, ...others] = await routed(orderId);
    if (!first || others.length > 0) throw new Error('not exactly one fulfillment order');
    return first.id;
  };
  /** A picking order, moved through these statuses. */
  const picked = async (fulfillmentOrderId: string, ...steps: readonly (Status | Picking)[]) => {
    const picking = await api('create-picking-order-api', { body: { fulfillmentOrderId } });
    for (const step of steps) {
      const body = typeof step === 'string' ? { status: step } : step;
      await api('update-picking-status-api', { params: { id: picking.id }, body });
    }
    return picking;
  };
  const packed = (fulfillmentOrderId: string) => picked(fulfillmentOrderId, 'started', 'picked', 'packed');
  /** Hands a packed fulfillment order over to the carrier. @returns the parcel's id */
  const handedOver = async (id: string, body: Dispatch = {}): Promise<string> => {
    const { shipments } = await api('dispatch-fulfillment-order-api', { params: { id }, body });
    return shipments[0].id;
  };
  const scanned = async (id: string, ...scans: readonly Scan[]) => {
    for (const scan of scans) await control('play-scan', { params: { id, scan } });
    await settle();
  };
  /** A confirmed order whose goods are to be picked. */
  const routedOrder = async (goods: Goods = {}) => {
    const { id: orderId } = await confirmed(goods);
    await settle();
    return { orderId, fulfillmentOrderId: (await routed(orderId))[0].id };
  };
  /** An order whose picking order is in the last of these statuses. */
  const pickedOrder = async (goods: Goods = {}, ...statuses: readonly Status[]) => {
    const routedIds = await routedOrder(goods);
    return { ...routedIds, pickingOrder: await picked(routedIds.fulfillmentOrderId, ...statuses) };
  };
  const packedOrder = (goods: Goods = {}) => pickedOrder(goods, 'started', 'picked', 'packed');
  return {
    routed,
    onlyFulfilment,
    picked,
    packed,
    /** Packs a fulfillment order and hands it over. @returns the parcel's id */
    dispatched: async (fulfillmentOrderId: string, body: Dispatch = {}) => {
      await packed(fulfillmentOrderId);
      return handedOver(fulfillmentOrderId, body);
    },
    scanned,
    delivered: (parcel: string) => scanned(parcel, 'collect', 'depart', 'out-for-delivery', 'deliver'),
    lost: (parcel: string) => scanned(parcel, 'collect', 'lose'),
    /** Picks nothing, or a part, of one line of a fulfillment order. */
    short: async (from: { lines: { lineId: string }[] }, fulfillmentOrderId: string, pickedQty: number, line = 0) => {
      const orderLineId = from.lines[line]?.lineId ?? '';
      const picking = await picked(fulfillmentOrderId, 'started', { status: 'short', lines: [{ orderLineId, pickedQty }] });
      await settle();
      return picking;
    },
    routedOrder,
    /** A confirmed order of a mug and two desks, each served from its own node. */
    orderOfTwoNodes: async () => {
      const desks = { sku: 'desk-two-nodes', qty: 2 };
      await api('reserve-inventory-api', { body: { items: [desks], locationId: 'dc-01' } });
      const ordered = await confirmed({ lines: [{ sku: 'mug-blue', qty: 1 }, desks] });
      const [mug, desk] = await routed(ordered.id);
      return { order: ordered, mugs: mug?.id ?? '', desks: desk?.id ?? '' };
    },
    pickedOrder,
    packedOrder,
    dispatchedOrder: async (body: Dispatch = {}, goods: Goods = {}) => {
      const packedIds = await packedOrder(goods);
      return { ...packedIds, shipmentId: await handedOver(packedIds.fulfillmentOrderId, body) };
    },
    fulfillmentOrder: (id: string) => api('get-fulfillment-order-api', { params: { id } }),
    progress: (body: ProgressionInput) => control('set-progression', { body }),
    handedOver,
    dispatch: (id: string) => call('dispatch-fulfillment-order-api', { params: { id }, body: {} }),
    openPicking: (fulfillmentOrderId: string) => call('create-picking-order-api', { body: { fulfillmentOrderId } }),
    movePicking: (id: string, status: string, lines?: readonly object[]) =>
      call('update-picking-status-api', { params: { id }, body: { status, ...(lines && { lines }) } }),
    label: (id: string, body: object = {}, headers: Record<string, string> = {}) =>
      call('generate-label-api', { params: { id }, body, headers }),
    track: (id: string) => call('track-shipment-api', { params: { id } }),
  };
}

export type ParcelSteps = ReturnType<typeof parcelSteps>;
