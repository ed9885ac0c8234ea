import { expect, test } from '@jest/globals';
import { byHand } from '../support/steps/by-hand.ts';
import { CASH } from '../support/steps/tender.ts';

/** A completed order of the web or of a till, and the announcement of a return of one unit. */
async function bought(where: 'web' | 'till') {
  const rehearsal = await byHand();
  const sold = async () => {
    const { id } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, 2598);
    await rehearsal.settle();
    return rehearsal.order(id);
  };
  const order = where === 'web' ? await rehearsal.completed() : await sold();
  const lines = [{ orderLineId: order.lines[0].lineId, qty: 1, reason: 'too small' }];
  return { ...rehearsal, bought: order, ask: (more: object = {}) => rehearsal.announce({ orderId: order.id, lines, ...more }) };
}

test('Create Return of a web order with the shortest body has a carrier collect the goods', async () => {
  await using rehearsal = await bought('web');
  const { status, body } = await rehearsal.ask();
  const { nodeId } = rehearsal.bought.lines[0];
  expect([status, body]).toMatchObject([201, { state: 'requested', dropOff: 'carrier', locationId: nodeId }]);
  await rehearsal.moved(body.id, 'approve');
  expect(await rehearsal.object('return', body.id)).toMatchObject({ state: 'approved', shipments: [{ labelStatus: 'ready' }] });
  await rehearsal.verify();
});

test.each([
  ['web', { locationId: 'store-02' }, { locationId: 'store-02', dropOff: 'store' }],
  ['web', { locationId: 'dc-02' }, { locationId: 'dc-02', dropOff: 'carrier' }],
  ['web', { dropOff: 'carrier' }, { locationId: 'dc-01', dropOff: 'carrier' }],
  ['till', {}, { locationId: 'store-01', dropOff: 'store' }],
  ['till', { locationId: 'store-03' }, { locationId: 'store-03', dropOff: 'store' }],
] as const)('Create Return of an order of the %s with %j goes to %j', async (where, more, expected) => {
  await using rehearsal = await bought(where);
  expect(await rehearsal.ask(more)).toMatchObject({ status: 201, body: expected });
});

test.each([
  ['web', { dropOff: 'store' }, 'store_required', 'Name store-01, store-02 or store-03 in locationId, or send dropOff "carrier"'],
  ['web', { dropOff: 'store', locationId: 'dc-01' }, 'not_a_store', 'Goods are handed in at a store: store-01, store-02 or store-03.'],
  ['till', { locationId: 'dc-01' }, 'not_a_store', 'no address where a carrier could collect'],
  ['till', { dropOff: 'carrier' }, 'no_address', ''],
] as const)('Create Return of an order of the %s with %j is refused (%s), and books nothing', async (where, more, code, detail) => {
  await using rehearsal = await bought(where);
  const { status, body } = await rehearsal.ask(more);
  expect([status, body.code]).toEqual([422, 'validation_failed']);
  expect(body.errors).toEqual([
    { pointer: code === 'no_address' ? '/dropOff' : '/locationId', code, detail: expect.stringContaining(detail) },
  ]);
  expect((await rehearsal.order(rehearsal.bought.id)).state).toBe('completed');
  await rehearsal.verify();
});
