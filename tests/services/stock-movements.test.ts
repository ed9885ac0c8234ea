import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as inventoryService from '../../services/inventory-service/service.ts';
import { beginAttempt } from '../../services/sim/attempt.ts';
import { attempts, basketAttempts, reservations } from '../../services/sim/collections.ts';
import * as sim from '../../services/sim/service.ts';
import { allocateInventory, confirmReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { moveHold, moveReservation, recordStockMovement } from '../../shared/catalog/inventory/internal.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { type Inside, startInside } from '../support/inside.ts';

const RESERVATIONS = '/inventory/reservations';
const MINUTE = 60_000;

interface Line {
  readonly sku: string;
  readonly qty: number;
  readonly orderLineId?: string;
}

const mugs = (qty: number): Line => ({ sku: 'mug-blue', qty });

/** Stock operations of clients, the OMS and the FMS, and the counters. */
function warehouse(inside: Inside) {
  const counters = async (sku: string, locationId: string) => {
    const { onHand = 0, reserved = 0 } = await inside.counters('inventory-service', 'stock', `${sku}|${locationId}`);
    const moved = await inside.counters('inventory-service', 'units-moved', `${sku}|${locationId}`);
    return { onHand, reserved, ...moved };
  };
  const reserved = async (items: readonly Line[]): Promise<string> => {
    const { status, body } = await inside.call('POST', RESERVATIONS, { items });
    expect(status).toBe(201);
    return body.id;
  };
  const confirmed = async (id: string): Promise<string> => {
    await inside.as('oms')(confirmReservation, { params: { id }, body: { orderId: 'ord_1' } });
    return id;
  };
  const reservedForBasket = async (qty: number, sku = 'mug-blue'): Promise<string> =>
    (await inside.as('ecommerce-platform')(reserveInventory, { body: { items: [{ sku, qty }], basketId: 'bsk_1' } })).id;
  return {
    counters,
    reserved,
    reservedForBasket,
    confirmed: async (items: readonly Line[]) => confirmed(await reserved(items)),
    confirmedForBasket: async (qty: number, sku?: string) => confirmed(await reservedForBasket(qty, sku)),
    release: async (id: string) => inside.call('DELETE', `${RESERVATIONS}/${id}`),
    move: (id: string, kind: 'consume' | 'short', reference: string, lines: readonly Line[], locationId = 'dc-01') =>
      inside.as('fms')(moveReservation, { params: { id }, body: { reference, kind, locationId, lines: [...lines] } }),
    eventsOf: async (id: string) =>
      (await inside.events(`reservation/${id}`)).map(({ type, data }) => [
        type.replace('com.unified-commerce.', ''),
        data.previousState,
        data.object.state,
      ]),
  };
}

describe('Units of a reservation', () => {
  let inside: Inside;
  beforeAll(async () => {
    inside = await startInside(sim, inventoryService);
  });
  afterAll(() => inside[Symbol.asyncDispose]());

  test('leave in parts: the reservation is fulfilled with the last unit', async () => {
    await using own = await startInside(sim, inventoryService);
    const { confirmed, move, counters, eventsOf } = warehouse(own);
    const id = await confirmed([mugs(3)]);
    expect(await move(id, 'consume', 'ful_1 consume', [mugs(2)])).toMatchObject({
      state: 'confirmed',
      version: 3,
      allocations: [{ locationId: 'dc-01', sku: 'mug-blue', qty: 3, fulfilledQty: 2, cancelledQty: 0 }],
    });
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 998, reserved: 1, shipped: 2 });
    expect(await move(id, 'consume', 'ful_2 consume', [mugs(1)])).toMatchObject({ state: 'fulfilled', version: 4 });
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 997, reserved: 0, shipped: 3 });
    expect((await eventsOf(id)).slice(2)).toEqual([
      ['ext.reservation-changed', 'requested', 'confirmed'],
      ['ext.reservation-changed', 'confirmed', 'confirmed'],
      ['ext.reservation-changed', 'confirmed', 'fulfilled'],
    ]);
  });

  test('that are missing are written off: with none left to leave, the reservation is cancelled', async () => {
    await using own = await startInside(sim, inventoryService);
    const { confirmed, move, counters } = warehouse(own);
    const id = await confirmed([mugs(2)]);
    expect(await move(id, 'short', 'ful_1 short', [mugs(2)])).toMatchObject({
      state: 'cancelled',
      allocations: [{ qty: 2, fulfilledQty: 0, cancelledQty: 2 }],
    });
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 998, reserved: 0, writtenOff: 2 });
    expect((await own.call('GET', '/inventory/items/mug-blue')).body.locations[0]).toMatchObject({
      onHand: 998,
      reserved: 0,
      atp: 998,
    });
  });

  test('that are partly missing and partly sent fulfil the reservation', async () => {
    const { confirmed, move } = warehouse(inside);
    const id = await confirmed([mugs(3)]);
    expect((await move(id, 'short', 'ful_1 short', [mugs(1)])).state).toBe('confirmed');
    expect(await move(id, 'consume', 'ful_1 consume', [mugs(2)])).toMatchObject({
      state: 'fulfilled',
      allocations: [{ qty: 3, fulfilledQty: 2, cancelledQty: 1 }],
    });
  });

  test('of several lines and locations move at their own location', async () => {
    await using own = await startInside(sim, inventoryService);
    const { confirmed, move, counters } = warehouse(own);
    await own.call('POST', '/inventory/reservations', { items: [mugs(990)], locationId: 'dc-01' });
    const id = await confirmed([mugs(20), { sku: 'lamp-last-one', qty: 1 }]);
    const lamp = { sku: 'lamp-last-one', qty: 1 };
    expect((await move(id, 'consume', 'ful_1 consume', [lamp])).state).toBe('confirmed');
    expect((await move(id, 'consume', 'ful_2 consume', [mugs(12), mugs(8)], 'dc-02')).state).toBe('fulfilled');
    expect(await counters('lamp-last-one', 'dc-01')).toEqual({ onHand: 0, reserved: 0, shipped: 1 });
    expect(await counters('mug-blue', 'dc-02')).toEqual({ onHand: 980, reserved: 0, shipped: 20 });
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 1000, reserved: 990 });
  });

  test('of an order line do not cover another line', async () => {
    const { move } = warehouse(inside);
    const allocated = { orderId: 'ord_lines', orderLineId: 'line-1', sku: 'mug-blue', qty: 2 };
    const { id } = await inside.as('fms')(allocateInventory, { body: allocated });
    await expect(move(id, 'consume', 'one', [{ ...mugs(1), orderLineId: 'line-2' }])).rejects.toMatchObject({
      code: 'invalid_state_transition',
      message: expect.stringContaining('holds 0 × mug-blue at dc-01 for this line, not 1'),
    });
    expect((await move(id, 'consume', 'one', [{ ...mugs(2), orderLineId: 'line-1' }])).state).toBe('fulfilled');
  });

  test('move once per reference, also after the end of the reservation and with another content', async () => {
    await using own = await startInside(sim, inventoryService);
    const { confirmed, move, counters, eventsOf } = warehouse(own);
    const id = await confirmed([mugs(3)]);
    const first = await move(id, 'consume', 'ful_1 consume', [mugs(2)]);
    expect(await move(id, 'consume', 'ful_1 consume', [mugs(2)])).toEqual(first);
    expect(await move(id, 'short', 'ful_1 consume', [mugs(1)])).toEqual(first);
    const ended = await move(id, 'short', 'ful_1 short', [mugs(1)]);
    expect(ended.state).toBe('fulfilled');
    expect(await move(id, 'consume', 'ful_1 consume', [mugs(2)])).toEqual(ended);
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 997, reserved: 0, shipped: 2, writtenOff: 1 });
    expect(await eventsOf(id)).toHaveLength(5);
  });

  test.each([
    ['moved beyond the reserved quantity', [mugs(4)], 'dc-01', 'holds 3 × mug-blue at dc-01 for this line, not 4'],
    ['moved beyond the reserved quantity in total', [mugs(2), mugs(2)], 'dc-01', 'holds 1 × mug-blue at dc-01 for this line, not 2'],
    ['moved from another location', [mugs(1)], 'dc-02', 'holds 0 × mug-blue at dc-02 for this line, not 1'],
    ['moved for another SKU', [{ sku: 'mug-green', qty: 1 }], 'dc-01', 'holds 0 × mug-green at dc-01 for this line, not 1'],
  ])('cannot be %s', async (_what, lines, locationId, said) => {
    const { confirmed, move } = warehouse(inside);
    const id = await confirmed([mugs(3)]);
    await expect(move(id, 'consume', 'ful_1 consume', lines, locationId)).rejects.toMatchObject({
      code: 'invalid_state_transition',
      message: expect.stringContaining(said),
    });
    expect(await inside.stored('sim', reservations, id)).toMatchObject({ version: 2 });
  });

  test('move only while the reservation is confirmed', async () => {
    const { reserved, confirmed, release, move } = warehouse(inside);
    const held = await reserved([mugs(1)]);
    const gone = await confirmed([mugs(1)]);
    await release(gone);
    const sent = await confirmed([mugs(1)]);
    await move(sent, 'consume', 'ful_1 consume', [mugs(1)]);
    const short = await confirmed([mugs(1)]);
    await move(short, 'short', 'ful_1 short', [mugs(1)]);
    for (const [id, currentState] of [
      [held, 'requested'],
      [gone, 'released'],
      [sent, 'fulfilled'],
      [short, 'cancelled'],
    ] as const) {
      await expect(move(id, 'consume', 'another', [mugs(1)])).rejects.toMatchObject({
        code: 'invalid_state_transition',
        context: { objectType: 'reservation', id, currentState, allowedFrom: ['confirmed'] },
      });
    }
    await expect(move('res_nobody', 'consume', 'one', [mugs(1)])).rejects.toMatchObject({ code: 'not_found' });
    expect((await release(sent)).body.code).toBe('invalid_state_transition');
    expect((await release(short)).status).toBe(200);
  });

  test('that remain go back with the release', async () => {
    await using own = await startInside(sim, inventoryService);
    const { confirmed, release, move, counters } = warehouse(own);
    const id = await confirmed([mugs(5)]);
    await move(id, 'consume', 'ful_1 consume', [mugs(2)]);
    await move(id, 'short', 'ful_1 short', [mugs(1)]);
    expect((await release(id)).body).toMatchObject({ state: 'released', allocations: [{ qty: 5, fulfilledQty: 2, cancelledQty: 1 }] });
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 997, reserved: 0, shipped: 2, writtenOff: 1 });
  });

  test('leave at most once for concurrent requests for the last units', async () => {
    await using own = await startInside(sim, inventoryService);
    const { confirmed, move, counters } = warehouse(own);
    const id = await confirmed([mugs(3)]);
    const moved = await Promise.allSettled(Array.from({ length: 5 }, (_, n) => move(id, 'consume', `unit ${n}`, [mugs(1)])));
    const sent = moved.filter(({ status }) => status === 'fulfilled').length;
    expect(sent).toBeGreaterThan(0);
    for (const outcome of moved) {
      if (outcome.status === 'rejected') expect(['contention', 'invalid_state_transition']).toContain(outcome.reason.code);
    }
    await own.advance(MINUTE);
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 1000 - sent, reserved: 3 - sent, shipped: sent });
    expect(sent).toBeLessThanOrEqual(3);
  });
});

describe('While the Inventory Service is down', () => {
  const away = { match: { api: 'move-hold' }, fault: { kind: 'outage' } } as const;

  test('units leave the reservation at once; the counters follow in order, the rest of a release last', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { confirmed, release, move, counters } = warehouse(inside);
    const id = await confirmed([mugs(5)]);
    await inside.fault('away', away);
    expect((await move(id, 'consume', 'ful_1 consume', [mugs(2)])).state).toBe('confirmed');
    expect((await move(id, 'short', 'ful_1 short', [mugs(1)])).state).toBe('confirmed');
    expect((await release(id)).body.state).toBe('released');
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 1000, reserved: 5 });
    await inside.noFaults();
    await inside.advance(MINUTE);
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 997, reserved: 0, shipped: 2, writtenOff: 1 });
  });

  test.each([
    ['a gateway timeout', { kind: 'lost-response', as: 'timeout' }],
    ['a reset', { kind: 'lost-response', as: 'reset' }],
  ] as const)('an answer lost to %s does not move the units twice', async (_what, fault) => {
    await using inside = await startInside(sim, inventoryService);
    const { confirmed, move, counters } = warehouse(inside);
    const id = await confirmed([mugs(5)]);
    await inside.fault('lost', { match: { api: 'move-hold' }, fault, times: 3 });
    await move(id, 'consume', 'ful_1 consume', [mugs(2)]);
    await move(id, 'consume', 'ful_2 consume', [mugs(3)]);
    await inside.advance(10 * MINUTE);
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 995, reserved: 0, shipped: 5 });
  });

  test('a new hold of the basket waits until its consumed units have moved', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { confirmedForBasket, reservedForBasket, move, counters } = warehouse(inside);
    const old = await confirmedForBasket(5);
    await inside.fault('away', away);
    await move(old, 'consume', 'ful_1 consume', [mugs(2)]);
    await expect(reservedForBasket(1)).rejects.toMatchObject({ code: 'dependency_unavailable' });
    await inside.noFaults();
    await reservedForBasket(1);
    await inside.advance(MINUTE);
    expect(await counters('mug-blue', 'dc-01')).toEqual({ onHand: 998, reserved: 1, shipped: 2 });
    await expect(move(old, 'consume', 'ful_2 consume', [mugs(1)])).rejects.toMatchObject({ code: 'invalid_state_transition' });
  });

  test('a new hold of the basket takes only the remaining units again', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { confirmedForBasket, reservedForBasket, move } = warehouse(inside);
    const desks = (qty: number) => ({ sku: 'desk-two-nodes', qty });
    const old = await confirmedForBasket(3, desks(3).sku);
    await move(old, 'consume', 'ful_1 consume', [desks(2)]);
    const { allocations } = await inside.stored('sim', reservations, await reservedForBasket(2, desks(2).sku));
    expect(allocations).toMatchObject([{ locationId: 'dc-02', qty: 2 }]);
  });

  test('units consumed just before a replacement leave first', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { confirmedForBasket, move } = warehouse(inside);
    const old = await confirmedForBasket(5);
    const replacing = inside.commitAs('sim', (work) => {
      const checkpoint = work.checkpoint.bind(work);
      const slow = Object.assign(work, { checkpoint: () => move(old, 'consume', 'ful_1 consume', [mugs(1)]).then(checkpoint) });
      const asked = { id: 'res_next', basketId: 'bsk_1', items: [mugs(1)], expiresAt: new Date(work.now + MINUTE).toISOString() };
      return beginAttempt(asked, { work: slow, call: inside.as('sim') as Scope['call'] });
    });
    await expect(replacing).rejects.toThrow(`version: reservations/${old}`);
  });

  test('no unit leaves a reservation that is being replaced', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { confirmedForBasket, move } = warehouse(inside);
    const old = await confirmedForBasket(5);
    await inside.commitAs('sim', async (work) => {
      await work.get(basketAttempts, 'bsk_1');
      work.put(basketAttempts, { id: 'bsk_1', attempt: 'res_next' });
      const expiresAt = new Date(work.now + MINUTE).toISOString();
      work.put(attempts, { id: 'res_next', status: 'under-way', basketId: 'bsk_1', items: [mugs(1)], expiresAt, replaces: [old] });
    });
    await expect(move(old, 'consume', 'ful_1 consume', [mugs(1)])).rejects.toMatchObject({ code: 'contention' });
  });
});

describe('Move Hold, called by the SIM,', () => {
  let inside: Inside;
  beforeAll(async () => {
    inside = await startInside(sim, inventoryService);
  });
  afterAll(() => inside[Symbol.asyncDispose]());

  const at = (qty: number, locationId = 'dc-01') => ({ locationId, sku: 'mug-blue', qty });
  const move = (reservationId: string, kind: 'release' | 'consume' | 'write-off', reference: string, allocations?: object[]) =>
    inside.as('sim')(moveHold, { params: { reservationId }, body: { kind, reference, allocations } as never });

  test('consumes and writes off once per reference, and releases the rest', async () => {
    const { reserved, counters } = warehouse(inside);
    const id = await reserved([mugs(6)]);
    const before = await counters('mug-blue', 'dc-01');
    expect(await move(id, 'consume', 'one', [at(1), at(1)])).toEqual({ allocations: [at(2)] });
    expect(await move(id, 'consume', 'one', [at(3)])).toEqual({ allocations: [at(2)] });
    expect(await move(id, 'write-off', 'two', [at(1)])).toEqual({ allocations: [at(1)] });
    expect(await move(id, 'release', 'three')).toEqual({ allocations: [at(3)] });
    expect(await move(id, 'release', 'four')).toEqual({ allocations: [at(3)] });
    expect(await move(id, 'consume', 'one', [at(2)])).toEqual({ allocations: [at(2)] });
    expect(await counters('mug-blue', 'dc-01')).toEqual({
      ...{ onHand: before.onHand - 3, reserved: before.reserved - 6 },
      ...{ shipped: 2, writtenOff: 1 },
    });
  });

  test('refuses units that the hold does not have or has no longer', async () => {
    const { reserved } = warehouse(inside);
    const id = await reserved([mugs(2)]);
    const refused = (currentState: string, allowedFrom = ['held']) => ({
      code: 'invalid_state_transition',
      context: { objectType: 'hold', id, currentState, allowedFrom },
    });
    await expect(move(id, 'consume', 'too much', [at(2), at(1)])).rejects.toMatchObject(refused('held', []));
    await expect(move(id, 'consume', 'elsewhere', [at(1, 'dc-02')])).rejects.toMatchObject(refused('held', []));
    await move(id, 'consume', 'fits', [at(1)]);
    await expect(move(id, 'write-off', 'too late', [at(2)])).rejects.toMatchObject(refused('held', []));
    await move(id, 'release', 'over');
    await expect(move(id, 'consume', 'over', [at(1)])).rejects.toMatchObject(refused('released'));
    await expect(move('res_nobody', 'consume', 'one', [at(1)])).rejects.toMatchObject({ code: 'not_found' });
    // The contract has neither call: to the caller, the application is broken.
    await expect(move(id, 'consume', 'nothing')).rejects.toMatchObject({ code: 'dependency_error' });
    await expect(move(id, 'release', 'something', [at(1)])).rejects.toMatchObject({ code: 'dependency_error' });
  });
});

describe('Record Stock Movement, called by the FMS,', () => {
  test.each([
    ['restock', { onHand: 1002, reserved: 0, returned: 2 }],
    ['scrap', { onHand: 1000, reserved: 0, scrapped: 2 }],
    ['found', { onHand: 1002, reserved: 0, found: 2 }],
  ] as const)('counts a %s once per reference', async (kind, counted) => {
    await using inside = await startInside(sim, inventoryService);
    const { counters } = warehouse(inside);
    const record = (more: object = {}) =>
      inside.as('fms')(recordStockMovement, {
        body: { reference: 'ful_1 line-1', kind, locationId: 'dc-01', sku: 'mug-blue', qty: 2, ...more },
      });
    const first = await record();
    expect(first.locations[0]).toEqual({ locationId: 'dc-01', onHand: counted.onHand, reserved: 0, safetyStock: 0, atp: counted.onHand });
    expect(await record()).toEqual(first);
    expect(await counters('mug-blue', 'dc-01')).toEqual(counted);
    await expect(record({ qty: 3 })).rejects.toMatchObject({ code: 'dependency_error' });
    await expect(record({ sku: 'mug-none', reference: 'other' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(record({ locationId: 'dc-99', reference: 'other' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await counters('mug-blue', 'dc-01')).toEqual(counted);
  });

  test('makes returned units available again', async () => {
    await using inside = await startInside(sim, inventoryService);
    const lamp = { sku: 'lamp-last-one', qty: 1 };
    const { confirmed, move } = warehouse(inside);
    const id = await confirmed([lamp]);
    await move(id, 'consume', 'ful_1 consume', [lamp]);
    expect((await inside.call('POST', RESERVATIONS, { items: [lamp] })).status).toBe(409);
    await inside.as('fms')(recordStockMovement, { body: { reference: 'ful_1', kind: 'restock', locationId: 'dc-01', ...lamp } });
    expect((await inside.call('POST', RESERVATIONS, { items: [lamp] })).status).toBe(201);
  });
});
