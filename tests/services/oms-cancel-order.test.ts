import { expect } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(() => newRehearsal({ warehouse: 'manual' }));

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
