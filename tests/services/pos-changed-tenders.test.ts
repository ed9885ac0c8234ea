import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

/** Two mugs for 25.98, of which a card has authorised 10.00. */
async function withCard(rehearsal: TestRehearsal) {
  const { id } = await rehearsal.sale();
  const { body } = await rehearsal.pay(id, card(), 1000);
  return { id, payment: body.id as string };
}

async function capture(rehearsal: TestRehearsal, payment: string, amount?: number) {
  await rehearsal.api('capture-payment-api', { params: { id: payment }, body: amount === undefined ? {} : { amount: eur(amount) } });
  await rehearsal.settle();
}

describe('A tender that a client changes at the Payment Hub during the sale', () => {
  test('counts with its captured part: the released rest is outstanding, and the receipt adds up to the total', async () => {
    await using rehearsal = await newRehearsal();
    const { id, payment } = await withCard(rehearsal);
    await capture(rehearsal, payment, 600);
    expect((await rehearsal.pay(id, CASH, 100)).body.outstanding).toEqual(eur(1898));
    expect(await rehearsal.pay(id, CASH, 1899)).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(1898) } });
    const last = await rehearsal.pay(id, CASH, 1898);
    expect(last).toMatchObject({ status: 201, body: { outstanding: eur(0), transactionState: 'completed' } });
    expect(last.body.receipt).toMatchObject({
      tenders: [
        { paymentId: payment, type: 'card', amount: eur(600) },
        { type: 'cash', amount: eur(100) },
        { type: 'cash', amount: eur(1898) },
      ],
      totals: { total: eur(2598) },
    });
    await rehearsal.settle();
    await rehearsal.verify();
  });

  test('that is captured in full counts with its amount', async () => {
    await using rehearsal = await newRehearsal();
    const { id, payment } = await withCard(rehearsal);
    await capture(rehearsal, payment);
    const last = await rehearsal.pay(id, CASH, 1598);
    expect(last.body).toMatchObject({
      transactionState: 'completed',
      receipt: { tenders: [{ amount: eur(1000) }, { amount: eur(1598) }] },
    });
    await rehearsal.verify();
  });

  test('that is refunded in part stays on the receipt with the rest, and one that is refunded in full does not', async () => {
    await using rehearsal = await newRehearsal();
    const { id, payment } = await withCard(rehearsal);
    const { body: other } = await rehearsal.pay(id, card(), 500);
    for (const one of [payment, other.id]) await capture(rehearsal, one);
    await rehearsal.api('refund-payment-api', { params: { id: payment }, body: { amount: eur(400) } });
    await rehearsal.api('refund-payment-api', { params: { id: other.id }, body: { amount: eur(500) } });
    await rehearsal.settle();
    const last = await rehearsal.pay(id, CASH, 1998);
    expect(last).toMatchObject({ status: 201, body: { transactionState: 'completed' } });
    expect(last.body.receipt.tenders).toMatchObject([
      { paymentId: payment, amount: eur(600) },
      { type: 'cash', amount: eur(1998) },
    ]);
    await rehearsal.settle();
    await rehearsal.verify();
  });
});
