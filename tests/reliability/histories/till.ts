import fc from 'fast-check';
import type { PlainReply as Reply } from '../../support/plain-client.ts';
import { about, eur, kind, note, notePayment, of, orNot, qty, type RunningHistory, sku } from './running-history.ts';

interface Checkout {
  readonly id: string;
  left: number;
}
type Tender = 'cash' | 'card' | 'gift-card' | 'bnpl' | 'loyalty';

/** A price-embedded label of Farmhouse cheddar, for 5.99. */
const LABEL = { gtin: '2104321005992', qty: 1 };
/** Customers pay with notes of 10.00, and get change. */
const NOTE = 1_000;

const store = fc.constantFrom('store-01', 'store-01', 'store-02');
const tender: fc.Arbitrary<Tender> = fc.constantFrom('cash', 'cash', 'card', 'card', 'gift-card', 'bnpl', 'loyalty');
const token = fc.constantFrom(
  ...['tok_visa', 'tok_visa', 'tok_async_approve', 'tok_timeout', 'tok_decline_insufficient_funds', 'tok_refund_later', 'tok_refund_fails'],
  ...['tok_decline_at_capture', 'tok_partial_60', 'tok_3ds'],
);
const card = fc.constantFrom('tok_visa', 'tok_visa', 'tok_refund_later', 'tok_refund_fails');
const loyaltyId = orNot(fc.constant('loy_ada'));

function begun({ things }: RunningHistory, { status, body }: Reply): Checkout | undefined {
  if (status !== 201) return undefined;
  const checkout = { id: body.id, left: body.totals.total.amount };
  things.transactions.push(checkout);
  return checkout;
}

async function ring(history: RunningHistory, given: { store: string; sku: string; qty: number; label: boolean; loyaltyId: string | null }) {
  const member = given.loyaltyId === null ? {} : { loyaltyId: given.loyaltyId };
  const goods = { sku: given.sku, qty: given.qty };
  const body = { storeId: given.store, laneId: 'lane-1', lines: given.label ? [LABEL, goods, LABEL] : [goods], ...member };
  return begun(history, await history.ask('create-transaction-api', { body }));
}

async function pay(history: RunningHistory, checkout: Checkout, given: { tender: Tender; token: string; part: number }): Promise<void> {
  const { ask, things } = history;
  const redemption = given.tender === 'loyalty' ? things.redemptions.pop() : undefined;
  if (given.tender === 'loyalty' && !redemption) return;
  const by = { card: given.token, 'gift-card': given.part > 0 ? 'gift_5' : 'gift_50', loyalty: redemption?.id ?? '' };
  const paidBy =
    given.tender === 'cash' || given.tender === 'bnpl' ? { type: given.tender } : { type: given.tender, token: by[given.tender] };
  const amount = redemption?.value ?? (given.part > 0 ? Math.min(given.part, checkout.left) : checkout.left);
  if (amount < 1) return;
  const handed = given.tender === 'cash' && given.part === 0 ? Math.ceil(amount / NOTE) * NOTE : amount;
  const reply = await ask('add-payment-api', {
    params: { id: checkout.id },
    body: { tender: paidBy, amount: eur(handed), acceptPartial: given.part === 0 },
  });
  notePayment(things, reply);
  const { status, body } = reply;
  if (status >= 300) return;
  checkout.left = body.outstanding.amount;
  if (body.orderSubmission !== 'none' && !things.orders.includes(checkout.id)) things.orders.push(checkout.id);
}

export const till = {
  ring: kind({ store, sku, qty, label: fc.boolean(), loyaltyId }, ring),
  'ring-basket': kind({ of, store, loyaltyId }, (history, given) =>
    about(history.things.baskets, given.of, async (basketId) => {
      const member = given.loyaltyId === null ? {} : { loyaltyId: given.loyaltyId };
      const body = { storeId: given.store, laneId: 'lane-2', basketId, ...member };
      begun(history, await history.ask('create-transaction-api', { body }));
    }),
  ),
  /** The till takes all that is outstanding of an order that waits at the counter, or a part. */
  'pay-at-counter': kind(
    { of, store, lane: fc.constantFrom('lane-1', 'lane-1', 'lane-3'), tender, token, part: fc.constantFrom(0, 0, 0, 500) },
    (history, given) =>
      about(history.things.orders, given.of, async (orderId) => {
        const { ask, things } = history;
        const { status, body } = await ask('create-transaction-api', { body: { storeId: given.store, laneId: given.lane, orderId } });
        if (status >= 300) return;
        const known = things.transactions.find(({ id }) => id === orderId);
        const checkout: (typeof things.transactions)[number] = known ?? { id: orderId, left: 0 };
        checkout.left = body.outstanding.amount;
        checkout.opening = body.opening;
        if (!known) things.transactions.push(checkout);
        await pay(history, checkout, given);
      }),
  ),
  pay: kind({ of, tender, token, part: fc.constantFrom(0, 0, 0, 300, 500) }, (history, given) =>
    about(history.things.transactions, given.of, (checkout) => pay(history, checkout, given)),
  ),
  'void-sale': kind({ of }, ({ ask, things }, given) =>
    about(things.transactions, given.of, ({ id, opening }) =>
      ask('void-transaction-api', { params: { id }, body: { reason: 'changed my mind', ...(opening !== undefined && { opening }) } }),
    ),
  ),
  /** A client submits a sale to the OMS before the till does. */
  'submit-sale': kind({ of }, ({ ask, things }, given) =>
    about(things.transactions, given.of, async ({ id: transactionId }) => {
      note(things.orders, await ask('create-order-api', { body: { transactionId } }));
    }),
  ),
  /** From the first scan to the receipt. */
  'sell-there': kind(
    { store, sku, qty, label: fc.boolean(), loyaltyId, tender, card, part: fc.constantFrom(0, 0, 500) },
    async (history, given) => {
      const checkout = await ring(history, given);
      if (!checkout) return;
      await pay(history, checkout, { tender: given.tender, token: given.card, part: given.part });
      if (checkout.left > 0) await pay(history, checkout, { tender: 'cash', token: '', part: 0 });
    },
  ),
};
