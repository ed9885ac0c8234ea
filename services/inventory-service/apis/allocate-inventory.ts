import { allocateInventory as allocateInventoryApi } from '../../../shared/catalog/inventory/apis.ts';
import { getReservation } from '../../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { type Allocating, type Reservation, refuseForeignBasket, refuseOtherDemand, refuseUncovered } from '../allocation-rules.ts';
import { type Hold, holds, orderLineKey } from '../collections.ts';
import { findStock, reserveStock } from '../holds.ts';
import { insufficientStock } from '../node-choice.ts';
import { holdOfLine, lineToServe, refuseSuperfluous, stockOfOrder } from '../order-stock.ts';
import { leaveToTheClock, mayGiveBack, recordAtSim, setOut, withdraw } from '../recording-at-sim.ts';
import { nodesToTry, requireSku } from '../stock-levels.ts';

/**
 * With `reservationId`, or when the order holds it, the line has its stock already: nothing moves, that reservation is the answer.
 * Otherwise stock is held for the order line, once, and the SIM is given the finished record.
 */
export const allocateInventory = handle(allocateInventoryApi)(async ({ body }, { work, call, context }) => {
  await requireSku(work, body.sku);
  // A service that allocates is at work for the order, and says what holds its stock.
  const order = context.chain.length === 0 ? await stockOfOrder(body.orderId, call) : undefined;
  const line = order && lineToServe(order, body);
  if (body.reservationId !== undefined) {
    const reservation = await openReservation(body.reservationId, call);
    if (context.chain.length === 0) refuseForeignBasket(reservation, order, body);
    refuseUncovered(reservation, body);
    return again(reservation);
  }
  const standing = line && (await holdOfLine(line, body, call));
  if (standing) return again(standing);
  const known = await work.findUnique(holds, 'orderLine', orderLineKey(body));
  if (known) refuseOtherDemand(known, body);
  if (known && (known.line?.recorded || known.state === 'released')) return again(await openReservation(known.id, call));

  if (order && !known) refuseSuperfluous(order, body);

  const mine = work.id('res');
  const hold = known ? await setOut(work, known) : await holdForLine(mine, body, work);
  const reservation = await recordAtSim(hold, { work, call }).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
  if (reservation instanceof Problem) {
    if (mayGiveBack(hold, reservation)) withdraw(work, hold);
    else leaveToTheClock(work, hold);
    return reservation;
  }
  return hold.id === mine ? reservation : again(reservation);
});

/** @throws Problem `invalid_state_transition` when it holds nothing any more: an order line is allocated once, not anew after a release */
async function openReservation(id: string, call: Scope['call']): Promise<Reservation> {
  const reservation = await call(getReservation, { params: { id } });
  isAgain(reservationLifeCycle, reservation, 'allocate');
  return reservation;
}

/** Takes the stock and makes that known, with the work that finishes it, before the SIM hears of it. */
async function holdForLine(id: string, line: Allocating, work: Scope['work']): Promise<Hold> {
  const byPriority = await nodesToTry(work);
  for (const locationId of line.preferredLocations ?? []) await nodesToTry(work, locationId);
  const nodes = [...new Set([...(line.preferredLocations ?? []), ...byPriority])];
  const { orderId, orderLineId, sku, qty } = line;
  const { held, short } = await findStock(work, { lines: [{ sku, qty }], nodes });
  if (short.length > 0) throw insufficientStock(short);
  reserveStock(work, held);
  // A hold of this id can only be one that this very request gave back: the SIM was down, and the caller has sent it again.
  await work.get(holds, id);
  return setOut(work, { id, state: 'held', allocations: held, line: { orderId, orderLineId, sku, qty, attempts: 0, recorded: false } });
}
