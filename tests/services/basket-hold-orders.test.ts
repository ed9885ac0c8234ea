import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { CASH } from '../support/steps/tender.ts';

const LAMP = { sku: 'lamp-last-one', qty: 1 };
const UNKNOWN = 'ord_01KAHTXB5W0G4J8Q2Z6R9M3N7P';

const confirmFor = (rehearsal: TestRehearsal, id: string, orderId: string) =>
  rehearsal.call('confirm-reservation-api', { params: { id }, body: { orderId } });
const reserveFor = (rehearsal: TestRehearsal, basketId: string, orderId: string) =>
  rehearsal.call('reserve-inventory-api', { body: { basketId, orderId } });
const refusal = ({ status, body }: { status: number; body: { errors?: { pointer: string; code: string }[] } }) => [
  status,
  body.errors?.map(({ pointer, code }) => [pointer, code]),
];
const OTHER_ORDER = [422, [['/orderId', 'other_order']]];

const foreign: readonly (readonly [string, (scene: TestRehearsal) => Promise<string>])[] = [
  ['that does not exist', async () => UNKNOWN],
  ['of another basket', async (scene) => (await scene.draft()).id],
];

describe('Confirm Reservation by hand for the hold of a basket', () => {
  test.each(foreign)('is refused for an order %s, and the order of the basket is confirmed from it', async (_, given) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const orderId = await given(scene);
    const { id: basketId, reservationId } = await scene.checkedOut(LAMP);
    expect(refusal(await confirmFor(scene, reservationId, orderId))).toEqual(OTHER_ORDER);
    const order = await scene.draft(basketId);
    const { status, body } = await confirmFor(scene, reservationId, orderId);
    expect([status, body.errors[0].detail]).toEqual([422, expect.stringContaining(order.id)]);
    expect(await scene.object('reservation', reservationId)).toMatchObject({ state: 'requested', version: 1 });
    await scene.authorisation(order.id);
    expect((await scene.confirm(order.id)).body).toMatchObject({ state: 'confirmed', lines: [{ reservationId }] });
    await scene.verify();
  });

  test('keeps it for the order of the basket', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id, lines } = await scene.authorised(LAMP);
    const { reservationId } = lines[0];
    for (const _ of ['first', 'repeat']) {
      expect(await confirmFor(scene, reservationId, id)).toMatchObject({
        status: 200,
        body: { state: 'confirmed', orderId: id },
      });
    }
    expect((await scene.confirm(id)).body).toMatchObject({ state: 'confirmed', lines: [{ reservationId }] });
    await scene.verify();
  });

  test('at the till succeeds for its transaction alone', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id, lines, totals } = await scene.sale();
    const { reservationId } = lines[0];
    expect(refusal(await confirmFor(scene, reservationId, UNKNOWN))).toEqual(OTHER_ORDER);
    expect((await confirmFor(scene, reservationId, id)).body).toMatchObject({ state: 'confirmed', orderId: id });
    expect((await scene.pay(id, CASH, totals.total.amount)).body.transactionState).toBe('completed');
    await scene.verify();
  });

  test('without an order keeps it for the later order of the basket', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id: basketId, reservationId } = await scene.checkedOut(LAMP);
    await scene.api('confirm-reservation-api', { params: { id: reservationId } });
    const order = await scene.draft(basketId);
    await scene.authorisation(order.id);
    expect((await scene.confirm(order.id)).body).toMatchObject({ state: 'confirmed', lines: [{ reservationId }] });
    await scene.verify();
  });

  test('is refused while the state of the basket is unavailable', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id, lines } = await scene.draft();
    await scene.down({ api: 'get-basket' });
    expect((await confirmFor(scene, lines[0].reservationId, id)).status).toBe(503);
    expect((await scene.object('reservation', lines[0].reservationId)).state).toBe('requested');
  });
});

describe('Confirm Reservation by hand for a hold without a basket', () => {
  test('is refused for an order that has ended', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft();
    await scene.cancel(order.id);
    const { id } = await scene.api('reserve-inventory-api', { body: { items: [LAMP] } });
    const { status, body } = await confirmFor(scene, id, order.id);
    expect([status, body.code, body.objectType, body.id]).toEqual([409, 'invalid_state_transition', 'order', order.id]);
    expect((await scene.object('reservation', id)).state).toBe('requested');
    await scene.verify();
  });
});

describe('Reserve Inventory for a basket and an order', () => {
  test.each(foreign)('%s is refused in any state of the basket', async (_, given) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const orderId = await given(scene);
    const open = await scene.basket(LAMP);
    expect(refusal(await reserveFor(scene, open.id, orderId))).toEqual(OTHER_ORDER);
    const { id, reservationId } = await scene.checkedOut(LAMP);
    expect(refusal(await reserveFor(scene, id, orderId))).toEqual(OTHER_ORDER);
    const order = await scene.draft(id);
    expect(refusal(await reserveFor(scene, id, orderId))).toEqual(OTHER_ORDER);
    expect(await reserveFor(scene, id, order.id)).toMatchObject({ status: 200, body: { id: reservationId } });
    expect(await scene.reserved(LAMP.sku)).toBe(1);
    await scene.verify();
  });
});

describe('Allocate Inventory with the hold of a basket', () => {
  test.each(foreign)('is refused for an order %s', async (_, given) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const orderId = await given(scene);
    const [line] = orderId === UNKNOWN ? [{ lineId: 'line-1' }] : (await scene.order(orderId)).lines;
    const { reservationId } = await scene.checkedOut();
    const body = { orderId, orderLineId: line.lineId, sku: 'mug-blue', qty: 2, reservationId };
    const reply = await scene.call('allocate-inventory-api', { body });
    if (orderId === UNKNOWN) expect(reply).toMatchObject({ status: 404, body: { objectType: 'order', id: UNKNOWN } });
    else expect(refusal(reply)).toEqual([422, [['/reservationId', 'other_order']]]);
    await scene.verify();
  });

  test('answers it for a line of the order of the basket', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { id, lines } = await scene.draft();
    const [{ lineId, reservationId }] = lines;
    const body = { orderId: id, orderLineId: lineId, sku: 'mug-blue', qty: 2, reservationId };
    const reply = await scene.call('allocate-inventory-api', { body });
    expect([reply.status, reply.body.id]).toEqual([200, reservationId]);
  });
});
