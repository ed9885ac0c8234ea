import fc from 'fast-check';
import { about, eur, kind, note, of, orNot, qty, type RunningHistory, sku } from './running-history.ts';
import { draft } from './selling.ts';

interface Line {
  readonly lineId: string;
  readonly fulfilledQty: number;
  readonly returnedQty: number;
}
interface Announced {
  readonly of: number;
  readonly qty: number;
  readonly dropOff: 'carrier' | 'store';
  readonly resolution: 'refund' | 'exchange';
  readonly reason: string;
  readonly at: string | null;
}

const announced = {
  of,
  qty,
  dropOff: fc.constantFrom('store', 'store', 'carrier'),
  resolution: fc.constantFrom('refund', 'refund', 'exchange'),
  reason: fc.constantFrom('too small', 'damaged'),
  at: orNot(fc.constantFrom('store-01', 'store-02', 'store-03', 'dc-02')),
} as const;

/** Announces a return of at most this many units of each line. @returns the return’s id */
async function announce({ ask, things }: RunningHistory, given: Announced): Promise<string | undefined> {
  let id: string | undefined;
  await about(things.orders, given.of, async (orderId) => {
    const order = await ask('get-order-api', { params: { id: orderId } });
    const lines = ((order.body?.lines ?? []) as Line[])
      .filter(({ fulfilledQty, returnedQty }) => fulfilledQty > returnedQty)
      .map(({ lineId, fulfilledQty, returnedQty }) => ({
        orderLineId: lineId,
        qty: Math.min(given.qty, fulfilledQty - returnedQty),
        reason: given.reason,
      }));
    if (lines.length === 0) return;
    const where = given.at === null ? {} : { locationId: given.at };
    const body = { orderId, lines, dropOff: given.dropOff, resolution: given.resolution, ...where };
    const reply = await ask('create-return-api', { body });
    note(things.returns, reply);
    if (reply.status < 300) id = reply.body.id;
  });
  return id;
}

/** From the announcement to the inspected goods. */
async function bringBack(history: RunningHistory, given: Announced): Promise<void> {
  const id = await announce(history, { ...given, dropOff: 'store' });
  if (id === undefined) return;
  for (const verb of ['approve', 'receive', 'inspect']) await history.play('POST', `returns/${id}/${verb}`);
}

export const returning = {
  'announce-return': kind(announced, announce),
  'move-return': kind(
    { of, verb: fc.constantFrom('approve', 'approve', 'receive', 'receive', 'inspect', 'inspect', 'reject', 'write-off') },
    ({ play, things }, given) => about(things.returns, given.of, (id) => play('POST', `returns/${id}/${given.verb}`)),
  ),
  'bring-back': kind(announced, bringBack),
  /** Customer service refunds a return that the OMS has not refunded, or not yet. */
  'refund-return': kind({ of, payment: of, amount: fc.constantFrom(0, 0, 100) }, ({ ask, rehearsal, things }, given) =>
    about(things.returns, given.of, async (returnId) => {
      const { orderId, refundAmount } = await rehearsal.object('return', returnId);
      const order = await ask('get-order-api', { params: { id: orderId } });
      await about((order.body?.payments ?? []) as { id: string }[], given.payment, ({ id }) =>
        ask('refund-payment-api', { params: { id }, body: { amount: eur(given.amount || refundAmount.amount), returnId } }),
      );
    }),
  ),
  /** Exchanges returned goods, or goods that are returned first. */
  exchange: kind({ ...announced, sku, units: qty, bring: fc.boolean(), confirm: fc.boolean() }, async (history, given) => {
    if (given.bring) await bringBack(history, { ...given, resolution: 'exchange' });
    await about(history.things.returns, given.bring ? -1 : given.of, async (exchangeForReturnId) => {
      const id = await draft(history, [{ sku: given.sku, qty: given.units }], { exchangeForReturnId });
      if (id !== undefined && given.confirm) await history.ask('confirm-order-api', { params: { id } });
    });
  }),
};
