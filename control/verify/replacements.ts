import {
  beingReplacedOf,
  failedInPlaceOf,
  replacedInParcel,
  replacedOf,
  servedBy,
  withNobodyOf,
} from '../../shared/catalog/order/replaced.ts';
import { type Check, findings, grouped, type InvariantResult } from './invariant.ts';
import { bookingsIn } from './moving.ts';
import type { FulfillmentOrder, Order, ReturnBooking } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

/** The goods of each replacement are on their way, have arrived or have failed, and no unit has two of them. */
export function replacements(world: WorldRecords): InvariantResult {
  const { check, result } = findings('replacements');
  const byOrder = grouped(world.of<FulfillmentOrder>('fulfillment-order'), ({ orderId }) => orderId);
  const bookings = grouped(bookingsIn(world), ({ orderId }) => orderId);
  for (const order of world.of<Order>('order')) {
    const fulfillmentOrders = byOrder.get(order.id) ?? [];
    const serving = fulfillmentOrders.filter(({ replacementId }) => replacementId !== undefined);
    checkUnits(order, bookings.get(order.id) ?? [], check);
    checkFound(world, { order, fulfillmentOrders }, check);
    checkGoods(world, { order, serving }, check);
    checkComingBack(order, bookings.get(order.id) ?? [], check);
  }
  return result();
}

/** Units of a line that are returned, or are to be. @param replacementId the replacement that was sent for them */
const returnedIn = (bookings: readonly ReturnBooking[], lineId: string, replacementId?: string): number =>
  bookings
    .filter((one) => one.status !== 'rejected' && one.replacementId === replacementId)
    .flatMap(({ lines }) => lines)
    .reduce((sum, { orderLineId, qty }) => (orderLineId === lineId ? sum + qty : sum), 0);

function checkUnits({ id, lines, replacements: replaced }: Order, bookings: readonly ReturnBooking[], check: Check): void {
  for (const { lineId, fulfilledQty } of lines) {
    const [units, open, back] = [replacedOf(lineId, replaced), beingReplacedOf(lineId, replaced), returnedIn(bookings, lineId)];
    check(units <= fulfilledQty, `order/${id} ${lineId}: ${units} replaced of ${fulfilledQty} delivered`);
    check(open + back <= fulfilledQty, `order/${id} ${lineId}: ${open} being replaced and ${back} returned of ${fulfilledQty} delivered`);
    const nobody = withNobodyOf(lineId, replaced, (one) => returnedIn(bookings, lineId, one.id));
    check(
      nobody + back <= fulfilledQty,
      `order/${id} ${lineId}: ${nobody} without the replacement that they came back for, and ${back} returned, of ${fulfilledQty} delivered`,
    );
  }
}

/** Goods that arrived after their replacement are not refunded when that replacement fails: the customer keeps them in its place. */
function checkFound(
  { queued }: WorldRecords,
  { order, fulfillmentOrders }: { readonly order: Order; readonly fulfillmentOrders: readonly FulfillmentOrder[] },
  check: Check,
): void {
  const { id: orderId, reconciliation = [], replacements: placed = [] } = order;
  if (queued('oms', orderId)) return;
  const sent = fulfillmentOrders.map((one) => ({ ...one, mayBeReplaced: one.failureReason === 'lost' }));
  for (const { fulfillmentOrderId: found, reason } of reconciliation) {
    const parcel = fulfillmentOrders.find(({ id }) => id === found);
    // Units of the parcel that nobody replaced are delivered, so the reason stays, although the others may be refunded.
    const isReplaced = parcel?.lines.every((line) => line.qty - line.shortQty <= replacedInParcel(found, line.orderLineId, placed));
    const isRefunded = order.lines.some(
      ({ lineId, cancelledQty }) => cancelledQty > 0 && parcel?.lines.some(({ orderLineId }) => orderLineId === lineId),
    );
    if (reason === 'delivered-after-refund') {
      const name = `order/${orderId}: fulfillment-order/${found} was delivered after its refund`;
      check(isRefunded || order.state === 'cancelled', `${name}, and no unit of its lines is refunded`);
      continue;
    }
    const failed = isReplaced && isRefunded ? failedInPlaceOf(found, placed, sent) : 0;
    check(
      failed === 0,
      `order/${orderId}: ${failed} failed in place of units of fulfillment-order/${found}, which was delivered, and are refunded`,
    );
  }
}

function checkGoods(
  { queued, swapped }: WorldRecords,
  { order, serving }: { readonly order: Order; readonly serving: readonly FulfillmentOrder[] },
  check: Check,
): void {
  const placed = order.replacements ?? [];
  const known = new Set(placed.map(({ id }) => id));
  for (const { id, replacementId = '' } of serving) {
    check(
      known.has(replacementId),
      `fulfillment-order/${id}: serves the replacement ${replacementId}, which order/${order.id} does not have`,
    );
  }
  for (const { id, storeId, lines } of placed) {
    const name = `order/${order.id} ${id}`;
    const goods = serving.filter(({ replacementId }) => replacementId === id).flatMap((one) => one.lines);
    for (const orderLineId of new Set(lines.map((line) => line.orderLineId))) {
      const own = lines.filter((line) => line.orderLineId === orderLineId);
      const [asked, served] = [own.reduce((sum, { qty }) => sum + qty, 0), own.reduce((sum, line) => sum + servedBy(line), 0)];
      const sent = goods.reduce((sum, line) => (line.orderLineId === orderLineId ? sum + line.qty - line.shortQty : sum), 0);
      check(sent <= asked, `${name} ${orderLineId}: ${sent} sent in place of ${asked}`);
      const isSent = storeId !== undefined || sent >= served || queued('oms', id) || queued('oms', order.id) || swapped.has('fms');
      check(isSent, `${name} ${orderLineId}: ${sent} of ${served} are sent, and nothing will send the others`);
    }
    const isNegative = lines.some(
      ({ deliveredQty, failedQty, qty }) => deliveredQty < 0 || failedQty < 0 || deliveredQty + failedQty > qty,
    );
    check(
      !isNegative,
      `${name}: ${lines.map((line) => `${line.deliveredQty} arrived and ${line.failedQty} failed of ${line.qty}`).join(', ')}`,
    );
  }
}

/** No more units come back for a replacement than it was sent for. */
function checkComingBack({ id, replacements: placed = [] }: Order, bookings: readonly ReturnBooking[], check: Check): void {
  for (const one of placed) {
    for (const orderLineId of new Set(one.lines.map((line) => line.orderLineId))) {
      const asked = one.lines.reduce((sum, line) => (line.orderLineId === orderLineId ? sum + line.qty : sum), 0);
      const back = returnedIn(bookings, orderLineId, one.id);
      check(back <= asked, `order/${id} ${one.id} ${orderLineId}: ${back} come back, and it was sent for ${asked}`);
    }
  }
}
