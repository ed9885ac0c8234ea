import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { TTL } from '../support/steps/order.ts';
import { CASH } from '../support/steps/tender.ts';

const LAMP = { sku: 'lamp-last-one', qty: 1 };

interface Order {
  readonly id: string;
  readonly basketId?: string;
  readonly lines: readonly { readonly lineId: string; readonly sku: string; readonly qty: number; readonly reservationId?: string }[];
}

const allocate = (rehearsal: TestRehearsal, { id, lines }: Order, more: object = {}) => {
  const [line] = lines;
  const body = { orderId: id, orderLineId: line?.lineId, sku: line?.sku, qty: line?.qty, ...more };
  return rehearsal.call('allocate-inventory-api', { body });
};

/** Confirmed stock that a client holds for an order by hand. */
async function keptByHand(rehearsal: TestRehearsal, orderId: string): Promise<string> {
  const { id } = await rehearsal.api('reserve-inventory-api', { body: { orderId, items: [LAMP] } });
  await rehearsal.api('confirm-reservation-api', { params: { id } });
  return id;
}

describe('Allocate Inventory for a line of an order', () => {
  test.each(['draft', 'confirmed'])('for a %s order answers the hold of the order, and no stock moves', async (state) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = state === 'draft' ? await scene.draft() : await scene.confirmed();
    const { reservationId } = order.lines[0];
    for (const more of [{}, { qty: 1 }, { preferredLocations: ['store-01'] }]) {
      const { status, body } = await allocate(scene, order, more);
      expect([status, body.id]).toEqual([200, reservationId]);
    }
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.cancel(order.id);
    expect(await scene.reserved('mug-blue')).toBe(0);
    await scene.verify();
  });

  test('is refused once the goods have left, and their hold ends with the delivery', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [LAMP] });
    expect((await allocate(scene, order)).status).toBe(200);
    const parcel = await scene.dispatched(await scene.onlyFulfilment(order.id));
    const late = await allocate(scene, order);
    expect([late.status, late.body.code, late.body.currentState]).toEqual([409, 'invalid_state_transition', 'in-fulfilment']);
    await scene.delivered(parcel);
    expect((await scene.order(order.id)).state).toBe('completed');
    expect(await scene.reserved('lamp-last-one')).toBe(0);
    await scene.verify();
  });

  test('after the hold expired holds the stock, and the confirmation takes it over', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.authorised(LAMP);
    await scene.advance(TTL);
    const { status, body } = await allocate(scene, order);
    expect([status, body.state]).toEqual([201, 'confirmed']);
    expect((await scene.confirm(order.id)).body.state).toBe('confirmed');
    expect((await scene.object('reservation', body.id)).state).toBe('released');
    expect(await scene.reserved('lamp-last-one')).toBe(1);
    await scene.verify();
  });

  test('after the hold was released holds the stock, and the routing by hand takes it over', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', route: 'manual' });
    const order = await scene.confirmed({ lines: [LAMP, { sku: 'mug-blue', qty: 2 }] });
    await scene.api('release-reservation-api', { params: { id: order.lines[0].reservationId } });
    const { status, body } = await allocate(scene, order);
    expect([status, body.state]).toEqual([201, 'confirmed']);
    await scene.api('route-order-api', { params: { id: order.id } });
    expect((await scene.object('reservation', body.id)).state).toBe('released');
    expect([await scene.reserved('lamp-last-one'), await scene.reserved('mug-blue')]).toEqual([1, 2]);
    await scene.verify();
  });

  test.each([
    ['its basket', LAMP, ({ basketId }: Order) => ({ basketId })],
    ['its basket', { sku: 'mug-blue', qty: 2 }, ({ basketId }: Order) => ({ basketId })],
    ['the order', LAMP, ({ id }: Order) => ({ orderId: id, items: [LAMP] })],
  ])('answers the hold that a client took for %s after the first one expired', async (_, goods, holder) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.authorised(goods);
    await scene.advance(TTL);
    const { id } = await scene.api('reserve-inventory-api', { body: holder(order) });
    const { status, body } = await allocate(scene, order);
    expect([status, body.id]).toEqual([200, id]);
    expect(await scene.reserved(goods.sku)).toBe(goods.qty);
    expect((await scene.confirm(order.id)).body.state).toBe('confirmed');
    expect(await scene.reserved(goods.sku)).toBe(goods.qty);
    await scene.verify();
  });

  test('holds the stock when a client holds too few units for the order', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft();
    await scene.advance(TTL);
    await scene.api('reserve-inventory-api', { body: { orderId: order.id, items: [{ sku: 'mug-blue', qty: 1 }] } });
    const { status, body } = await allocate(scene, order);
    expect([status, body.orderLineId]).toEqual([201, order.lines[0].lineId]);
    await scene.verify();
  });

  test('keeps its location when the confirmation takes the stock over', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.authorised({ sku: 'mug-blue', qty: 2 });
    await scene.advance(TTL);
    expect((await allocate(scene, order, { preferredLocations: ['store-02'] })).status).toBe(201);
    expect((await scene.confirm(order.id)).body.lines).toMatchObject([{ nodeId: 'store-02' }]);
    expect(await scene.stockAt('mug-blue', 'store-02')).toMatchObject({ reserved: 2 });
    expect(await scene.reserved('mug-blue')).toBe(2);
    await scene.verify();
  });

  test.each(['nearest', 'most-stock'] as const)(
    'keeps its location when the routing takes the stock over, with strategy %s',
    async (strategy) => {
      await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', route: 'manual' });
      const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 2 }] });
      await scene.api('release-reservation-api', { params: { id: order.lines[0].reservationId } });
      expect((await allocate(scene, order, { preferredLocations: ['store-02'] })).status).toBe(201);
      const { items } = await scene.api('route-order-api', { params: { id: order.id }, body: { strategy } });
      expect(items).toMatchObject([{ locationId: 'store-02' }]);
      await scene.verify();
    },
  );

  test.each([
    ['with an unknown line', { orderLineId: 'line_none' }, '/orderLineId', 'unknown_line'],
    ['with another SKU', { sku: 'mug-green' }, '/sku', 'differs_from_line'],
    ['with more than the line needs', { qty: 3 }, '/qty', 'exceeds_line'],
  ])('%s is refused', async (_, more, pointer, code) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const { status, body } = await allocate(scene, await scene.draft(), more);
    expect([status, body.errors[0].pointer, body.errors[0].code]).toEqual([422, pointer, code]);
    expect([await scene.reserved('mug-blue'), await scene.reserved('mug-green')]).toEqual([2, 0]);
  });

  test('is refused while the OMS is down', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft();
    await scene.down({ api: 'get-order-stock' });
    expect((await allocate(scene, order)).status).toBe(503);
    expect(await scene.reserved('mug-blue')).toBe(2);
  });

  test('of a till answers the hold of the till and refuses any other', async () => {
    await using rehearsal = await newRehearsal();
    const sale = await rehearsal.sale();
    const { status, body } = await allocate(rehearsal, sale);
    expect([status, body.id, body.locationId]).toEqual([200, sale.lines[0].reservationId, 'store-01']);
    const unheld = await rehearsal.sale({ lines: [LAMP] });
    const refused = await allocate(rehearsal, unheld);
    expect([refused.status, refused.body.skus]).toEqual([409, [{ sku: LAMP.sku, requested: 1, available: 0 }]]);
    await rehearsal.pay(sale.id, CASH, sale.totals.total.amount);
    await rehearsal.voidSale(unheld.id);
    expect((await rehearsal.stockAt('mug-blue')).reserved).toBe(0);
    await rehearsal.verify();
  });
});

describe('All stock held for an order is released', () => {
  /** A draft with an expired hold, and with stock allocated to its line by hand. */
  const allocated = async (scene: TestRehearsal): Promise<Order> => {
    const order = await scene.draft();
    await scene.advance(TTL);
    expect((await allocate(scene, order)).status).toBe(201);
    return order;
  };

  test('when it is cancelled', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await allocated(scene);
    await keptByHand(scene, order.id);
    const { body } = await scene.cancel(order.id);
    expect([body.state, body.compensation]).toEqual(['cancelled', undefined]);
    expect([await scene.reserved('mug-blue'), await scene.reserved('lamp-last-one')]).toEqual([0, 0]);
    await scene.verify();
  });

  test('when it expires', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await allocated(scene);
    await keptByHand(scene, order.id);
    await scene.advance('P1D');
    expect((await scene.order(order.id)).state).toBe('cancelled');
    expect([await scene.reserved('mug-blue'), await scene.reserved('lamp-last-one')]).toEqual([0, 0]);
    await scene.verify();
  });

  test('when it is delivered', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 2 }] });
    await keptByHand(scene, order.id);
    await scene.delivered(await scene.dispatched(await scene.onlyFulfilment(order.id)));
    expect((await scene.order(order.id)).state).toBe('completed');
    expect([await scene.reserved('mug-blue'), await scene.reserved('lamp-last-one')]).toEqual([0, 0]);
    await scene.verify();
  });

  test('when none of its units arrived', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 2 }] });
    await keptByHand(scene, order.id);
    await scene.lost(await scene.dispatched(await scene.onlyFulfilment(order.id)));
    expect((await scene.order(order.id)).state).toBe('cancelled');
    expect(await scene.reserved('lamp-last-one')).toBe(0);
    await scene.verify();
  });

  test.each(['paid', 'voided'])('when it is an order of a till and %s', async (how) => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const sale = await scene.sale();
    await keptByHand(scene, sale.id);
    if (how === 'paid') await scene.pay(sale.id, CASH, sale.totals.total.amount);
    else await scene.voidSale(sale.id);
    expect([await scene.reserved('mug-blue'), await scene.reserved('lamp-last-one')]).toEqual([0, 0]);
    await scene.verify();
  });

  test('later when the SIM is down', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft();
    await scene.down({ api: 'release-holds' });
    expect((await scene.cancel(order.id)).body.compensation).toBe('pending');
    await scene.verify();
    await scene.noFaults();
    await scene.advance('PT10M');
    expect(await scene.reserved('mug-blue')).toBe(0);
    expect((await scene.order(order.id)).compensation).toBeUndefined();
    await scene.verify();
  });
});

describe('For an order that was', () => {
  const ended: readonly (readonly [how: string, given: (scene: TestRehearsal) => Promise<Order>])[] = [
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
        const order = await scene.confirmed();
        await scene.delivered(await scene.dispatched(await scene.onlyFulfilment(order.id)));
        return order;
      },
    ],
    [
      'carried out',
      async (rehearsal) => {
        const sale = await rehearsal.sale();
        await rehearsal.pay(sale.id, CASH, sale.totals.total.amount);
        return sale;
      },
    ],
    [
      'voided at the till',
      async (rehearsal) => {
        const sale = await rehearsal.sale();
        await rehearsal.voidSale(sale.id);
        return sale;
      },
    ],
  ];

  test.each(ended)('%s, nothing can be allocated or reserved', async (_, given) => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await given(scene);
    const { id } = await scene.api('reserve-inventory-api', {
      body: { items: order.lines.map(({ sku, qty }) => ({ sku, qty })) },
    });
    const replies = [
      await allocate(scene, order),
      await allocate(scene, order, { reservationId: id }),
      await scene.call('reserve-inventory-api', { body: { orderId: order.id, items: [LAMP] } }),
    ];
    for (const { status, body } of replies) {
      expect([status, body.code, body.objectType, body.id]).toEqual([409, 'invalid_state_transition', 'order', order.id]);
    }
    expect([await scene.reserved('mug-blue'), await scene.reserved('lamp-last-one')]).toEqual([2, 0]);
    await scene.verify();
  });

  test('cancelled during an allocation, the stock is given back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft(LAMP);
    await scene.advance(TTL);
    await scene.fault('slow', { match: { api: 'record-reservation' }, fault: { kind: 'latency', ms: 1_000 }, times: 1 });
    const allocating = allocate(scene, order);
    await eventually('the stock is taken', async () => (await scene.reserved('lamp-last-one')) === 1);
    await scene.cancel(order.id);
    const { status, body } = await allocating;
    expect([status, body.code]).toEqual([409, 'invalid_state_transition']);
    expect(await scene.reserved('lamp-last-one')).toBe(0);
    await scene.verify();
  });

  test('cancelled while an allocation is recorded, the stock is given back', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual' });
    const order = await scene.draft(LAMP);
    await scene.advance(TTL);
    await scene.fault('broken', { match: { api: 'record-reservation' }, fault: { kind: 'status', status: 500 }, times: 2 });
    expect((await allocate(scene, order)).status).toBe(502);
    await scene.cancel(order.id);
    await scene.advance('PT10M');
    expect(await scene.reserved('lamp-last-one')).toBe(0);
    await scene.verify();
  });
});
