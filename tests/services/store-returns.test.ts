import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { CASH } from '../support/steps/tender.ts';

const linesOf = (order: { lines: { lineId: string }[] }) => [{ orderLineId: order.lines[0]?.lineId, qty: 1, reason: 'too small' }];

describe('A return to a store', () => {
  test('Create Return of a web order with the shortest body has a carrier collect the goods', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { status, body } = await scene.announce({ orderId: order.id, lines: linesOf(order) });
    expect([status, body]).toMatchObject([201, { state: 'requested', dropOff: 'carrier', locationId: order.lines[0].nodeId }]);
    await scene.moved(body.id, 'approve');
    expect(await scene.object('return', body.id)).toMatchObject({ state: 'approved', shipments: [{ labelStatus: 'ready' }] });
    await scene.verify();
  });

  test.each([
    ['store-02', 'store'],
    ['dc-02', 'carrier'],
  ])('Create Return of a web order that names %s and no way back is by %s', async (locationId, dropOff) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { status, body } = await scene.announce({ orderId: order.id, lines: linesOf(order), locationId });
    expect([status, body]).toMatchObject([201, { locationId, dropOff }]);
  });

  test('of a web order without a store is refused with both ways and the stores, and books nothing', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const body = { orderId: order.id, lines: linesOf(order), dropOff: 'store' };
    const refused = await scene.announce(body);
    const detail = `No store sold the order "${order.id}", so its return must name the store that takes the goods back. Name store-01, store-02 or store-03 in locationId, or send dropOff "carrier": the carrier collects at the address of the order.`;
    expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
    expect(refused.body.errors).toEqual([{ pointer: '/locationId', code: 'store_required', detail }]);
    expect((await scene.order(order.id)).state).toBe('completed');
    expect((await scene.announce({ ...body, locationId: 'store-02' })).body).toMatchObject({ state: 'requested', locationId: 'store-02' });
    await scene.verify();
  });

  test('that names a warehouse is refused', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const refused = await scene.announce({ orderId: order.id, lines: linesOf(order), dropOff: 'store', locationId: 'dc-01' });
    expect([refused.status, refused.body.errors?.[0]]).toEqual([
      422,
      {
        pointer: '/locationId',
        code: 'not_a_store',
        detail: '"dc-01" is not a store. Goods are handed in at a store: store-01, store-02 or store-03.',
      },
    ]);
    expect((await scene.order(order.id)).state).toBe('completed');
  });

  test('of goods sold at a till that names a warehouse is refused with the stores', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const sale = await scene.sale();
    await scene.pay(sale.id, CASH, 2598);
    await scene.settle();
    const order = await scene.order(sale.id);
    const refused = await scene.announce({ orderId: order.id, lines: linesOf(order), locationId: 'dc-01' });
    expect([refused.status, refused.body.errors?.[0]]).toEqual([
      422,
      { pointer: '/locationId', code: 'not_a_store', detail: expect.stringContaining('no address where a carrier could collect') },
    ]);
    expect((await scene.announce({ orderId: order.id, lines: linesOf(order) })).body).toMatchObject({
      dropOff: 'store',
      locationId: 'store-01',
    });
  });

  test('of goods sold at a till goes to the store of the till by default', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const sale = await scene.sale();
    await scene.pay(sale.id, CASH, 2598);
    await scene.settle();
    const order = await scene.order(sale.id);
    const body = { orderId: order.id, lines: linesOf(order) };
    expect((await scene.announce(body)).body.locationId).toBe('store-01');
    expect((await scene.announce({ ...body, locationId: 'store-03' })).body.locationId).toBe('store-03');
  });

  test('is not assumed for a pick-up by a carrier: the goods go to the warehouse that sent them', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
    const order = await scene.completed();
    const { body } = await scene.announce({ orderId: order.id, lines: linesOf(order), dropOff: 'carrier' });
    expect(body).toMatchObject({ state: 'requested', locationId: order.lines[0].nodeId });
    const elsewhere = await scene.announce({ orderId: order.id, lines: linesOf(order), dropOff: 'carrier', locationId: 'dc-02' });
    expect(elsewhere.body.locationId).toBe('dc-02');
  });
});
