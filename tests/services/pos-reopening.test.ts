import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { typesOf } from '../support/steps/events.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

/** A sale is paid, and one of its payments is undone at the Payment Hub before the OMS could complete the order. */

const order = (rehearsal: TestRehearsal, id: string) => rehearsal.order(id);

/** Two mugs for 25.98, paid by 10.00 in cash and 15.98 by card, and not submitted yet, since an application does not answer. */
async function paidAndQueued(rehearsal: TestRehearsal, match: object) {
  const { id } = await rehearsal.sale({ loyaltyId: 'loy_ada' });
  const cash = await rehearsal.pay(id, CASH, 1000);
  await rehearsal.down(match);
  const paid = await rehearsal.pay(id, card(), 1598);
  expect(paid).toMatchObject({ status: 201, body: { transactionState: 'paid', orderSubmission: 'queued' } });
  return { id, cash: cash.body.id as string, card: paid.body.id as string, receipt: paid.body.receipt.number as string };
}

const capture = (rehearsal: TestRehearsal, id: string, amount: number) =>
  rehearsal.api('capture-payment-api', { params: { id }, body: { amount: eur(amount) } });
const isOver = async (rehearsal: TestRehearsal): Promise<void> => {
  expect((await rehearsal.settle()).parked).toEqual([]);
  await rehearsal.verify();
};

const UNDOINGS = [
  ['voided', 1598, (rehearsal: TestRehearsal, id: string) => rehearsal.api('void-payment-api', { params: { id } })],
  ['captured in part', 1098, (rehearsal: TestRehearsal, id: string) => capture(rehearsal, id, 500)],
] as const;

describe.each(UNDOINGS)('A sale with a tender that was %s before its submission', (_what, missing, undo) => {
  test.each([
    ['the OMS', { application: 'oms' }],
    ['Confirm Order', { api: 'confirm-order-api' }],
    ['the carry-out', { api: 'carry-out' }],
  ])('since %s was down reopens, and new money completes it once with its first receipt', async (_who, match) => {
    await using rehearsal = await newRehearsal();
    const { id, card: undone, receipt } = await paidAndQueued(rehearsal, match);
    await undo(rehearsal, undone);
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    await isOver(rehearsal);

    const tooMuch = await rehearsal.pay(id, card(), 2598);
    expect(tooMuch).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(missing) } });
    const part = await rehearsal.pay(id, CASH, 98);
    expect(part).toMatchObject({
      status: 201,
      body: { outstanding: eur(missing - 98), transactionState: 'open', orderSubmission: 'none' },
    });
    expect(part.body).not.toHaveProperty('receipt');
    const last = await rehearsal.pay(id, card(), missing - 98);
    expect(last).toMatchObject({
      status: 201,
      body: { outstanding: eur(0), transactionState: 'completed', orderSubmission: 'accepted', receipt: { number: receipt } },
    });

    const done = await order(rehearsal, id);
    expect(done).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    const kept = done.payments.map(({ capturedAmount }: { capturedAmount: { amount: number } }) => capturedAmount.amount);
    expect(kept.reduce((sum: number, amount: number) => sum + amount, 0)).toBe(2598);
    expect(typesOf(await rehearsal.events({ type: 'order-created' }))).toHaveLength(1);
    expect(typesOf(await rehearsal.events({ type: 'order-confirmed' }))).toHaveLength(1);
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
    const { entries } = await rehearsal.object('loyalty-account', 'loy_ada');
    expect(entries.filter((entry: { orderId?: string }) => entry.orderId === id)).toMatchObject([{ type: 'earn', points: 25 }]);
    await isOver(rehearsal);
  });

  test('can be voided: its money is returned, its order cancelled, its stock released', async () => {
    await using rehearsal = await newRehearsal();
    const { id, cash, card: undone } = await paidAndQueued(rehearsal, { api: 'carry-out' });
    await undo(rehearsal, undone);
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 409, body: { currentState: 'paid' } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    const voided = await rehearsal.voidSale(id);
    expect(voided).toMatchObject({ status: 200, body: { state: 'cancelled', paymentStatus: 'unpaid' } });
    expect(voided.body).not.toHaveProperty('compensation');
    expect(await order(rehearsal, id)).toMatchObject({ state: 'cancelled' });
    for (const payment of [cash, undone]) {
      expect(['voided', 'fully-refunded']).toContain((await rehearsal.object('payment', payment)).state);
    }
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    await isOver(rehearsal);
  });

  test('is voided like other sales when it is not paid', async () => {
    await using rehearsal = await newRehearsal();
    const { id, card: undone } = await paidAndQueued(rehearsal, { application: 'oms' });
    await undo(rehearsal, undone);
    await rehearsal.noFaults();
    await rehearsal.advance('P3D');
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    await isOver(rehearsal);
  });
});

describe('A tender that pays the rest', () => {
  test('of a sale with a partly captured tender answers that an amount is still outstanding', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const first = await rehearsal.pay(id, card(), 1000);
    await capture(rehearsal, first.body.id, 400);
    const second = await rehearsal.pay(id, CASH, 1598);
    expect(second).toMatchObject({
      status: 201,
      body: { state: 'authorised', outstanding: eur(600), transactionState: 'open', orderSubmission: 'none' },
    });
    expect(await rehearsal.pay(id, CASH, 600)).toMatchObject({ status: 201, body: { transactionState: 'completed' } });
    expect(await order(rehearsal, id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    await isOver(rehearsal);
  });
});

describe('A sale that was refunded before its submission', () => {
  test('has the refund outstanding again and is completed when it is paid at the till', async () => {
    await using rehearsal = await newRehearsal();
    const { id, card: undone } = await paidAndQueued(rehearsal, { application: 'oms' });
    await capture(rehearsal, undone, 1598);
    await rehearsal.api('refund-payment-api', { params: { id: undone }, body: { amount: eur(598) } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await rehearsal.pay(id, CASH, 599)).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(598) } });
    expect(await rehearsal.pay(id, CASH, 598)).toMatchObject({ status: 201, body: { transactionState: 'completed' } });
    expect(await order(rehearsal, id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    await isOver(rehearsal);
  });

  test('can be voided instead', async () => {
    await using rehearsal = await newRehearsal();
    const { id, card: undone } = await paidAndQueued(rehearsal, { application: 'oms' });
    await capture(rehearsal, undone, 1598);
    await rehearsal.api('refund-payment-api', { params: { id: undone }, body: { amount: eur(598) } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    expect(await rehearsal.object('payment', undone)).toMatchObject({ state: 'fully-refunded' });
    await isOver(rehearsal);
  });
});

describe('While the Payment Hub does not answer the missing amount', () => {
  test('the sale waits, and new payments complete it', async () => {
    await using rehearsal = await newRehearsal();
    const { id, card: undone } = await paidAndQueued(rehearsal, { api: 'carry-out' });
    await rehearsal.api('void-payment-api', { params: { id: undone } });
    const [{ name } = { name: '' }] = await rehearsal.faults();
    await rehearsal.fault('lost', { match: { api: 'list-payments' }, fault: { kind: 'status', status: 503 } });
    await rehearsal.client.control('delete-fault', { params: { name } });
    await rehearsal.advance('PT1H');
    expect(await rehearsal.voidSale(id)).toMatchObject({ status: 409, body: { currentState: 'paid' } });
    await rehearsal.authorisation(id);
    await rehearsal.noFaults();
    await rehearsal.advance('PT2H');
    expect(await order(rehearsal, id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    await isOver(rehearsal);
  });
});
