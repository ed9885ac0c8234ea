import { expect, test } from '@jest/globals';
import { LIMITS } from '../../shared/catalog/limits.ts';
import { newRehearsal } from '../support/estate.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { sharedIn } from '../support/test-in.ts';

const DECLINED = card('tok_decline_do_not_honor');

const rehearsal = sharedIn(newRehearsal);

/** Sends a request until the list is full, and once more. @returns the last problem */
async function overfill(limit: number, status: number, send: () => Promise<{ status: number; body: unknown }>) {
  for (let n = 0; n < limit; n++) expect((await send()).status).toBe(status);
  return (await send()).body;
}
const full = (objectType: string, id: string, list: string) => ({ status: 409, code: 'limit_reached', objectType, id, list });

/** A sale of mugs, whose completed order has the id of the sale. */
async function sold(qty: number) {
  const { id, totals } = await rehearsal.sale({ lines: [{ sku: 'mug-blue', qty }] });
  const { body } = await rehearsal.pay(id, CASH, totals.total.amount);
  await rehearsal.settle();
  return { order: await rehearsal.order(id), paymentId: body.id as string, total: totals.total.amount };
}

test('Refund Payment refuses a partial refund after a hundred, but accepts the rest of the payment or of a return', async () => {
  const { order, paymentId, total } = await sold(2);
  const refund = (amount: number) => rehearsal.call('refund-payment-api', { params: { id: paymentId }, body: { amount: eur(amount) } });
  const refused = await overfill(LIMITS.refunds, 201, () => refund(1));
  const remedy = `Refund the rest, ${((total - LIMITS.refunds) / 100).toFixed(2)} EUR`;
  expect(refused).toMatchObject({ ...full('payment', paymentId, 'refunds'), retryable: false, limit: LIMITS.refunds });
  expect(refused).toMatchObject({ detail: expect.stringContaining(remedy) });
  const { id } = await rehearsal.announced(order, 1, { dropOff: 'store' });
  await rehearsal.moved(id, 'approve', 'receive', 'inspect');
  const { refunds, capturedAmount, refundedAmount } = await rehearsal.object('payment', paymentId);
  expect(refunds.filter(({ returnId }: { returnId?: string }) => returnId === id)).toHaveLength(1);
  expect((await refund(capturedAmount.amount - refundedAmount.amount)).body).toMatchObject({ state: 'fully-refunded' });
  await rehearsal.verify();
});

test('Authorize Payment refuses the 101st payment of an order, counting declined ones', async () => {
  const { id: orderId } = await rehearsal.draft();
  const authorise = (tender: object) => rehearsal.call('authorize-payment-api', { body: { orderId, tender } });
  await overfill(LIMITS.payments - 1, 402, () => authorise(DECLINED));
  expect((await authorise(card())).body).toMatchObject(full('order', orderId, 'payments'));
  expect((await rehearsal.order(orderId)).payments).toHaveLength(LIMITS.payments);
});

test('Add Payment refuses the 101st tender of a transaction, and Void Transaction still ends the transaction', async () => {
  const { id } = await rehearsal.sale();
  await overfill(LIMITS.tenders - 1, 402, () => rehearsal.pay(id, DECLINED, 1299));
  expect((await rehearsal.pay(id, CASH, 1299)).body).toMatchObject(full('transaction', id, 'tenders'));
  expect((await rehearsal.voidSale(id)).status).toBe(200);
});

test('Create Return refuses the 101st return of an order', async () => {
  const { order } = await sold(LIMITS.returns + 1);
  const lines = [{ orderLineId: order.lines[0].lineId, qty: 1, reason: 'unwanted' }];
  const create = () => rehearsal.announce({ orderId: order.id, locationId: 'store-01', dropOff: 'store', lines });
  expect(await overfill(LIMITS.returns, 201, create)).toMatchObject(full('order', order.id, 'returns'));
});
