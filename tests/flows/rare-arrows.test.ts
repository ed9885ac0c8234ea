import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** Transitions of the life cycles that no other test covers across the whole estate. */
const order = async (rehearsal: TestRehearsal, customerId: string, contact?: object) => {
  const { id: basketId } = await rehearsal.basket({ customerId });
  await rehearsal.checkedOut(basketId, { ...(contact && { contact }) });
  const { id } = await rehearsal.draft(basketId);
  await rehearsal.authorisation(id);
  await rehearsal.confirmed(id);
  return rehearsal.order(id);
};

/** @returns the parcel of a dispatched order, which the carrier does not scan by itself */
async function parcel(rehearsal: TestRehearsal) {
  await rehearsal.client.control('set-progression', { body: { carrier: 'manual', returns: 'manual' } });
  const { id: orderId, fulfillmentOrders } = await order(rehearsal, 'cus_ada');
  const { id: picking } = await rehearsal.picked(fulfillmentOrders[0].id);
  for (const status of ['started', 'picked', 'packed'] as const)
    await rehearsal.api('update-picking-status-api', { params: { id: picking }, body: { status } });
  const sent = await rehearsal.api('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrders[0].id } });
  return { orderId, shipmentId: sent.shipments[0].id as string };
}

async function scanned(rehearsal: TestRehearsal, shipmentId: string, scans: readonly string[]): Promise<string> {
  for (const scan of scans) await rehearsal.client.control('play-scan', { params: { id: shipmentId, scan }, body: {} });
  await rehearsal.settle();
  return (await rehearsal.object('shipment', shipmentId)).state;
}

describe('A customer who orders', () => {
  test.each([
    ['cus_iris', 'anonymous', 'anonymous'],
    ['cus_hugo', 'identified', 'identified'],
    ['cus_ben', 'registered', 'active'],
    ['cus_eve', 'at-risk', 'active'],
    ['cus_grace', 'reactivated', 'active'],
    ['cus_farid', 'churned', 'reactivated'],
  ])('(%s, %s) is then %s', async (id, before, after) => {
    await using rehearsal = await newRehearsal();
    expect(await rehearsal.api('get-customer-api', { params: { id } })).toMatchObject({ state: before });
    await order(rehearsal, id);
    await rehearsal.settle();
    expect(await rehearsal.api('get-customer-api', { params: { id } })).toMatchObject({ state: after });
  });
});

describe('A customer who becomes a member', () => {
  test.each(['cus_hugo', 'cus_jonas'])('(%s) keeps the state', async (id) => {
    await using rehearsal = await newRehearsal();
    const before = await rehearsal.api('get-customer-api', { params: { id } });
    const { id: loyaltyAccountId } = await rehearsal.api('enroll-loyalty-member-api', { body: { customerId: id } });
    expect(await rehearsal.api('get-customer-api', { params: { id } })).toMatchObject({ state: before.state, loyaltyAccountId });
  });

  test.each([
    ['at-risk', ['P90D']],
    ['churned', ['P90D', 'P90D']],
  ])('when %s keeps that state', async (state, silence) => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.api('create-customer-api', {
      body: { firstName: 'Ruth', lastName: 'Vale', email: 'ruth@people.example' },
    });
    await rehearsal.api('log-interaction-api', { body: { customerId: id, type: 'visit' } });
    for (const by of silence) await rehearsal.advance(by);
    const { id: loyaltyAccountId } = await rehearsal.api('enroll-loyalty-member-api', { body: { customerId: id } });
    expect(await rehearsal.api('get-customer-api', { params: { id } })).toMatchObject({ state, loyaltyAccountId });
  });

  test('when reactivated keeps that state', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.api('create-customer-api', {
      body: { firstName: 'Ruth', lastName: 'Vale', email: 'ruth@people.example' },
    });
    await rehearsal.api('log-interaction-api', { body: { customerId: id, type: 'visit' } });
    await rehearsal.advance('P181D');
    await rehearsal.api('log-interaction-api', { body: { customerId: id, type: 'visit' } });
    await rehearsal.api('enroll-loyalty-member-api', { body: { customerId: id } });
    expect(await rehearsal.api('get-customer-api', { params: { id } })).toMatchObject({ state: 'reactivated' });
  });
});

describe('A guest', () => {
  test('with further contact stays identified and registers as the same customer', async () => {
    await using rehearsal = await newRehearsal();
    const basket = async () => rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    const { id: basketId, customerId } = await basket();
    const checkout = (contact: object) => rehearsal.checkedOut(basketId, { contact });
    await checkout({ email: 'guest@people.example' });
    expect(await rehearsal.api('get-customer-api', { params: { id: customerId } })).toMatchObject({ state: 'identified' });
    await rehearsal.advance('PT16M');
    await checkout({ email: 'guest@people.example', phone: '+353209188888' });
    expect(await rehearsal.api('get-customer-api', { params: { id: customerId } })).toMatchObject({
      state: 'identified',
      phone: '+353209188888',
    });
    const registered = await rehearsal.api('create-customer-api', {
      body: { firstName: 'Gail', lastName: 'Est', email: 'guest@people.example' },
    });
    expect(registered).toMatchObject({ id: customerId, state: 'registered' });
  });
});

describe('A parcel', () => {
  const TO_THE_DOOR = ['collect', 'depart', 'out-for-delivery'];
  test.each([
    ['kept at the depot after an attempt, and picked up', [...TO_THE_DOOR, 'attempt', 'hold', 'deliver'], 'delivered'],
    ['kept at the depot, and sent back', ['collect', 'depart', 'hold', 'return'], 'returned-to-sender'],
    ['kept at the depot, and lost there', ['collect', 'depart', 'hold', 'lose'], 'lost'],
    ['lost from the van', [...TO_THE_DOOR, 'lose'], 'lost'],
    ['sent back from the van', [...TO_THE_DOOR, 'return'], 'returned-to-sender'],
    ['attempted, and lost', [...TO_THE_DOOR, 'attempt', 'lose'], 'lost'],
    ['attempted, and sent back', [...TO_THE_DOOR, 'attempt', 'return'], 'returned-to-sender'],
  ])('is %s', async (_what, scans, state) => {
    await using rehearsal = await newRehearsal();
    const { shipmentId } = await parcel(rehearsal);
    expect(await scanned(rehearsal, shipmentId, scans)).toBe(state);
    await rehearsal.verify();
  });
});

describe('A fulfillment order', () => {
  test('that waits for its stock is cancelled with its order', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('no-allocation', { match: { api: 'allocate-inventory-api' }, fault: { kind: 'outage' } });
    const { id, fulfillmentOrders } = await order(rehearsal, 'cus_ada');
    expect(fulfillmentOrders).toMatchObject([{ state: 'created' }]);
    await rehearsal.api('cancel-order-api', { params: { id } });
    await rehearsal.noFaults();
    await rehearsal.settle();
    expect(await rehearsal.object('fulfillment-order', fulfillmentOrders[0].id)).toMatchObject({ state: 'cancelled' });
    await rehearsal.verify();
  });
});

describe('The parcel of a return', () => {
  /** An approved return by parcel of a delivered order: its parcel has a label. */
  async function approved(rehearsal: TestRehearsal) {
    const { orderId, shipmentId } = await parcel(rehearsal);
    await scanned(rehearsal, shipmentId, ['collect', 'depart', 'out-for-delivery', 'deliver']);
    const { lines } = await rehearsal.order(orderId);
    const line = { orderLineId: lines[0].lineId, qty: 1, reason: 'too blue' };
    const { id } = await rehearsal.api('create-return-api', { body: { orderId, lines: [line], dropOff: 'carrier' } });
    const play = (verb: string) => rehearsal.control('move-return-by-hand', { params: { id, verb } });
    await play('approve');
    await rehearsal.settle();
    const [{ id: parcelId }] = (await rehearsal.object('return', id)).shipments;
    return { id, parcelId: parcelId as string, play };
  }

  test('that is scanned after the goods were received by hand changes only its copy', async () => {
    await using rehearsal = await newRehearsal();
    const { id, parcelId, play } = await approved(rehearsal);
    await play('receive');
    await scanned(rehearsal, parcelId, ['collect']);
    expect(await rehearsal.object('return', id)).toMatchObject({ state: 'received', shipments: [{ state: 'collected' }] });
    await play('inspect');
    await rehearsal.settle();
    await rehearsal.verify();
  });

  test('of goods that were rejected after inspection is still tracked', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.client.control('set-progression', { body: { refund: 'manual' } });
    const { id, parcelId, play } = await approved(rehearsal);
    for (const verb of ['receive', 'inspect', 'reject']) await play(verb);
    await scanned(rehearsal, parcelId, ['collect']);
    expect(await rehearsal.object('return', id)).toMatchObject({ state: 'rejected', shipments: [{ state: 'collected' }] });
    await rehearsal.verify();
  });
});
