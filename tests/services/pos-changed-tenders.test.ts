import { describe, expect } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const UNSOLD = { onHand: 50, reserved: 0 };
const COMPLETED = { transactionState: 'completed' };

/** Two mugs for 25.98, of them 10.00 authorised by card. */
async function withCard(rehearsal: TestRehearsal) {
  const { id } = await rehearsal.sale();
  return { id, payment: (await rehearsal.pay(id, card(), 1000)).body.id as string };
}

/** Two mugs for 25.98, paid by 10.00 in cash and 15.98 by card, and not submitted yet, since an application does not answer. */
async function paidAndQueued(rehearsal: TestRehearsal, match: Parameters<TestRehearsal['down']>[0] = 'oms') {
  const { id } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
  const { body: cash } = await rehearsal.pay(id, CASH, 1000);
  await rehearsal.down(match);
  const { body: paid } = await rehearsal.pay(id, card(), 1598);
  expect(paid).toMatchObject({ transactionState: 'paid', orderSubmission: 'queued' });
  return { id, cash: cash.id as string, card: paid.id as string, receipt: paid.receipt.number as string };
}

async function capture(rehearsal: TestRehearsal, id: string, amount?: number) {
  await rehearsal.api('capture-payment-api', { params: { id }, body: amount === undefined ? {} : { amount: eur(amount) } });
  await rehearsal.settle();
}
const voidTender = (rehearsal: TestRehearsal, id: string) => rehearsal.api('void-payment-api', { params: { id } });
const refund = (rehearsal: TestRehearsal, id: string, amount: number) =>
  rehearsal.api('refund-payment-api', { params: { id }, body: { amount: eur(amount) } });
const stateOf = async (rehearsal: TestRehearsal, payment: string) => (await rehearsal.object('payment', payment)).state;
const recover = async (rehearsal: TestRehearsal, span = 'PT1H') => {
  await rehearsal.noFaults();
  await rehearsal.advance(span);
};
const expectOver = async (rehearsal: TestRehearsal): Promise<void> => {
  expect((await rehearsal.settle()).parked).toEqual([]);
  await rehearsal.verify();
};
async function expectCompleted(rehearsal: TestRehearsal, id: string) {
  expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
  await expectOver(rehearsal);
}

test('A tender captured in part counts with the captured part, and the receipt adds up to the total', async (rehearsal) => {
  const { id, payment } = await withCard(rehearsal);
  await capture(rehearsal, payment, 600);
  expect((await rehearsal.pay(id, CASH, 100)).body.outstanding).toEqual(eur(1898));
  expect((await rehearsal.pay(id, card(), 1899)).body).toMatchObject({ status: 409, code: 'overpayment', outstanding: eur(1898) });
  const { receipt, ...last } = (await rehearsal.pay(id, CASH, 1898)).body;
  expect(last).toMatchObject({ outstanding: eur(0), ...COMPLETED });
  expect(receipt.tenders[0]).toMatchObject({ paymentId: payment, type: 'card' });
  expect(receipt.tenders.map(({ amount }: { amount: object }) => amount)).toEqual([eur(600), eur(100), eur(1898)]);
  expect(receipt.totals.total).toEqual(eur(2598));
  await expectOver(rehearsal);
});

test('A tender captured in part while the last tender is added leaves an amount outstanding', async (rehearsal) => {
  const { id, payment } = await withCard(rehearsal);
  await rehearsal.api('capture-payment-api', { params: { id: payment }, body: { amount: eur(400) } });
  const open = { state: 'authorised', outstanding: eur(600), transactionState: 'open', orderSubmission: 'none' };
  expect((await rehearsal.pay(id, CASH, 1598)).body).toMatchObject(open);
  expect((await rehearsal.pay(id, CASH, 600)).body).toMatchObject(COMPLETED);
  await expectCompleted(rehearsal, id);
});

test('A tender refunded in part stays on the receipt with the rest; a tender refunded in full does not', async (rehearsal) => {
  const { id, payment } = await withCard(rehearsal);
  const { body: other } = await rehearsal.pay(id, card(), 500);
  for (const one of [payment, other.id]) await capture(rehearsal, one);
  await refund(rehearsal, payment, 400);
  await refund(rehearsal, other.id, 500);
  await rehearsal.settle();
  const { body } = await rehearsal.pay(id, CASH, 1998);
  expect(body).toMatchObject(COMPLETED);
  expect(body.receipt.tenders.map(({ type, amount }: { type: string; amount: object }) => [type, amount])).toEqual([
    ['card', eur(600)],
    ['cash', eur(1998)],
  ]);
  await expectOver(rehearsal);
});

describe.each([
  ['voided', 1598, voidTender],
  ['captured in part', 1098, (rehearsal: TestRehearsal, id: string) => capture(rehearsal, id, 500)],
] as const)('A tender %s before its sale is submitted', (what, missing, undo) => {
  test.each([
    ['the OMS', { application: 'oms' }],
    ['Confirm Order', { api: 'confirm-order-api' }],
    ['the carry-out', { api: 'carry-out' }],
  ] as const)(`A sale with a tender ${what} while %s was down reopens, and new money completes it once`, async (rehearsal, _who, match) => {
    const { id, card: undone, receipt } = await paidAndQueued(rehearsal, match);
    await undo(rehearsal, undone);
    await recover(rehearsal);
    await expectOver(rehearsal);
    expect((await rehearsal.pay(id, card(), 2598)).body).toMatchObject({ status: 409, code: 'overpayment', outstanding: eur(missing) });
    const { body: part } = await rehearsal.pay(id, CASH, 98);
    expect(part).toMatchObject({ outstanding: eur(missing - 98), transactionState: 'open', orderSubmission: 'none' });
    expect(part).not.toHaveProperty('receipt');
    const { body: last } = await rehearsal.pay(id, card(), missing - 98);
    expect(last).toMatchObject({ outstanding: eur(0), ...COMPLETED, orderSubmission: 'accepted', receipt: { number: receipt } });
    const { payments } = await rehearsal.order(id);
    expect(payments.reduce((sum, { capturedAmount }) => sum + capturedAmount.amount, 0)).toBe(2598);
    for (const type of ['order-created', 'order-confirmed']) expect(await rehearsal.events({ type })).toHaveLength(1);
    const { entries } = await rehearsal.object('loyalty-account', 'loy_ada');
    expect(entries.filter(({ orderId }: { orderId?: string }) => orderId === id)).toMatchObject([{ type: 'earn', points: 25 }]);
    await expectCompleted(rehearsal, id);
  });

  test(`A sale with a tender ${what} can be voided: money is returned, the order cancelled, the stock released`, async (rehearsal) => {
    const { id, cash, card: undone } = await paidAndQueued(rehearsal, { api: 'carry-out' });
    await undo(rehearsal, undone);
    expect((await rehearsal.voidSale(id)).body).toMatchObject({ status: 409, currentState: 'paid' });
    await recover(rehearsal);
    const { body } = await rehearsal.voidSale(id);
    const ended = { state: 'cancelled', paymentStatus: 'refunded' };
    expect(body).toMatchObject(ended);
    expect(body).not.toHaveProperty('compensation');
    expect(await rehearsal.order(id)).toMatchObject(ended);
    for (const payment of [cash, undone]) expect(['voided', 'fully-refunded']).toContain(await stateOf(rehearsal, payment));
    expect(await rehearsal.stockAt('mug-blue')).toEqual(UNSOLD);
    await expectOver(rehearsal);
  });
});

test('A sale with a refunded tender has the refund outstanding and is completed when it is paid', async (rehearsal) => {
  const { id, card: refunded } = await paidAndQueued(rehearsal);
  await capture(rehearsal, refunded, 1598);
  await refund(rehearsal, refunded, 598);
  await recover(rehearsal);
  expect((await rehearsal.pay(id, card(), 599)).body).toMatchObject({ status: 409, code: 'overpayment', outstanding: eur(598) });
  expect((await rehearsal.pay(id, CASH, 598)).body).toMatchObject(COMPLETED);
  await expectCompleted(rehearsal, id);
});

test('A sale with a voided tender waits while the Payment Hub does not return the payments, and a new payment completes it', async (rehearsal) => {
  const { id, card: undone } = await paidAndQueued(rehearsal, { api: 'carry-out' });
  await voidTender(rehearsal, undone);
  await rehearsal.fault('lost', { match: { api: 'list-payments' }, fault: { kind: 'status', status: 503 } });
  await rehearsal.control('delete-fault', { params: { name: 'down' } });
  await rehearsal.advance('PT1H');
  expect((await rehearsal.voidSale(id)).body).toMatchObject({ status: 409, currentState: 'paid' });
  await rehearsal.authorisation(id);
  await recover(rehearsal, 'PT2H');
  await expectCompleted(rehearsal, id);
});

test('While the OMS is down, the till captures a paid sale, which completes even after the authorisation would have expired', async (rehearsal) => {
  const { id, cash, card: byCard } = await paidAndQueued(rehearsal);
  await rehearsal.advance('P2D');
  expect([await stateOf(rehearsal, cash), await stateOf(rehearsal, byCard)]).toEqual(['authorised', 'captured']);
  await rehearsal.advance('P8D');
  await recover(rehearsal);
  expect(await rehearsal.events({ type: 'payment-captured' })).toHaveLength(2);
  await expectCompleted(rehearsal, id);
});

test('A paid sale without the OMS is captured when the Payment Hub answers again', async (rehearsal) => {
  const { id, card: byCard } = await paidAndQueued(rehearsal);
  await rehearsal.fault('hub', { match: { application: 'payment-hub' }, fault: { kind: 'outage' } });
  await rehearsal.advance('P3D');
  await rehearsal.control('delete-fault', { params: { name: 'hub' } });
  await rehearsal.advance('P6D');
  expect(await stateOf(rehearsal, byCard)).toBe('captured');
  await recover(rehearsal);
  expect(await rehearsal.events({ type: 'payment-captured' })).toHaveLength(2);
  await expectCompleted(rehearsal, id);
});
