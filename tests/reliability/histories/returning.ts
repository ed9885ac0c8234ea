import fc from 'fast-check';
import { about, eur, kind, note, notePayment, of, orNot, qty, type RunningHistory, sku } from './running-history.ts';
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

type Announcement = Omit<Announced, 'of'>;

/** Announces a return of at most this many units of each line. @returns the return’s id */
async function announceFor({ ask, things }: RunningHistory, orderId: string, given: Announcement): Promise<string | undefined> {
  const order = await ask('get-order-api', { params: { id: orderId } });
  const lines = ((order.body?.lines ?? []) as Line[])
    .filter(({ fulfilledQty, returnedQty }) => fulfilledQty > returnedQty)
    .map(({ lineId, fulfilledQty, returnedQty }) => ({
      orderLineId: lineId,
      qty: Math.min(given.qty, fulfilledQty - returnedQty),
      reason: given.reason,
    }));
  if (lines.length === 0) return undefined;
  const where = given.at === null ? {} : { locationId: given.at };
  const body = { orderId, lines, dropOff: given.dropOff, resolution: given.resolution, ...where };
  const reply = await ask('create-return-api', { body });
  note(things.returns, reply);
  return reply.status < 300 ? reply.body.id : undefined;
}

const announce = (history: RunningHistory, given: Announced) =>
  about(history.things.orders, given.of, (orderId) => announceFor(history, orderId, given));

/** From the announcement to the inspected goods. @returns the return’s id */
async function bringBackTo(history: RunningHistory, orderId: string, given: Announcement): Promise<string | undefined> {
  const id = await announceFor(history, orderId, { ...given, dropOff: 'store' });
  if (id === undefined) return undefined;
  for (const verb of ['approve', 'receive', 'inspect']) await history.play('POST', `returns/${id}/${verb}`);
  return id;
}

const bringBack = (history: RunningHistory, given: Announced) =>
  about(history.things.orders, given.of, (orderId) => bringBackTo(history, orderId, given));

/** Sells two mugs for a card at the first store. @returns the ids of the order and its payment */
async function sellMugs({ ask, things }: RunningHistory, token: string): Promise<{ orderId: string; paymentId: string } | undefined> {
  const lines = [{ sku: 'mug-blue', qty: 2 }];
  const sale = await ask('create-transaction-api', { body: { storeId: 'store-01', laneId: 'lane-3', lines } });
  if (sale.status >= 300) return undefined;
  const { id: orderId, totals } = sale.body;
  const paid = await ask('add-payment-api', { params: { id: orderId }, body: { tender: { type: 'card', token }, amount: totals.total } });
  notePayment(things, paid);
  if (paid.status >= 300) return undefined;
  things.orders.push(orderId);
  return { orderId, paymentId: paid.body.id };
}

interface Undecided {
  readonly token: string;
  readonly by: 'dispute' | 'refund';
  readonly amount: number;
  readonly early: boolean;
  readonly resolution: 'refund' | 'exchange';
  readonly second: boolean;
  readonly exchange: 'none' | 'draft' | 'confirmed';
  readonly cancel: boolean;
  readonly outcome: 'won' | 'lost' | 'later';
}

/** Goods come back while bank or provider decides about money of their order. */
async function returnWhileUndecided(history: RunningHistory, given: Undecided): Promise<void> {
  const { ask, play } = history;
  const sold = await sellMugs(history, given.token);
  if (!sold) return;
  const { orderId, paymentId } = sold;
  const withhold = () =>
    given.by === 'dispute'
      ? play('POST', `payments/${paymentId}/dispute`, { reason: 'general', amount: eur(given.amount) })
      : ask('refund-payment-api', { params: { id: paymentId }, body: { amount: eur(given.amount), reason: 'goodwill' } });
  const back = (resolution: Undecided['resolution']) =>
    bringBackTo(history, orderId, { qty: 1, dropOff: 'store', reason: 'too small', at: null, resolution });
  if (given.early) await withhold();
  const exchangeForReturnId = await back(given.resolution);
  if (!given.early) await withhold();
  if (given.second) await back('refund');
  if (given.exchange !== 'none' && exchangeForReturnId !== undefined) {
    const id = await draft(history, [{ sku: 'mug-blue', qty: 1 }], { exchangeForReturnId });
    if (id !== undefined && given.exchange === 'confirmed') await ask('confirm-order-api', { params: { id } });
    if (id !== undefined && given.cancel) await ask('cancel-order-api', { params: { id }, body: {} });
  }
  if (given.outcome !== 'later') await play('POST', `payments/${paymentId}/dispute/outcome`, { outcome: given.outcome });
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
  'return-while-undecided': kind(
    {
      token: fc.constantFrom('tok_visa', 'tok_refund_later', 'tok_refund_fails'),
      by: fc.constantFrom('dispute', 'refund'),
      amount: fc.constantFrom(500, 2_000, 2_598),
      early: fc.boolean(),
      resolution: fc.constantFrom('refund', 'exchange', 'exchange'),
      second: fc.boolean(),
      exchange: fc.constantFrom('none', 'draft', 'draft', 'confirmed'),
      cancel: fc.boolean(),
      outcome: fc.constantFrom('won', 'lost', 'later'),
    },
    returnWhileUndecided,
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
