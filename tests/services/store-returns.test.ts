import { describe, expect, test } from '@jest/globals';
import { returning } from './return-scenes.ts';
import { begin, CASH, pay } from './till-scenes.ts';

const linesOf = (order: { lines: { lineId: string }[] }) => [{ orderLineId: order.lines[0]?.lineId, qty: 1, reason: 'too small' }];

describe('A return to a store', () => {
  test('of a web order without a store is refused and books nothing', async () => {
    await using scene = await returning();
    const order = await scene.completed();
    const body = { orderId: order.id, lines: linesOf(order) };
    for (const asked of [body, { ...body, dropOff: 'store' }]) {
      const refused = await scene.ask(asked);
      expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed']);
      expect(refused.body.errors).toEqual([{ pointer: '/locationId', code: 'store_required', detail: expect.any(String) }]);
    }
    expect((await scene.order(order.id)).state).toBe('completed');
    expect((await scene.ask({ ...body, locationId: 'store-02' })).body).toMatchObject({ state: 'requested', locationId: 'store-02' });
    await scene.rehearsal.verify();
  });

  test('that names a warehouse is refused', async () => {
    await using scene = await returning();
    const order = await scene.completed();
    const refused = await scene.ask({ orderId: order.id, lines: linesOf(order), locationId: 'dc-01' });
    expect([refused.status, refused.body.errors?.[0]]).toEqual([
      422,
      { pointer: '/locationId', code: 'not_a_store', detail: expect.stringContaining('store-01') },
    ]);
    expect((await scene.order(order.id)).state).toBe('completed');
  });

  test('of goods sold at a till goes to the store of the till by default', async () => {
    await using scene = await returning();
    const sale = await begin(scene.rehearsal);
    await pay(scene.rehearsal, sale.id, CASH, 2598);
    await scene.settle();
    const order = await scene.order(sale.id);
    const body = { orderId: order.id, lines: linesOf(order) };
    expect((await scene.ask(body)).body.locationId).toBe('store-01');
    expect((await scene.ask({ ...body, locationId: 'store-03' })).body.locationId).toBe('store-03');
  });

  test('is not assumed for a pick-up by a carrier: the goods go to the warehouse that sent them', async () => {
    await using scene = await returning();
    const order = await scene.completed();
    const { body } = await scene.ask({ orderId: order.id, lines: linesOf(order), dropOff: 'carrier' });
    expect(body).toMatchObject({ state: 'requested', locationId: order.lines[0].nodeId });
    const elsewhere = await scene.ask({ orderId: order.id, lines: linesOf(order), dropOff: 'carrier', locationId: 'dc-02' });
    expect(elsewhere.body.locationId).toBe('dc-02');
  });
});
