import { expect, test as plainTest } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

/** Life-cycle transitions that no other test covers with the whole estate. */
const customer = (rehearsal: TestRehearsal, id: string) => rehearsal.api('get-customer-api', { params: { id } });
const visit = (rehearsal: TestRehearsal, customerId: string) =>
  rehearsal.api('log-interaction-api', { body: { customerId, type: 'visit' } });
const scanned = async (rehearsal: TestRehearsal, id: string, scans: Parameters<TestRehearsal['scanned']>[1][]) => {
  await rehearsal.scanned(id, ...scans);
  return (await rehearsal.object('shipment', id)).state;
};

test.each([
  ['cus_iris', 'anonymous', 'anonymous'],
  ['cus_hugo', 'identified', 'identified'],
  ['cus_ben', 'registered', 'active'],
  ['cus_eve', 'at-risk', 'active'],
  ['cus_grace', 'reactivated', 'active'],
  ['cus_farid', 'churned', 'reactivated'],
])('Customer %s, who is %s, is %s after an order', async (rehearsal, customerId, before, after) => {
  expect((await customer(rehearsal, customerId)).state).toBe(before);
  await rehearsal.confirmed({ customerId });
  await rehearsal.settle();
  expect((await customer(rehearsal, customerId)).state).toBe(after);
});

test.each(['cus_hugo', 'cus_jonas'])('Customer %s keeps the state at enrolment', async (rehearsal, customerId) => {
  const { state } = await customer(rehearsal, customerId);
  const { id: loyaltyAccountId } = await rehearsal.api('enroll-loyalty-member-api', { body: { customerId } });
  expect(await customer(rehearsal, customerId)).toMatchObject({ state, loyaltyAccountId });
});

test.each([
  ['at-risk', ['P90D'], false],
  ['churned', ['P90D', 'P90D'], false],
  ['reactivated', ['P181D'], true],
])('A customer who is %s keeps the state at enrolment', async (rehearsal, state, silence, returns) => {
  const body = { firstName: 'Ruth', lastName: 'Vale', email: 'ruth@people.example' };
  const { id: customerId } = await rehearsal.api('create-customer-api', { body });
  await visit(rehearsal, customerId);
  for (const by of silence) await rehearsal.advance(by);
  if (returns) await visit(rehearsal, customerId);
  const { id: loyaltyAccountId } = await rehearsal.api('enroll-loyalty-member-api', { body: { customerId } });
  expect(await customer(rehearsal, customerId)).toMatchObject({ state, loyaltyAccountId });
});

test('A guest with further contact stays identified and registers as the same customer', async (rehearsal) => {
  const email = 'guest@people.example';
  const lines = [{ sku: 'mug-blue', qty: 1 }];
  const { id: basketId, customerId } = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines } });
  await rehearsal.checkedOut(basketId, { contact: { email } });
  expect((await customer(rehearsal, customerId)).state).toBe('identified');
  await rehearsal.advance('PT16M');
  const phone = '+353209188888';
  await rehearsal.checkedOut(basketId, { contact: { email, phone } });
  expect(await customer(rehearsal, customerId)).toMatchObject({ state: 'identified', phone });
  const registered = await rehearsal.api('create-customer-api', { body: { firstName: 'Gail', lastName: 'Est', email } });
  expect(registered).toMatchObject({ id: customerId, state: 'registered' });
});

const MANUAL = { carrier: 'manual', returns: 'manual' } as const;
const TO_THE_DOOR = ['collect', 'depart', 'out-for-delivery'] as const;

plainTest.each([
  ['kept at the depot after an attempt, and picked up', [...TO_THE_DOOR, 'attempt', 'hold', 'deliver'], 'delivered'],
  ['kept at the depot, and sent back', ['collect', 'depart', 'hold', 'return'], 'returned-to-sender'],
  ['kept at the depot, and lost there', ['collect', 'depart', 'hold', 'lose'], 'lost'],
  ['lost from the van', [...TO_THE_DOOR, 'lose'], 'lost'],
  ['sent back from the van', [...TO_THE_DOOR, 'return'], 'returned-to-sender'],
  ['attempted, and lost', [...TO_THE_DOOR, 'attempt', 'lose'], 'lost'],
  ['attempted, and sent back', [...TO_THE_DOOR, 'attempt', 'return'], 'returned-to-sender'],
] as const)('A parcel is %s', async (_what, scans, state) => {
  await using rehearsal = await newRehearsal(MANUAL);
  const { shipmentId } = await rehearsal.dispatchedOrder();
  expect(await scanned(rehearsal, shipmentId, [...scans])).toBe(state);
  await rehearsal.verify();
});

/** An approved return by parcel of a delivered order: its parcel has a label. */
async function approved(rehearsal: TestRehearsal) {
  const { id } = await rehearsal.announced(await rehearsal.completed(), 1, { dropOff: 'carrier' });
  await rehearsal.moved(id, 'approve');
  const parcelId: string = (await rehearsal.object('return', id)).shipments[0].id;
  return { id, parcelId };
}

plainTest('The scan of a return’s parcel changes only the parcel when the goods were received by hand before', async () => {
  await using rehearsal = await newRehearsal(MANUAL);
  const { id, parcelId } = await approved(rehearsal);
  await rehearsal.moved(id, 'receive');
  await rehearsal.scanned(parcelId, 'collect');
  expect(await rehearsal.object('return', id)).toMatchObject({ state: 'received', shipments: [{ state: 'collected' }] });
  await rehearsal.moved(id, 'inspect');
  await rehearsal.verify();
});

test('The parcel of a return that was rejected after inspection is still tracked', async (rehearsal) => {
  await rehearsal.progress({ ...MANUAL, refund: 'manual' });
  const { id, parcelId } = await approved(rehearsal);
  await rehearsal.moved(id, 'receive', 'inspect', 'reject');
  await rehearsal.scanned(parcelId, 'collect');
  expect(await rehearsal.object('return', id)).toMatchObject({ state: 'rejected', shipments: [{ state: 'collected' }] });
});

test('A fulfillment order that waits for its stock is cancelled with its order', async (rehearsal) => {
  await rehearsal.down({ api: 'allocate-inventory-api' });
  const { id } = await rehearsal.confirmed();
  const [fulfillmentOrder] = await rehearsal.routed(id);
  expect(fulfillmentOrder?.state).toBe('created');
  await rehearsal.cancel(id);
  await rehearsal.noFaults();
  await rehearsal.settle();
  expect((await rehearsal.object('fulfillment-order', fulfillmentOrder?.id ?? '')).state).toBe('cancelled');
});
