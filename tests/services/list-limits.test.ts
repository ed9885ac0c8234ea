import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LIMITS } from '../../shared/catalog/limits.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const DECLINED = { type: 'card', token: 'tok_decline_do_not_honor' };

let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

const times = async (count: number, run: () => Promise<unknown>): Promise<void> => {
  for (let n = 0; n < count; n++) await run();
};

/** A sale that the customer carried out of the store. Its order is completed and its id is that of the sale. */
async function sold(qty: number): Promise<{ orderId: string; paymentId: string; total: number }> {
  const lines = [{ sku: 'mug-blue', qty }];
  const sale = await rehearsal.sale({ lines });
  const total = sale.totals.total.amount;
  const { id: paymentId } = await rehearsal.api('add-payment-api', {
    params: { id: sale.id },
    body: {
      tender: { type: 'cash' },
      amount: eur(total),
    },
  });
  await rehearsal.settle();
  return { orderId: sale.id, paymentId, total };
}

describe('Full lists', () => {
  test('Refund Payment refuses a small refund after a hundred, and the estate and a refund of the rest still get through', async () => {
    const { orderId, paymentId, total } = await sold(2);
    const refund = (amount: number) => rehearsal.call('refund-payment-api', { params: { id: paymentId }, body: { amount: eur(amount) } });
    await times(LIMITS.refunds, async () => expect(await refund(1)).toMatchObject({ status: 201 }));
    const refused = await refund(1);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'limit_reached', retryable: false, objectType: 'payment', id: paymentId, list: 'refunds', limit: LIMITS.refunds },
    });
    expect(refused.body.detail).toContain(`Refund the rest, ${((total - LIMITS.refunds) / 100).toFixed(2)} EUR`);
    const { lines } = await rehearsal.order(orderId);
    const back = { orderLineId: lines[0].lineId, qty: 1, reason: 'unwanted' };
    const { id: returnId } = await rehearsal.api('create-return-api', {
      body: { orderId, locationId: 'store-01', dropOff: 'store', lines: [back] },
    });
    for (const verb of ['approve', 'receive', 'inspect']) {
      await rehearsal.client.control('move-return-by-hand', { params: { id: returnId, verb }, body: {} } as never);
    }
    await rehearsal.settle();
    const payment = await rehearsal.object('payment', paymentId);
    expect(payment.refunds.filter((one: { returnId?: string }) => one.returnId === returnId)).toHaveLength(1);
    const rest = payment.capturedAmount.amount - payment.refundedAmount.amount;
    expect(await refund(rest)).toMatchObject({ status: 201, body: { state: 'fully-refunded' } });
    await rehearsal.verify();
  });

  test('Authorize Payment refuses another payment of an order with a hundred, declined ones included', async () => {
    const lines = [{ sku: 'mug-blue', qty: 2 }];
    const basket = await rehearsal.basket({ lines });
    const { orderId } = await rehearsal.checkedOut(basket.id, { placeOrder: true });
    const authorise = (tender: object) => rehearsal.call('authorize-payment-api', { body: { orderId, tender } });
    await times(LIMITS.payments, async () => expect(await authorise(DECLINED)).toMatchObject({ status: 402 }));
    expect(await authorise({ type: 'card', token: 'tok_visa' })).toMatchObject({
      status: 409,
      body: { code: 'limit_reached', objectType: 'order', id: orderId, list: 'payments' },
    });
    expect((await rehearsal.order(orderId)).payments).toHaveLength(LIMITS.payments);
  });

  test('Add Payment refuses another tender of a transaction with a hundred, and Void Transaction still ends it', async () => {
    const lines = [{ sku: 'mug-blue', qty: 1 }];
    const { id } = await rehearsal.sale({ lines });
    const pay = (tender: object) => rehearsal.call('add-payment-api', { params: { id }, body: { tender, amount: eur(1299) } });
    await times(LIMITS.tenders, async () => expect(await pay(DECLINED)).toMatchObject({ status: 402 }));
    expect(await pay({ type: 'cash' })).toMatchObject({
      status: 409,
      body: { code: 'limit_reached', objectType: 'transaction', id, list: 'tenders' },
    });
    expect(await rehearsal.call('void-transaction-api', { params: { id }, body: {} })).toMatchObject({ status: 200 });
  });

  test('Create Return refuses another return of an order with a hundred', async () => {
    const { orderId } = await sold(LIMITS.returns + 1);
    const { lines } = await rehearsal.order(orderId);
    const back = { orderLineId: lines[0].lineId, qty: 1, reason: 'unwanted' };
    const create = () =>
      rehearsal.call('create-return-api', { body: { orderId, locationId: 'store-01', dropOff: 'store', lines: [back] } });
    await times(LIMITS.returns, async () => expect(await create()).toMatchObject({ status: 201 }));
    expect(await create()).toMatchObject({
      status: 409,
      body: { code: 'limit_reached', objectType: 'order', id: orderId, list: 'returns' },
    });
  });
});
