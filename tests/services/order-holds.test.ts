import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { fulfilling, onlyFulfilment } from './oms-fulfillment-scenes.ts';
import { ordering, TTL } from './oms-scenes.ts';
import { begin, CASH, pay, stockAt, voidIt } from './till-scenes.ts';

const RESERVATIONS = '/inventory/reservations';
const LAMP = { sku: 'lamp-last-one', qty: 1 };

interface Order {
  readonly id: string;
  readonly basketId?: string;
  readonly lines: readonly { readonly lineId: string; readonly sku: string; readonly qty: number; readonly reservationId?: string }[];
}

const allocate = (rehearsal: TestRehearsal, { id, lines }: Order, more: object = {}) => {
  const [line] = lines;
  const body = { orderId: id, orderLineId: line?.lineId, sku: line?.sku, qty: line?.qty, ...more };
  return rehearsal.call('POST', '/inventory/allocate', body);
};

/** Confirmed stock that a client holds for an order by hand. */
async function keptByHand(rehearsal: TestRehearsal, orderId: string): Promise<string> {
  const { id } = await rehearsal.ok('POST', RESERVATIONS, { orderId, items: [LAMP] });
  await rehearsal.ok('POST', `${RESERVATIONS}/${id}/confirm`, {});
  return id;
}

describe('Allocate Inventory for a line of an order', () => {
  test.each(['draft', 'confirmed'])('for a %s order answers the hold of the order, and no stock moves', async (state) => {
    await using scene = await ordering();
    const order = state === 'draft' ? await scene.draft() : await scene.confirmed();
    const { reservationId } = order.lines[0];
    for (const more of [{}, { qty: 1 }, { preferredLocations: ['store-01'] }]) {
      const { status, body } = await allocate(scene.rehearsal, order, more);
      expect([status, body.id]).toEqual([200, reservationId]);
    }
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.cancel(order.id);
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.rehearsal.verify();
  });

  test('is refused once the goods have left, and their hold ends with the delivery', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmedOf([LAMP]);
    expect((await allocate(scene.rehearsal, order)).status).toBe(200);
    const parcel = await scene.sent(await onlyFulfilment(scene, order.id));
    const late = await allocate(scene.rehearsal, order);
    expect([late.status, late.body.code, late.body.currentState]).toEqual([409, 'invalid_state_transition', 'in-fulfilment']);
    await scene.delivered(parcel);
    expect((await scene.order(order.id)).state).toBe('completed');
    expect(await scene.reserved('lamp-last-one')).toBe(0);
    await scene.rehearsal.verify();
  });

  test('after the hold expired holds the stock, and the confirmation takes it over', async () => {
    await using scene = await ordering();
    const { rehearsal } = scene;
    const order = await scene.paidDraft(LAMP);
    await rehearsal.advance(TTL);
    const { status, body } = await allocate(rehearsal, order);
    expect([status, body.state]).toEqual([201, 'confirmed']);
    expect((await scene.confirm(order.id)).body.state).toBe('confirmed');
    expect((await rehearsal.object('reservation', body.id)).state).toBe('released');
    expect(await scene.reserved('lamp-last-one')).toBe(1);
    await rehearsal.verify();
  });

  test('after the hold was released holds the stock, and the routing by hand takes it over', async () => {
    await using scene = await fulfilling({ route: 'manual' });
    const { rehearsal } = scene;
    const order = await scene.confirmedOf([LAMP, { sku: 'mug-blue', qty: 2 }]);
    await rehearsal.ok('DELETE', `${RESERVATIONS}/${order.lines[0].reservationId}`);
    const { status, body } = await allocate(rehearsal, order);
    expect([status, body.state]).toEqual([201, 'confirmed']);
    await rehearsal.ok('POST', `/orders/${order.id}/route`, {});
    expect((await rehearsal.object('reservation', body.id)).state).toBe('released');
    expect([await scene.reserved('lamp-last-one'), await scene.reserved('mug-blue')]).toEqual([1, 2]);
    await rehearsal.verify();
  });

  test.each([
    ['its basket', LAMP, ({ basketId }: Order) => ({ basketId })],
    ['its basket', { sku: 'mug-blue', qty: 2 }, ({ basketId }: Order) => ({ basketId })],
    ['the order', LAMP, ({ id }: Order) => ({ orderId: id, items: [LAMP] })],
  ])('answers the hold that a client took for %s after the first one expired', async (_, goods, holder) => {
    await using scene = await ordering();
    const { rehearsal } = scene;
    const order = await scene.paidDraft(goods);
    await rehearsal.advance(TTL);
    const { id } = await rehearsal.ok('POST', RESERVATIONS, holder(order));
    const { status, body } = await allocate(rehearsal, order);
    expect([status, body.id]).toEqual([200, id]);
    expect(await scene.reserved(goods.sku)).toBe(goods.qty);
    expect((await scene.confirm(order.id)).body.state).toBe('confirmed');
    expect(await scene.reserved(goods.sku)).toBe(goods.qty);
    await rehearsal.verify();
  });

  test('holds the stock when a client holds too few units for the order', async () => {
    await using scene = await ordering();
    const { rehearsal } = scene;
    const order = await scene.draft();
    await rehearsal.advance(TTL);
    await rehearsal.ok('POST', RESERVATIONS, { orderId: order.id, items: [{ sku: 'mug-blue', qty: 1 }] });
    const { status, body } = await allocate(rehearsal, order);
    expect([status, body.orderLineId]).toEqual([201, order.lines[0].lineId]);
    await rehearsal.verify();
  });

  test('keeps its location when the confirmation takes the stock over', async () => {
    await using scene = await ordering();
    const order = await scene.paidDraft({ sku: 'mug-blue', qty: 2 });
    await scene.rehearsal.advance(TTL);
    expect((await allocate(scene.rehearsal, order, { preferredLocations: ['store-02'] })).status).toBe(201);
    expect((await scene.confirm(order.id)).body.lines).toMatchObject([{ nodeId: 'store-02' }]);
    expect(await stockAt(scene.rehearsal, 'mug-blue', 'store-02')).toMatchObject({ reserved: 2 });
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.rehearsal.verify();
  });

  test.each(['nearest', 'most-stock'])('keeps its location when the routing takes the stock over, with strategy %s', async (strategy) => {
    await using scene = await fulfilling({ route: 'manual' });
    const { rehearsal } = scene;
    const order = await scene.confirmedOf([{ sku: 'mug-blue', qty: 2 }]);
    await rehearsal.ok('DELETE', `${RESERVATIONS}/${order.lines[0].reservationId}`);
    expect((await allocate(rehearsal, order, { preferredLocations: ['store-02'] })).status).toBe(201);
    const { items } = await rehearsal.ok('POST', `/orders/${order.id}/route`, { strategy });
    expect(items).toMatchObject([{ locationId: 'store-02' }]);
    await rehearsal.verify();
  });

  test.each([
    ['with an unknown line', { orderLineId: 'line_none' }, '/orderLineId', 'unknown_line'],
    ['with another SKU', { sku: 'mug-green' }, '/sku', 'differs_from_line'],
    ['with more than the line needs', { qty: 3 }, '/qty', 'exceeds_line'],
  ])('%s is refused', async (_, more, pointer, code) => {
    await using scene = await ordering();
    const { status, body } = await allocate(scene.rehearsal, await scene.draft(), more);
    expect([status, body.errors[0].pointer, body.errors[0].code]).toEqual([422, pointer, code]);
    expect([await scene.reserved('mug-blue'), await scene.reserved('mug-green')]).toEqual([2, 0]);
  });

  test('is refused while the OMS is down', async () => {
    await using scene = await ordering();
    const order = await scene.draft();
    await scene.rehearsal.fault('down', { match: { api: 'get-order-stock' }, fault: { kind: 'outage' } });
    expect((await allocate(scene.rehearsal, order)).status).toBe(503);
    expect(await scene.reserved('mug-blue')).toBe(2);
  });

  test('of a till answers the hold of the till and refuses any other', async () => {
    await using rehearsal = await newRehearsal();
    const sale = await begin(rehearsal);
    const { status, body } = await allocate(rehearsal, sale);
    expect([status, body.id, body.locationId]).toEqual([200, sale.lines[0].reservationId, 'store-01']);
    const unheld = await begin(rehearsal, { lines: [LAMP] });
    const refused = await allocate(rehearsal, unheld);
    expect([refused.status, refused.body.skus]).toEqual([409, [{ sku: LAMP.sku, requested: 1, available: 0 }]]);
    await pay(rehearsal, sale.id, CASH, sale.totals.total.amount);
    await voidIt(rehearsal, unheld.id);
    expect((await stockAt(rehearsal, 'mug-blue')).reserved).toBe(0);
    await rehearsal.verify();
  });
});

describe('All stock held for an order is released', () => {
  /** A draft with an expired hold, and with stock allocated to its line by hand. */
  const allocated = async (scene: Awaited<ReturnType<typeof ordering>>): Promise<Order> => {
    const order = await scene.draft();
    await scene.rehearsal.advance(TTL);
    expect((await allocate(scene.rehearsal, order)).status).toBe(201);
    return order;
  };

  test('when it is cancelled', async () => {
    await using scene = await ordering();
    const order = await allocated(scene);
    await keptByHand(scene.rehearsal, order.id);
    const { body } = await scene.cancel(order.id);
    expect([body.state, body.compensation]).toEqual(['cancelled', undefined]);
    expect([await scene.reserved('mug-blue'), await scene.reserved('lamp-last-one')]).toEqual([0, 0]);
    await scene.rehearsal.verify();
  });

  test('when it expires', async () => {
    await using scene = await ordering();
    const order = await allocated(scene);
    await keptByHand(scene.rehearsal, order.id);
    await scene.rehearsal.advance('P1D');
    expect((await scene.order(order.id)).state).toBe('cancelled');
    expect([await scene.reserved('mug-blue'), await scene.reserved('lamp-last-one')]).toEqual([0, 0]);
    await scene.rehearsal.verify();
  });

  test('when it is delivered', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmedOf([{ sku: 'mug-blue', qty: 2 }]);
    await keptByHand(scene.rehearsal, order.id);
    await scene.delivered(await scene.sent(await onlyFulfilment(scene, order.id)));
    expect((await scene.order(order.id)).state).toBe('completed');
    expect([await scene.reserved('mug-blue'), await scene.reserved('lamp-last-one')]).toEqual([0, 0]);
    await scene.rehearsal.verify();
  });

  test('when none of its units arrived', async () => {
    await using scene = await fulfilling();
    const order = await scene.confirmedOf([{ sku: 'mug-blue', qty: 2 }]);
    await keptByHand(scene.rehearsal, order.id);
    await scene.lost(await scene.sent(await onlyFulfilment(scene, order.id)));
    expect((await scene.order(order.id)).state).toBe('cancelled');
    expect(await scene.reserved('lamp-last-one')).toBe(0);
    await scene.rehearsal.verify();
  });

  test.each(['paid', 'voided'])('when it is an order of a till and %s', async (how) => {
    await using scene = await ordering();
    const sale = await begin(scene.rehearsal);
    await keptByHand(scene.rehearsal, sale.id);
    if (how === 'paid') await pay(scene.rehearsal, sale.id, CASH, sale.totals.total.amount);
    else await voidIt(scene.rehearsal, sale.id);
    expect([await scene.reserved('mug-blue'), await scene.reserved('lamp-last-one')]).toEqual([0, 0]);
    await scene.rehearsal.verify();
  });

  test('later when the SIM is down', async () => {
    await using scene = await ordering();
    const order = await scene.draft();
    await scene.rehearsal.fault('down', { match: { api: 'release-holds' }, fault: { kind: 'outage' } });
    expect((await scene.cancel(order.id)).body.compensation).toBe('pending');
    await scene.rehearsal.verify();
    await scene.rehearsal.noFaults();
    await scene.rehearsal.advance('PT10M');
    expect(await scene.reserved('mug-blue')).toBe(0);
    expect((await scene.order(order.id)).compensation).toBeUndefined();
    await scene.rehearsal.verify();
  });
});

describe('For an order that was', () => {
  const ended: readonly (readonly [how: string, given: (scene: Awaited<ReturnType<typeof fulfilling>>) => Promise<Order>])[] = [
    [
      'cancelled',
      async (scene) => {
        const order = await scene.draft();
        await scene.cancel(order.id);
        return order;
      },
    ],
    [
      'completed',
      async (scene) => {
        const order = await scene.confirmedOf([{ sku: 'mug-blue', qty: 2 }]);
        await scene.delivered(await scene.sent(await onlyFulfilment(scene, order.id)));
        return order;
      },
    ],
    [
      'carried out',
      async ({ rehearsal }) => {
        const sale = await begin(rehearsal);
        await pay(rehearsal, sale.id, CASH, sale.totals.total.amount);
        return sale;
      },
    ],
    [
      'voided at the till',
      async ({ rehearsal }) => {
        const sale = await begin(rehearsal);
        await voidIt(rehearsal, sale.id);
        return sale;
      },
    ],
  ];

  test.each(ended)('%s, nothing can be allocated or reserved', async (_, given) => {
    await using scene = await fulfilling();
    const order = await given(scene);
    const { id } = await scene.rehearsal.ok('POST', RESERVATIONS, { items: order.lines.map(({ sku, qty }) => ({ sku, qty })) });
    const replies = [
      await allocate(scene.rehearsal, order),
      await allocate(scene.rehearsal, order, { reservationId: id }),
      await scene.rehearsal.call('POST', RESERVATIONS, { orderId: order.id, items: [LAMP] }),
    ];
    for (const { status, body } of replies) {
      expect([status, body.code, body.objectType, body.id]).toEqual([409, 'invalid_state_transition', 'order', order.id]);
    }
    expect([await scene.reserved('mug-blue'), await scene.reserved('lamp-last-one')]).toEqual([2, 0]);
    await scene.rehearsal.verify();
  });

  test('cancelled during an allocation, the stock is given back', async () => {
    await using scene = await ordering();
    const { rehearsal } = scene;
    const order = await scene.draft(LAMP);
    await rehearsal.advance(TTL);
    await rehearsal.fault('slow', { match: { api: 'record-reservation' }, fault: { kind: 'latency', ms: 1_000 }, times: 1 });
    const allocating = allocate(rehearsal, order);
    await eventually('the stock is taken', async () => (await scene.reserved('lamp-last-one')) === 1);
    await scene.cancel(order.id);
    const { status, body } = await allocating;
    expect([status, body.code]).toEqual([409, 'invalid_state_transition']);
    expect(await scene.reserved('lamp-last-one')).toBe(0);
    await rehearsal.verify();
  });

  test('cancelled while an allocation is recorded, the stock is given back', async () => {
    await using scene = await ordering();
    const { rehearsal } = scene;
    const order = await scene.draft(LAMP);
    await rehearsal.advance(TTL);
    await rehearsal.fault('broken', { match: { api: 'record-reservation' }, fault: { kind: 'status', status: 500 }, times: 2 });
    expect((await allocate(rehearsal, order)).status).toBe(502);
    await scene.cancel(order.id);
    await rehearsal.advance('PT10M');
    expect(await scene.reserved('lamp-last-one')).toBe(0);
    await rehearsal.verify();
  });
});
