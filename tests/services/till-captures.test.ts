import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

const outage = (match: object) => ({ match, fault: { kind: 'outage' } });

/** Two mugs for 25.98, paid by 10.00 in cash and 15.98 by card. The OMS does not know the sale yet. */
async function queuedSale(rehearsal: TestRehearsal) {
  const { id } = await rehearsal.sale();
  await rehearsal.fault('away', outage({ application: 'oms' }));
  const cash = await rehearsal.pay(id, CASH, 1000);
  const paid = await rehearsal.pay(id, card(), 1598);
  expect(paid).toMatchObject({ status: 201, body: { transactionState: 'paid', orderSubmission: 'queued' } });
  return { id, payments: [cash.body.id, paid.body.id] as string[] };
}

async function expectCompleted(rehearsal: TestRehearsal, id: string) {
  expect(await rehearsal.order(id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  expect(await rehearsal.events({ type: 'payment-captured' })).toHaveLength(2);
  expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 48, reserved: 0 });
  expect((await rehearsal.settle()).parked).toEqual([]);
  await rehearsal.verify();
}

describe('A paid sale that the OMS has not taken for a day', () => {
  test('is captured by the till, and completed when the OMS is back after the authorisation would have expired', async () => {
    await using rehearsal = await newRehearsal();
    const { id, payments } = await queuedSale(rehearsal);
    await rehearsal.advance('P2D');
    expect(await rehearsal.object('payment', payments[0] ?? '')).toMatchObject({ state: 'authorised' });
    expect(await rehearsal.object('payment', payments[1] ?? '')).toMatchObject({ state: 'captured' });
    await rehearsal.advance('P8D');
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    await expectCompleted(rehearsal, id);
  });

  test('is captured as soon as the Payment Hub answers', async () => {
    await using rehearsal = await newRehearsal();
    const { id, payments } = await queuedSale(rehearsal);
    await rehearsal.fault('hub-away', outage({ application: 'payment-hub' }));
    await rehearsal.advance('P3D');
    await rehearsal.client.control('delete-fault', { params: { name: 'hub-away' } });
    await rehearsal.advance('P6D');
    expect(await rehearsal.object('payment', payments[1] ?? '')).toMatchObject({ state: 'captured' });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    await expectCompleted(rehearsal, id);
  });

  test('with a tender that a client has voided is open for the rest when the OMS is back', async () => {
    await using rehearsal = await newRehearsal();
    const { id, payments } = await queuedSale(rehearsal);
    await rehearsal.api('void-payment-api', { params: { id: payments[1] ?? '' } });
    await rehearsal.advance('P9D');
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await rehearsal.pay(id, CASH, 1599)).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(1598) } });
    expect(await rehearsal.pay(id, CASH, 1598)).toMatchObject({ status: 201, body: { transactionState: 'completed' } });
    await expectCompleted(rehearsal, id);
  });
});

test('A sale that the OMS takes within a day is captured by the OMS', async () => {
  await using rehearsal = await newRehearsal();
  const { id } = await queuedSale(rehearsal);
  await rehearsal.advance('PT12H');
  await rehearsal.noFaults();
  await rehearsal.advance('P2D');
  await expectCompleted(rehearsal, id);
  expect((await rehearsal.journal()).filter(({ api }) => api === 'due:capture-tenders')).toEqual([]);
});
