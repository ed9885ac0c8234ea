import { describe, expect } from '@jest/globals';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { TTL } from '../support/steps/order.ts';
import { CASH } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const LAMP = { sku: 'lamp-last-one', qty: 1 };
const MUGS = { sku: 'mug-blue', qty: 2 };

interface Order {
  readonly id: string;
  readonly basketId?: string;
  readonly lines: readonly { readonly lineId: string; readonly sku: string; readonly qty: number; readonly reservationId?: string }[];
}

async function opened(progression: ProgressionInput = {}) {
  const rehearsal = await newRehearsal({ warehouse: 'manual', carrier: 'manual', ...progression });
  const { api, call, reserved } = rehearsal;
  return {
    ...rehearsal,
    /** Requests stock for the first line of an order. */
    allocate: ({ id, lines: [line] }: Order, more: object = {}) =>
      call('allocate-inventory-api', { body: { orderId: id, orderLineId: line?.lineId, sku: line?.sku, qty: line?.qty, ...more } }),
    /** Reserves a lamp for an order by hand, and confirms the reservation. */
    keptByHand: async (orderId: string) => {
      const { id } = await api('reserve-inventory-api', { body: { orderId, items: [LAMP] } });
      await api('confirm-reservation-api', { params: { id } });
    },
    /** Reserved mugs and lamps. */
    allReserved: async () => [await reserved(MUGS.sku), await reserved(LAMP.sku)],
  };
}
const test = testIn(opened);

describe('Allocate Inventory for a line of an order', () => {
  test.each(['draft', 'confirmed'] as const)(
    'Allocate Inventory answers the reservation of a %s order, and moves no stock',
    async (rehearsal, state) => {
      const order = await rehearsal[state]();
      for (const more of [{}, { qty: 1 }, { preferredLocations: ['store-01'] }]) {
        expect(await rehearsal.allocate(order, more)).toMatchObject({ status: 200, body: { id: order.lines[0].reservationId } });
      }
      expect(await rehearsal.reserved('mug-blue')).toBe(2);
      await rehearsal.cancel(order.id);
      expect(await rehearsal.reserved('mug-blue')).toBe(0);
    },
  );

  test('Allocate Inventory is refused once the goods have left', async (rehearsal) => {
    const order = await rehearsal.confirmed(LAMP);
    const parcel = await rehearsal.dispatched(await rehearsal.onlyFulfilment(order.id));
    const late = { code: 'invalid_state_transition', currentState: 'in-fulfilment' };
    expect(await rehearsal.allocate(order)).toMatchObject({ status: 409, body: late });
    await rehearsal.delivered(parcel);
    expect([(await rehearsal.order(order.id)).state, await rehearsal.reserved(LAMP.sku)]).toEqual(['completed', 0]);
  });

  test.each([
    ['the basket', LAMP, ({ basketId }: Order) => ({ basketId })],
    ['the basket', MUGS, ({ basketId }: Order) => ({ basketId })],
    ['the order', LAMP, ({ id }: Order) => ({ orderId: id, items: [LAMP] })],
  ])('Allocate Inventory answers a later reservation by a client for %s (%j)', async (rehearsal, _, goods, holder) => {
    const order = await rehearsal.authorised(goods);
    await rehearsal.advance(TTL);
    const { id } = await rehearsal.api('reserve-inventory-api', { body: holder(order) });
    expect(await rehearsal.allocate(order)).toMatchObject({ status: 200, body: { id } });
    expect(await rehearsal.reserved(goods.sku)).toBe(goods.qty);
    expect((await rehearsal.confirm(order.id)).body.state).toBe('confirmed');
    expect(await rehearsal.reserved(goods.sku)).toBe(goods.qty);
  });

  test('Allocate Inventory takes stock when a client reserved too few units for the order', async (rehearsal) => {
    const order = await rehearsal.draft();
    await rehearsal.advance(TTL);
    await rehearsal.api('reserve-inventory-api', { body: { orderId: order.id, items: [{ sku: 'mug-blue', qty: 1 }] } });
    expect(await rehearsal.allocate(order)).toMatchObject({ status: 201, body: { orderLineId: order.lines[0].lineId } });
  });

  test.each([undefined, 'nearest', 'most-stock'] as const)(
    'Allocated stock keeps its location when it is taken over (%s)',
    async (rehearsal, strategy) => {
      await rehearsal.progress({ route: 'manual' });
      const order = strategy ? await rehearsal.confirmed() : await rehearsal.authorised();
      await rehearsal.api('release-reservation-api', { params: { id: order.lines[0].reservationId } });
      expect((await rehearsal.allocate(order, { preferredLocations: ['store-02'] })).status).toBe(201);
      if (strategy) await rehearsal.api('route-order-api', { params: { id: order.id }, body: { strategy } });
      else await rehearsal.confirmed(order.id);
      expect((await rehearsal.order(order.id)).lines).toMatchObject([{ nodeId: 'store-02' }]);
      expect([(await rehearsal.stockAt('mug-blue', 'store-02')).reserved, await rehearsal.reserved('mug-blue')]).toEqual([2, 2]);
    },
  );

  test.each([
    ['/sku', 'differs_from_line', { sku: 'mug-green' }],
    ['/qty', 'exceeds_line', { qty: 3 }],
  ])('Allocate Inventory refuses a value of %s that does not fit the line: %s', async (rehearsal, pointer, code, more) => {
    const refused = await rehearsal.allocate(await rehearsal.draft(), more);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
    expect([await rehearsal.reserved('mug-blue'), await rehearsal.reserved('mug-green')]).toEqual([2, 0]);
  });

  test('Allocate Inventory for a sale answers the reservation of the till and refuses any other', async (rehearsal) => {
    const sale = await rehearsal.sale();
    const reserved = { id: sale.lines[0].reservationId, locationId: 'store-01' };
    expect(await rehearsal.allocate(sale)).toMatchObject({ status: 200, body: reserved });
    const unreserved = await rehearsal.sale({ lines: [LAMP] });
    const { status, body } = await rehearsal.allocate(unreserved);
    expect([status, body.skus]).toEqual([409, [{ sku: LAMP.sku, requested: 1, available: 0 }]]);
    await rehearsal.pay(sale.id, CASH, sale.totals.total.amount);
    await rehearsal.voidSale(unreserved.id);
    expect((await rehearsal.stockAt('mug-blue')).reserved).toBe(0);
  });
});

type Orders = Awaited<ReturnType<typeof opened>>;

describe('All stock reserved for an order is released', () => {
  /** A draft with an expired reservation, and with stock allocated to its line by hand. */
  const allocated = async (rehearsal: Orders): Promise<string> => {
    const order = await rehearsal.draft();
    await rehearsal.advance(TTL);
    expect((await rehearsal.allocate(order)).status).toBe(201);
    await rehearsal.keptByHand(order.id);
    return order.id;
  };
  const sent = async (rehearsal: Orders, arrives: (parcel: string) => Promise<void>) => {
    const { id } = await rehearsal.confirmed();
    await rehearsal.keptByHand(id);
    await arrives(await rehearsal.dispatched(await rehearsal.onlyFulfilment(id)));
  };
  const sold = async (rehearsal: Orders, ends: (id: string) => Promise<unknown>) => {
    const { id } = await rehearsal.sale();
    await rehearsal.keptByHand(id);
    await ends(id);
  };

  test.each<[string, (rehearsal: Orders) => Promise<unknown>]>([
    ['An order is cancelled', async (rehearsal) => rehearsal.cancel(await allocated(rehearsal))],
    ['A draft expires', async (rehearsal) => rehearsal.advance((await allocated(rehearsal)) && 'P1D')],
    ['An order is delivered', (rehearsal) => sent(rehearsal, rehearsal.delivered)],
    ['The parcel of an order is lost', (rehearsal) => sent(rehearsal, rehearsal.lost)],
    ['A sale is paid', (rehearsal) => sold(rehearsal, (id) => rehearsal.pay(id, CASH, 2598))],
    ['A sale is voided', (rehearsal) => sold(rehearsal, (id) => rehearsal.voidSale(id))],
  ])('%s, and stock that was reserved for it by hand is released', async (rehearsal, _, ends) => {
    await ends(rehearsal);
    expect(await rehearsal.allReserved()).toEqual([0, 0]);
  });

  test('A release with lost answers is retried even after a return has begun', async (rehearsal) => {
    await rehearsal.progress({ returns: 'manual' });
    await rehearsal.fault('lost', { match: { api: 'release-holds' }, fault: { kind: 'lost-response' } });
    const sale = await rehearsal.sale();
    await rehearsal.pay(sale.id, CASH, 2598);
    await rehearsal.announced(await rehearsal.order(sale.id), 1);
    await rehearsal.noFaults();
    await rehearsal.advance('P8D');
  });
});

describe('Stock for an order that has ended', () => {
  const ended: Readonly<Record<string, (rehearsal: TestRehearsal) => Promise<Order>>> = {
    cancelled: async (rehearsal) => {
      const order = await rehearsal.draft();
      await rehearsal.cancel(order.id);
      return order;
    },
    completed: async (rehearsal) => rehearsal.completed(),
    'carried out': async (rehearsal) => {
      const sale = await rehearsal.sale();
      await rehearsal.pay(sale.id, CASH, sale.totals.total.amount);
      return sale;
    },
    'voided at the till': async (rehearsal) => {
      const sale = await rehearsal.sale();
      await rehearsal.voidSale(sale.id);
      return sale;
    },
  };

  test.each(Object.entries(ended))(
    'Nothing can be allocated, reserved or confirmed for an order that was %s',
    async (rehearsal, _, given) => {
      const order = await given(rehearsal);
      const { id } = await rehearsal.api('reserve-inventory-api', { body: { items: [MUGS] } });
      const replies = [
        await rehearsal.allocate(order),
        await rehearsal.allocate(order, { reservationId: id }),
        await rehearsal.call('reserve-inventory-api', { body: { orderId: order.id, items: [LAMP] } }),
        await rehearsal.call('confirm-reservation-api', { params: { id }, body: { orderId: order.id } }),
      ];
      const refused = { code: 'invalid_state_transition', objectType: 'order', id: order.id };
      for (const reply of replies) expect(reply).toMatchObject({ status: 409, body: refused });
      expect(await rehearsal.allReserved()).toEqual([2, 0]);
    },
  );

  test('The stock of an allocation is released when its order is cancelled before the allocation is recorded', async (rehearsal) => {
    const order = await rehearsal.draft(LAMP);
    await rehearsal.advance(TTL);
    await rehearsal.fault('slow', { match: { api: 'record-reservation' }, fault: { kind: 'latency', ms: 1_000 }, times: 1 });
    const allocating = rehearsal.allocate(order);
    await eventually('the stock is taken', async () => (await rehearsal.reserved(LAMP.sku)) === 1);
    await rehearsal.cancel(order.id);
    expect(await allocating).toMatchObject({ status: 409, body: { code: 'invalid_state_transition' } });
    expect(await rehearsal.reserved(LAMP.sku)).toBe(0);
  });

  test('The stock of an allocation is released when recording it fails and the order is cancelled', async (rehearsal) => {
    const order = await rehearsal.draft(LAMP);
    await rehearsal.advance(TTL);
    await rehearsal.fault('broken', { match: { api: 'record-reservation' }, fault: { kind: 'status', status: 500 }, times: 2 });
    expect((await rehearsal.allocate(order)).status).toBe(502);
    await rehearsal.cancel(order.id);
    await rehearsal.advance('PT10M');
    expect(await rehearsal.reserved(LAMP.sku)).toBe(0);
  });
});
