import { expect } from '@jest/globals';
import { byHand } from '../support/steps/by-hand.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

const ELSEWHERE = { ...ADDRESS, line1: '7 Shop Street', postalCode: 'H91 X2Y3' };

test('Change Order takes units away, lowers the authorisation, releases the stock and tells what it gives back', async (rehearsal) => {
  const order = await rehearsal.confirmed({ qty: 3 });
  const [line] = order.lines;
  const { status, body } = await rehearsal.call('change-order-api', { params: { id: order.id }, body: { lines: [{ lineId: line?.lineId, qty: 2 }] } });
  expect([status, body.state]).toEqual([200, 'confirmed']);
  expect(body.lines).toMatchObject([{ qty: 2 }]);
  const [entry] = body.changes;
  expect(body.totals.total.amount).toBe(order.totals.total.amount - entry.refund.amount);
  expect(body.payments).toMatchObject([{ state: 'authorised', authorizedAmount: body.totals.total }]);
  await rehearsal.settle();
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 2] });
  for (const absent of ['pendingAction', 'compensation']) expect(await rehearsal.order(order.id)).not.toHaveProperty(absent);
});
