import { expect } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(() => newRehearsal({ warehouse: 'manual' }));

/** A confirmed order whose payment a client has captured. */
async function captured(rehearsal: TestRehearsal) {
  const order = await rehearsal.confirmed();
  await rehearsal.api('capture-payment-api', { params: { id: order.payments[0].id } });
  return { id: order.id as string, refundOf: [{ state: 'fully-refunded', refundedAmount: order.totals.total }] };
}

test('Cancel Order voids the payments of a draft and releases its stock and vouchers before it answers', async (rehearsal) => {
  const draft = await rehearsal.authorised({ customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
  const { status, body, headers } = await rehearsal.cancel(draft.id, { reason: 'changed my mind' });
  expect([status, headers['etag']]).toEqual([200, `"${body.version}"`]);
  expect(body).toMatchObject({ state: 'cancelled', cancelReason: 'changed my mind', paymentStatus: 'unpaid' });
  expect(body.payments).toMatchObject([{ state: 'voided' }]);
  for (const absent of ['compensation', 'pendingAction']) expect(body).not.toHaveProperty(absent);
  expect(await rehearsal.order(draft.id)).toEqual(body);
  expect(await rehearsal.object('reservation', draft.lines[0].reservationId)).toMatchObject({ state: 'released' });
  const uses = (await rehearsal.journal()).filter(({ api }) => api === 'record-voucher-use').map(({ request }) => request.state);
  expect(uses).toEqual(['locked', 'released']);
  const changes = ['order-created v1', 'ext.order-changed v2', 'order-cancelled v3', 'ext.order-changed v4'];
  expect(await rehearsal.orderEvents(draft.id)).toEqual(changes);
});

test('Cancel Order refunds captured and voids authorised payments of a confirmed order', async (rehearsal) => {
  const { id, totals } = await rehearsal.draft();
  const first = await rehearsal.authorisation(id, 1000);
  await rehearsal.authorisation(id);
  const confirmed = await rehearsal.confirmed(id);
  await rehearsal.api('capture-payment-api', { params: { id: first.id } });
  const { status, body } = await rehearsal.cancel(id);
  expect([status, body]).toMatchObject([200, { state: 'cancelled', paymentStatus: 'refunded' }]);
  expect(body.payments).toMatchObject([
    { id: first.id, state: 'fully-refunded', refundedAmount: eur(1000) },
    { state: 'voided', amount: eur(totals.total.amount - 1000) },
  ]);
  expect(body).not.toHaveProperty('cancelReason');
  expect((await rehearsal.object('reservation', confirmed.lines[0].reservationId)).state).toBe('released');
  const [cancelled] = await rehearsal.events({ type: 'order-cancelled' });
  expect(cancelled.data).toMatchObject({ previousState: 'confirmed', object: { compensation: 'pending' } });
});

test('Cancel Order, sent three times concurrently and once more, cancels and refunds once', async (rehearsal) => {
  const { id, refundOf } = await captured(rehearsal);
  const replies = await Promise.all([rehearsal.cancel(id), rehearsal.cancel(id), rehearsal.cancel(id)]);
  for (const { status, body } of replies) expect([status, body.state]).toEqual([200, 'cancelled']);
  const after = await rehearsal.order(id);
  expect(after).toMatchObject({ paymentStatus: 'refunded', payments: refundOf });
  expect(after).not.toHaveProperty('compensation');
  const reversals = async () => (await rehearsal.journal()).filter(({ api }) => api === 'reverse-payment').length;
  const before = await reversals();
  const again = await rehearsal.cancel(id);
  expect([again.status, again.body, await reversals()]).toEqual([200, after, before]);
  expect(await rehearsal.events({ type: 'order-cancelled' })).toHaveLength(1);
});

test.each(['sim', 'promotion-engine'])(
  'Cancel Order succeeds without the %s; a repeat completes its part',
  async (rehearsal, application) => {
    const { id } = await rehearsal.confirmed({ customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
    await rehearsal.down(application);
    const { body } = await rehearsal.cancel(id);
    expect(body).toMatchObject({ state: 'cancelled', compensation: 'pending', payments: [{ state: 'voided' }] });
    await rehearsal.noFaults();
    expect((await rehearsal.cancel(id)).body).not.toHaveProperty('compensation');
    expect(await rehearsal.reserved('mug-blue')).toBe(0);
  },
);
