import type { InputOf } from '../../shared/catalog/define.ts';
import { BEFORE_DISPATCH, fulfillmentOrderLifeCycle } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { changeFulfillment as changeFulfillmentCall } from '../../shared/catalog/fulfillment/internal.ts';
import { refusal } from '../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { again, handle } from '../../shared/work/handler.ts';
import type { Patch, UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { fulfillmentOrders, fulfillmentOrdersOf, orderFulfillments, published, type StoredFulfillmentOrder } from './collections.ts';
import { allocateDue } from './due-work.ts';

type Change = InputOf<typeof changeFulfillmentCall>['body'];

/** The new values of a fulfillment order; `cancelled`: nothing of it is left. */
interface Changed {
  readonly found: StoredFulfillmentOrder;
  readonly patch: Patch<StoredFulfillmentOrder> | 'cancelled' | undefined;
}

/**
 * Changes all fulfillment orders of an order in one commit, or none. A dispatch, a picking or a routing that commits first causes a conflict:
 * this handler runs again, and then refuses, or changes the new fulfillment orders as well.
 */
export const changeFulfillment = handle(changeFulfillmentCall)(async ({ params: { orderId }, body }, { work }) => {
  const fulfillment = await work.get(orderFulfillments, orderId);
  const found = await fulfillmentOrdersOf(work, orderId);
  const changed = changesOf(found, body);
  const used = withAttempts(fulfillment?.attempts ?? [], body);
  const isDone = changed.every(({ patch }) => patch === undefined);
  if (isDone && used.length === (fulfillment?.attempts.length ?? 0)) return again({ items: found.map(published) });
  if (fulfillment?.cancelled) throw cancelledWithOrder(orderId);
  for (const { found: one } of changed) if (one.state !== 'cancelled') refuseBegun(one, body);
  const { shippingAddress = fulfillment?.shippingAddress, collector = fulfillment?.collector, withdraw } = body;
  const changedTo = withdraw ? {} : { shippingAddress, collector };
  work.put(orderFulfillments, { id: orderId, attempts: used, cancelled: false, ...changedTo });
  return { items: changed.map((one) => published(apply(work, one))) };
});

/** The attempts of the order's routing that create no fulfillment orders any more. */
function withAttempts(known: readonly number[], { withdraw }: Change): number[] {
  const withdrawn = Array.from({ length: withdraw?.attempts ?? 0 }, (_, index) => index + 1);
  return [...new Set([...known, ...withdrawn])];
}

/** The units of a line, or those that one location serves. */
const unitsKey = ({ orderLineId, locationId = '' }: { readonly orderLineId: string; readonly locationId?: string }): string =>
  `${orderLineId} ${locationId}`;

/** The units that each line may keep are given to its fulfillment orders in their order. */
function changesOf(found: readonly StoredFulfillmentOrder[], change: Change): Changed[] {
  const left = new Map(change.lines?.map((line) => [unitsKey(line), line.qty]));
  return found.map((one) => {
    if (one.state === 'cancelled') return { found: one, patch: undefined };
    if (change.withdraw) return { found: one, patch: one.attempt <= change.withdraw.attempts ? 'cancelled' : undefined };
    const lines = one.lines.flatMap((line) => {
      const keys = [unitsKey({ ...line, locationId: one.locationId }), unitsKey(line)];
      const key = keys.find((each) => left.has(each));
      const most = key === undefined ? undefined : left.get(key);
      if (key === undefined || most === undefined) return [line];
      const qty = Math.min(line.qty, most);
      left.set(key, most - qty);
      return qty === 0 ? [] : [{ ...line, qty }];
    });
    return { found: one, patch: lines.length === 0 ? 'cancelled' : patchOf(one, { ...change, lines }) };
  });
}

/** Only members that differ. */
function patchOf(
  one: StoredFulfillmentOrder,
  { shippingAddress, shippingMethod, collector, lines }: Omit<Change, 'lines'> & Pick<StoredFulfillmentOrder, 'lines'>,
): Patch<StoredFulfillmentOrder> | undefined {
  const isFewer = lines.length < one.lines.length || lines.some(({ qty }, index) => qty < (one.lines[index]?.qty ?? 0));
  const isElsewhere = shippingAddress !== undefined && JSON.stringify(shippingAddress) !== JSON.stringify(one.shippingAddress);
  const isOtherMethod = shippingMethod !== undefined && shippingMethod !== one.shippingMethod;
  const isOtherPerson = collector !== undefined && one.collection !== undefined && collector.person !== one.collection.person;
  if (!isFewer && !isElsewhere && !isOtherMethod && !isOtherPerson) return undefined;
  return {
    ...(isFewer && { lines }),
    ...(isElsewhere && { shippingAddress }),
    ...(isOtherMethod && { shippingMethod }),
    ...(isOtherPerson && { collection: { ...one.collection, person: collector.person } as StoredFulfillmentOrder['collection'] }),
  };
}

function apply(work: UnitOfWork, { found, patch }: Changed): StoredFulfillmentOrder {
  if (patch === undefined) return found;
  if (patch !== 'cancelled') return work.transition(fulfillmentOrders, found, 'change', patch);
  work.cancel(allocateDue, found.id);
  return work.transition(fulfillmentOrders, found, 'cancel', { failureReason: 'changed' });
}

const UNTOUCHED: readonly string[] = ['created', 'allocated'];

/** Only the address and the collector can change while the goods are picked. @throws Problem `invalid_state_transition` */
function refuseBegun(found: StoredFulfillmentOrder, { lines, shippingMethod, withdraw }: Change): void {
  const isOfGoods = lines !== undefined || shippingMethod !== undefined || withdraw !== undefined;
  const allowedFrom = isOfGoods ? UNTOUCHED : [...BEFORE_DISPATCH];
  if (allowedFrom.includes(found.state)) return;
  const why = BEFORE_DISPATCH.has(found.state) ? 'the picking of its goods has begun' : `its goods are ${found.state}`;
  throw refusal(fulfillmentOrderLifeCycle, found, 'change', `The fulfillment order "${found.id}" cannot be changed: ${why}.`, {
    allowedFrom,
  });
}

const cancelledWithOrder = (orderId: string): Problem => {
  const detail = `The fulfilment of the order "${orderId}" was cancelled; there is nothing left to change.`;
  return refusal('order', { id: orderId, state: 'cancelled' }, 'change-fulfillment', detail);
};
