import { expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { CASH } from '../support/steps/tender.ts';

const LAMP = { sku: 'lamp-last-one', qty: 1 };
const UNKNOWN = 'ord_01KAHTXB5W0G4J8Q2Z6R9M3N7P';

const byHand = () => newRehearsal({ warehouse: 'manual' });
const confirmFor = (rehearsal: TestRehearsal, id: string, orderId: string) =>
  rehearsal.call('confirm-reservation-api', { params: { id }, body: { orderId } });
const allocate = (rehearsal: TestRehearsal, orderId: string, orderLineId: string, reservationId: string) =>
  rehearsal.call('allocate-inventory-api', { body: { orderId, orderLineId, sku: 'mug-blue', qty: 2, reservationId } });
const otherOrder = (pointer = '/orderId') => ({ status: 422, errors: [{ pointer, code: 'other_order' }] });
/** Confirms an order, whose line keeps this reservation. */
async function keeps(rehearsal: TestRehearsal, orderId: string, reservationId: string) {
  expect((await rehearsal.confirm(orderId)).body).toMatchObject({ state: 'confirmed', lines: [{ reservationId }] });
  await rehearsal.verify();
}

const foreign: readonly (readonly [string, (rehearsal: TestRehearsal) => Promise<string>])[] = [
  ['that does not exist', async () => UNKNOWN],
  ['of another basket', async (rehearsal) => (await rehearsal.draft()).id],
];

test.each(foreign)('Confirm Reservation of a basket is refused for an order %s', async (_, given) => {
  await using rehearsal = await byHand();
  const orderId = await given(rehearsal);
  const { id: basketId, reservationId } = await rehearsal.checkedOut(LAMP);
  expect((await confirmFor(rehearsal, reservationId, orderId)).body).toMatchObject(otherOrder());
  const order = await rehearsal.authorised(basketId);
  const { status, body } = await confirmFor(rehearsal, reservationId, orderId);
  expect([status, body.errors[0].detail]).toEqual([422, expect.stringContaining(order.id)]);
  expect(await rehearsal.object('reservation', reservationId)).toMatchObject({ state: 'requested', version: 1 });
  await keeps(rehearsal, order.id, reservationId);
});

test('Confirm Reservation of a basket keeps it for the order of the basket', async () => {
  await using rehearsal = await byHand();
  const { id: orderId, lines } = await rehearsal.authorised(LAMP);
  const { reservationId } = lines[0];
  for (const _ of ['first', 'repeat'])
    expect(await confirmFor(rehearsal, reservationId, orderId)).toMatchObject({ status: 200, body: { state: 'confirmed', orderId } });
  await keeps(rehearsal, orderId, reservationId);
});

test('Confirm Reservation of a transaction succeeds for this transaction only', async () => {
  await using rehearsal = await byHand();
  const { id: orderId, lines, totals } = await rehearsal.sale();
  const { reservationId } = lines[0];
  expect((await confirmFor(rehearsal, reservationId, UNKNOWN)).body).toMatchObject(otherOrder());
  expect((await confirmFor(rehearsal, reservationId, orderId)).body).toMatchObject({ state: 'confirmed', orderId });
  expect((await rehearsal.pay(orderId, CASH, totals.total.amount)).body.transactionState).toBe('completed');
  await rehearsal.verify();
});

test('Confirm Reservation of a basket without an order keeps it for the later order', async () => {
  await using rehearsal = await byHand();
  const { id: basketId, reservationId } = await rehearsal.checkedOut(LAMP);
  await rehearsal.api('confirm-reservation-api', { params: { id: reservationId } });
  await keeps(rehearsal, (await rehearsal.authorised(basketId)).id, reservationId);
});

test('Confirm Reservation is refused while the state of the basket cannot be read', async () => {
  await using rehearsal = await byHand();
  const { id, lines } = await rehearsal.draft();
  const { reservationId } = lines[0];
  await rehearsal.down({ api: 'get-basket' });
  expect((await confirmFor(rehearsal, reservationId, id)).status).toBe(503);
  expect((await rehearsal.object('reservation', reservationId)).state).toBe('requested');
});

test('Confirm Reservation without a basket is refused for an order that has ended', async () => {
  await using rehearsal = await byHand();
  const order = await rehearsal.draft();
  await rehearsal.cancel(order.id);
  const { id } = (await rehearsal.reserve({ items: [LAMP] })).body;
  const refused = { status: 409, code: 'invalid_state_transition', objectType: 'order', id: order.id };
  expect((await confirmFor(rehearsal, id, order.id)).body).toMatchObject(refused);
  expect((await rehearsal.object('reservation', id)).state).toBe('requested');
  await rehearsal.verify();
});

test.each(foreign)('Reserve Inventory for a basket and an order %s is refused in any state of the basket', async (_, given) => {
  await using rehearsal = await byHand();
  const orderId = await given(rehearsal);
  const refused = async (basketId: string) => expect((await rehearsal.reserve({ basketId, orderId })).body).toMatchObject(otherOrder());
  await refused((await rehearsal.basket(LAMP)).id);
  const { id: basketId, reservationId } = await rehearsal.checkedOut(LAMP);
  await refused(basketId);
  const order = await rehearsal.draft(basketId);
  await refused(basketId);
  expect(await rehearsal.reserve({ basketId, orderId: order.id })).toMatchObject({ status: 200, body: { id: reservationId } });
  expect(await rehearsal.reserved(LAMP.sku)).toBe(1);
  await rehearsal.verify();
});

test('Allocate Inventory accepts the reservation of a basket only for a line of the order of the basket', async () => {
  await using rehearsal = await byHand();
  const { id, lines } = await rehearsal.draft();
  const [{ lineId, reservationId }] = lines;
  expect(await allocate(rehearsal, id, lineId, reservationId)).toMatchObject({ status: 200, body: { id: reservationId } });
  const other = await rehearsal.checkedOut();
  expect((await allocate(rehearsal, id, lineId, other.reservationId)).body).toMatchObject(otherOrder('/reservationId'));
  const unknown = { status: 404, objectType: 'order', id: UNKNOWN };
  expect((await allocate(rehearsal, UNKNOWN, 'line-1', other.reservationId)).body).toMatchObject(unknown);
  await rehearsal.verify();
});
