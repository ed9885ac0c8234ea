import { describe, expect } from '@jest/globals';
import { holds } from '../../services/inventory-service/collections.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import { basketAttempts, reservations } from '../../services/sim/collections.ts';
import * as sim from '../../services/sim/service.ts';
import { allocateInventory, confirmReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { moveHold, moveReservation, recordStockMovement } from '../../shared/catalog/inventory/internal.ts';
import { eventually } from '../support/eventually.ts';
import { startInside } from '../support/inside.ts';
import type { Line as Units } from '../support/steps/order.ts';
import { testIn } from '../support/test-in.ts';

const RESERVATIONS = '/inventory/reservations';
const MINUTE = 60_000;

type Line = Units & { readonly orderLineId?: string };

const mugs = (qty: number): Line => ({ sku: 'mug-blue', qty });
const LAMP: Line = { sku: 'lamp-last-one', qty: 1 };
const INVALID = { code: 'invalid_state_transition' };
const AWAY = { match: { api: 'move-hold' }, fault: { kind: 'outage' } } as const;

/** Stock operations of clients, the OMS and the FMS, and the counters. */
async function warehouse() {
  const inside = await startInside(sim, inventoryService);
  const reserve = (items: readonly Line[]) => inside.call('POST', RESERVATIONS, { items });
  const confirmedById = async (id: string): Promise<string> => {
    await inside.as('oms')(confirmReservation, { params: { id }, body: { orderId: 'ord_1' } });
    return id;
  };
  const reservedForBasket = async (qty: number, sku = 'mug-blue', orderId?: string): Promise<string> =>
    (await inside.as('ecommerce-platform')(reserveInventory, { body: { items: [{ sku, qty }], basketId: 'bsk_1', orderId } })).id;
  const balanced = async () => expect(await inside.violations()).toEqual([]);
  return {
    inside,
    reserve,
    /** On hand, reserved, and the units moved, by kind. */
    counters: async (sku = 'mug-blue', locationId = 'dc-01') => {
      const { onHand = 0, reserved = 0 } = await inside.counters('inventory-service', 'stock', `${sku}|${locationId}`);
      return { onHand, reserved, ...(await inside.counters('inventory-service', 'units-moved', `${sku}|${locationId}`)) };
    },
    reservedForBasket,
    confirmed: async (...items: readonly Line[]) => confirmedById((await reserve(items)).body.id),
    confirmedForBasket: async (qty: number, sku?: string) => confirmedById(await reservedForBasket(qty, sku)),
    release: (id: string) => inside.call('DELETE', `${RESERVATIONS}/${id}`),
    /** Moves units of a reservation: they leave (`consume`) or are missing (`short`). */
    move: (id: string, kind: 'consume' | 'short', reference: string, lines: readonly Line[], locationId = 'dc-01') =>
      inside.as('fms')(moveReservation, { params: { id }, body: { reference, kind, locationId, lines: [...lines] } }),
    record: (kind: 'restock' | 'scrap' | 'found', more: object = {}) =>
      inside.as('fms')(recordStockMovement, { body: { reference: 'ful_1', kind, locationId: 'dc-01', ...mugs(2), ...more } }),
    confirm: (id: string) => inside.call('POST', `${RESERVATIONS}/${id}/confirm`, {}),
    /** Every answer of this call is lost until the faults are removed. */
    lose: (api: 'take-hold' | 'move-hold') => inside.fault('lost', { match: { api }, fault: { kind: 'lost-response', as: 'timeout' } }),
    stateOf: async (id: string) => (await inside.stored('sim', reservations, id)).state,
    /** Ids of the reservations that have stock. */
    open: async () => {
      const ids = [...new Set((await inside.events()).map(({ data }) => data.object.id as string))];
      const all = await Promise.all(ids.map((id) => inside.stored('sim', reservations, id)));
      return all.flatMap(({ id, state }) => (state === 'requested' || state === 'confirmed' ? [id] : []));
    },
    balanced,
    /** Asserts that the counters balance now, while failed work is retried, and afterwards. */
    balancedToTheEnd: async () => {
      await balanced();
      await inside.advance(MINUTE);
      await balanced();
      await inside.noFaults();
      await inside.advance(40 * MINUTE);
      await balanced();
      expect(await inside.parked()).toEqual([]);
    },
    eventsOf: async (id: string) =>
      (await inside.events(`reservation/${id}`)).map(
        ({ type, data }) => `${type.replace('com.unified-commerce.', '')} ${data.previousState} → ${data.object.state}`,
      ),
    [Symbol.asyncDispose]: () => inside[Symbol.asyncDispose](),
  };
}
const test = testIn(warehouse);
type Stock = Awaited<ReturnType<typeof warehouse>>;

describe('Move Reservation', () => {
  test('Units leave in parts, and the reservation is fulfilled with the last unit', async (stock) => {
    const { confirmed, move, counters } = stock;
    const id = await confirmed(mugs(3));
    const allocations = [{ locationId: 'dc-01', sku: 'mug-blue', qty: 3, fulfilledQty: 2, cancelledQty: 0 }];
    expect(await move(id, 'consume', 'one', [mugs(2)])).toMatchObject({ state: 'confirmed', version: 3, allocations });
    expect(await counters()).toEqual({ onHand: 998, reserved: 1, shipped: 2 });
    expect(await move(id, 'consume', 'two', [mugs(1)])).toMatchObject({ state: 'fulfilled', version: 4 });
    expect(await counters()).toEqual({ onHand: 997, reserved: 0, shipped: 3 });
    const moves = ['requested → confirmed', 'confirmed → confirmed', 'confirmed → fulfilled'];
    expect((await stock.eventsOf(id)).slice(2)).toEqual(moves.map((one) => `ext.reservation-changed ${one}`));
  });

  test('Missing units are written off: without a unit left the reservation is cancelled, otherwise it can be fulfilled', async (stock) => {
    const { confirmed, move, counters } = stock;
    const allMissing = { state: 'cancelled', allocations: [{ qty: 2, fulfilledQty: 0, cancelledQty: 2 }] };
    expect(await move(await confirmed(mugs(2)), 'short', 'one', [mugs(2)])).toMatchObject(allMissing);
    expect(await counters()).toEqual({ onHand: 998, reserved: 0, writtenOff: 2 });
    const [level] = (await stock.inside.call('GET', '/inventory/items/mug-blue')).body.locations;
    expect(level).toMatchObject({ onHand: 998, reserved: 0, atp: 998 });
    const partly = await confirmed(mugs(3));
    expect((await move(partly, 'short', 'one', [mugs(1)])).state).toBe('confirmed');
    const someMissing = { state: 'fulfilled', allocations: [{ qty: 3, fulfilledQty: 2, cancelledQty: 1 }] };
    expect(await move(partly, 'consume', 'two', [mugs(2)])).toMatchObject(someMissing);
  });

  test('Units of several lines and locations move at their own location', async (stock) => {
    const { confirmed, move, counters } = stock;
    await stock.inside.call('POST', RESERVATIONS, { items: [mugs(990)], locationId: 'dc-01' });
    const id = await confirmed(mugs(20), LAMP);
    expect((await move(id, 'consume', 'one', [LAMP])).state).toBe('confirmed');
    expect((await move(id, 'consume', 'two', [mugs(12), mugs(8)], 'dc-02')).state).toBe('fulfilled');
    expect(await counters(LAMP.sku)).toEqual({ onHand: 0, reserved: 0, shipped: 1 });
    expect(await counters('mug-blue', 'dc-02')).toEqual({ onHand: 980, reserved: 0, shipped: 20 });
    expect(await counters()).toEqual({ onHand: 1000, reserved: 990 });
  });

  test('Units move once per reference, even after the reservation has ended and with other content', async (stock) => {
    const { confirmed, move } = stock;
    const id = await confirmed(mugs(3));
    const first = await move(id, 'consume', 'one', [mugs(2)]);
    expect(await move(id, 'consume', 'one', [mugs(2)])).toEqual(first);
    expect(await move(id, 'short', 'one', [mugs(1)])).toEqual(first);
    const ended = await move(id, 'short', 'two', [mugs(1)]);
    expect(ended.state).toBe('fulfilled');
    expect(await move(id, 'consume', 'one', [mugs(2)])).toEqual(ended);
    expect(await stock.counters()).toEqual({ onHand: 997, reserved: 0, shipped: 2, writtenOff: 1 });
    expect(await stock.eventsOf(id)).toHaveLength(5);
  });

  test('Units cannot move beyond their line, location, SKU or reserved quantity', async (stock) => {
    const { confirmed, move, inside } = stock;
    const id = await confirmed(mugs(3));
    for (const [lines, locationId, reason] of [
      [[mugs(4)], 'dc-01', 'holds 3 × mug-blue at dc-01 for this line, not 4'],
      [[mugs(2), mugs(2)], 'dc-01', 'holds 1 × mug-blue at dc-01 for this line, not 2'],
      [[mugs(1)], 'dc-02', 'holds 0 × mug-blue at dc-02 for this line, not 1'],
      [[{ sku: 'mug-green', qty: 1 }], 'dc-01', 'holds 0 × mug-green at dc-01 for this line, not 1'],
    ] as const) {
      const refused = { ...INVALID, message: expect.stringContaining(reason) };
      await expect(move(id, 'consume', 'one', lines, locationId)).rejects.toMatchObject(refused);
    }
    expect(await inside.stored('sim', reservations, id)).toMatchObject({ version: 2 });
    const allocated = await inside.as('fms')(allocateInventory, { body: { orderId: 'ord_lines', orderLineId: 'line-1', ...mugs(2) } });
    const otherLine = { ...INVALID, message: expect.stringContaining('holds 0 × mug-blue at dc-01 for this line, not 1') };
    await expect(move(allocated.id, 'consume', 'one', [{ ...mugs(1), orderLineId: 'line-2' }])).rejects.toMatchObject(otherLine);
    expect((await move(allocated.id, 'consume', 'one', [{ ...mugs(2), orderLineId: 'line-1' }])).state).toBe('fulfilled');
  });

  test('Units move only while the reservation is confirmed', async (stock) => {
    const { reserve, confirmed, release, move } = stock;
    const ids = { requested: (await reserve([mugs(1)])).body.id, released: '', fulfilled: '', cancelled: '' };
    for (const state of ['released', 'fulfilled', 'cancelled'] as const) ids[state] = await confirmed(mugs(1));
    await release(ids.released);
    await move(ids.fulfilled, 'consume', 'one', [mugs(1)]);
    await move(ids.cancelled, 'short', 'one', [mugs(1)]);
    for (const [currentState, id] of Object.entries(ids)) {
      const context = { objectType: 'reservation', id, currentState, allowedFrom: ['confirmed'] };
      await expect(move(id, 'consume', 'another', [mugs(1)])).rejects.toMatchObject({ ...INVALID, context });
    }
    await expect(move('res_nobody', 'consume', 'one', [mugs(1)])).rejects.toMatchObject({ code: 'not_found' });
    expect((await release(ids.fulfilled)).body).toMatchObject(INVALID);
    expect((await release(ids.cancelled)).status).toBe(200);
  });
});

describe('Movements without an answer from the Inventory Service', () => {
  test('Units leave the reservation immediately; the counters follow in order, the rest of a release last', async (stock) => {
    const { inside, move, counters } = stock;
    const id = await stock.confirmed(mugs(5));
    await inside.fault('away', AWAY);
    expect((await move(id, 'consume', 'one', [mugs(2)])).state).toBe('confirmed');
    expect((await move(id, 'short', 'two', [mugs(1)])).state).toBe('confirmed');
    expect((await stock.release(id)).body.state).toBe('released');
    expect(await counters()).toEqual({ onHand: 1000, reserved: 5 });
    await inside.noFaults();
    await inside.advance(MINUTE);
    expect(await counters()).toEqual({ onHand: 997, reserved: 0, shipped: 2, writtenOff: 1 });
  });

  test('A new reservation of the order waits until consumed units of the old one have moved', async (stock) => {
    const { inside, move } = stock;
    const reservedAgain = () => stock.reservedForBasket(1, 'mug-blue', 'ord_1');
    const old = await stock.confirmedForBasket(5);
    await inside.fault('away', AWAY);
    await move(old, 'consume', 'one', [mugs(2)]);
    await expect(reservedAgain()).rejects.toMatchObject({ code: 'dependency_unavailable' });
    await inside.noFaults();
    await reservedAgain();
    await inside.advance(MINUTE);
    expect(await stock.counters()).toEqual({ onHand: 998, reserved: 1, shipped: 2 });
    await expect(move(old, 'consume', 'two', [mugs(1)])).rejects.toMatchObject(INVALID);
  });
});

test('Move Hold refuses units that the reservation never had or no longer has', async ({ inside, reserve }) => {
  const { id } = (await reserve([mugs(2)])).body;
  const move = (reference: string, qty: number, locationId = 'dc-01') => {
    const body = { kind: 'consume', reference, allocations: [{ locationId, sku: 'mug-blue', qty }] } as const;
    return inside.as('sim')(moveHold, { params: { reservationId: id }, body: body as never });
  };
  const refused = { ...INVALID, context: { objectType: 'hold', id, currentState: 'held' } };
  await expect(move('too much', 3)).rejects.toMatchObject(refused);
  await expect(move('elsewhere', 1, 'dc-02')).rejects.toMatchObject(refused);
  await move('fits', 1);
  await expect(move('too late', 2)).rejects.toMatchObject(refused);
});

/** The Inventory Service does its work and the SIM loses the answer, while others use the same reservation and the clock jumps. */
describe('Lost answers of the Inventory Service', () => {
  /** The Inventory Service gives the old units back and takes the new ones, but the SIM has no answer. @returns the old reservation's id */
  async function replaced(stock: Stock): Promise<string> {
    const old = await stock.reservedForBasket(3);
    await stock.lose('take-hold');
    await expect(stock.reservedForBasket(2)).rejects.toMatchObject({ code: 'dependency_timeout' });
    expect((await stock.counters()).reserved).toBe(2);
    await stock.balanced();
    return old;
  }

  test('Units of a movement with a lost answer are counted as shipped once', async (stock) => {
    const id = await stock.reservedForBasket(3);
    await stock.confirm(id);
    await stock.lose('move-hold');
    await stock.move(id, 'consume', 'one', [mugs(2)]);
    await stock.balancedToTheEnd();
    expect(await stock.counters()).toMatchObject({ onHand: 998, reserved: 1 });
  });

  test.each(['released', 'expired'])('Nothing is reserved after the old reservation was %s', async (stock, state) => {
    const old = await replaced(stock);
    if (state === 'released') await stock.release(old);
    else await stock.inside.advance(16 * MINUTE);
    expect(await stock.stateOf(old)).toBe(state);
    await stock.balancedToTheEnd();
    expect([await stock.open(), (await stock.counters()).reserved]).toEqual([[], 0]);
  });

  test('Confirming and moving the old reservation are refused, and the new reservation stays', async (stock) => {
    const { inside } = stock;
    const old = await replaced(stock);
    expect((await stock.confirm(old)).status).toBe(503);
    await expect(stock.move(old, 'consume', 'one', [mugs(1)])).rejects.toMatchObject({ code: 'invalid_state_transition' });
    await inside.noFaults();
    await inside.advance(MINUTE);
    await stock.balanced();
    expect(await stock.stateOf(old)).toBe('released');
    const [id = '', ...others] = await stock.open();
    expect(others).toEqual([]);
    const next = { state: 'requested', allocations: [{ qty: 2, fulfilledQty: 0 }] };
    expect(await inside.stored('sim', reservations, id)).toMatchObject(next);
  });

  test.each([
    ['the release comes first', 'take-hold', (old: string) => `release ${old}`],
    ['the replacement comes first', 'move-hold', (_old: string, next: string) => `replaced by ${next}`],
  ] as const)(
    'a reservation that is released during its replacement returns its units once: %s',
    async (stock, _what, late, givenBackBy) => {
      const { inside } = stock;
      const old = await stock.reservedForBasket(3);
      // Both requests are on their way to the Inventory Service before either is answered.
      await inside.fault('together', { match: { application: 'inventory-service' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
      await inside.fault('late', { match: { api: late }, fault: { kind: 'latency', ms: 100 }, times: 1 });
      const replacing = stock.reservedForBasket(2);
      await eventually('the replacement has begun', async () => (await inside.stored('sim', basketAttempts, 'bsk_1')).attempt !== old);
      await stock.release(old);
      const next = await replacing;
      await stock.balanced();
      expect([await stock.stateOf(old), await stock.open(), (await stock.counters()).reserved]).toEqual(['released', [next], 2]);
      const givenBack = { state: 'released', reference: givenBackBy(old, next) };
      expect(await inside.stored('inventory-service', holds, old)).toMatchObject(givenBack);
    },
  );
});

test.each([
  ['restock', { onHand: 1002, reserved: 0, returned: 2 }],
  ['scrap', { onHand: 1000, reserved: 0, scrapped: 2 }],
  ['found', { onHand: 1002, reserved: 0, found: 2 }],
] as const)('Record Stock Movement counts a %s once per reference', async (stock, kind, counted) => {
  const first = await stock.record(kind);
  const { onHand } = counted;
  expect(first.locations[0]).toEqual({ locationId: 'dc-01', onHand, reserved: 0, safetyStock: 0, atp: onHand });
  expect(await stock.record(kind)).toEqual(first);
  await expect(stock.record(kind, { qty: 3 })).rejects.toMatchObject({ code: 'dependency_error' });
  for (const unknown of [{ sku: 'mug-none' }, { locationId: 'dc-99' }]) {
    await expect(stock.record(kind, { ...unknown, reference: 'other' })).rejects.toMatchObject({ code: 'not_found' });
  }
  expect(await stock.counters()).toEqual(counted);
});
