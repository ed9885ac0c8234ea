import { describe, expect, test } from '@jest/globals';
import * as inventoryService from '../../services/inventory-service/service.ts';
import * as sim from '../../services/sim/service.ts';
import { confirmReservation, releaseReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { getReservation, moveReservation, recordStockMovement } from '../../shared/catalog/inventory/internal.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { type Inside, startInside } from '../support/inside.ts';

const DAY = 86_400_000;
const STORE = 'store-01';
const mugs = (qty: number) => ({ sku: 'mug-blue', qty });
const lamps = (qty: number) => ({ sku: 'lamp-desk', qty });

/** Stock operations of a till. */
function till(inside: Inside) {
  const { as } = inside;
  return {
    hold: (...items: { sku: string; qty: number }[]) =>
      as('ecommerce-platform')(reserveInventory, { body: { basketId: 'bsk_till', items, locationId: STORE, ttlSeconds: null } }),
    takeOut: (id: string, lines: { sku: string; qty: number }[], kind: 'consume' | 'short' = 'consume', locationId = STORE) =>
      as('oms')(moveReservation, { params: { id }, body: { reference: `carry-out ${id}`, kind, locationId, lines } }),
    reservation: (id: string) => as('oms')(getReservation, { params: { id } }),
    stock: async (sku: string) => ({
      ...(await inside.counters('inventory-service', 'stock', `${sku}|${STORE}`)),
      ...(await inside.counters('inventory-service', 'units-moved', `${sku}|${STORE}`)),
    }),
  };
}

describe('Stock held for the till', () => {
  test('has no time limit, and the hold ends when the customer takes all units', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { hold, takeOut, reservation, stock } = till(inside);
    const held = await hold(mugs(3), lamps(1));
    expect(held).toMatchObject({ state: 'requested', basketId: 'bsk_till', locationId: STORE });
    expect(held).not.toHaveProperty('expiresAt');
    await inside.advance(30 * DAY);
    expect((await reservation(held.id)).state).toBe('requested');
    expect(await stock('mug-blue')).toMatchObject({ onHand: 50, reserved: 3 });

    const out = await takeOut(held.id, [mugs(3), lamps(1)]);
    expect(out).toMatchObject({ state: 'fulfilled', version: 2, allocations: [{ qty: 3, fulfilledQty: 3 }, { fulfilledQty: 1 }] });
    expect(await stock('mug-blue')).toMatchObject({ onHand: 47, reserved: 0, shipped: 3 });
    expect(await takeOut(held.id, [mugs(3), lamps(1)])).toMatchObject({ state: 'fulfilled', version: 2 });
    expect(await stock('mug-blue')).toMatchObject({ onHand: 47, reserved: 0, shipped: 3 });
    expect((await inside.events(`reservation/${held.id}`)).map(({ data }) => [data.previousState, data.object.state])).toEqual([
      [undefined, 'requested'],
      [undefined, 'requested'],
      ['requested', 'fulfilled'],
    ]);
    expect(await inside.violations()).toEqual([]);
  });

  test.each([
    ['in part', [mugs(2)], 'consume', STORE],
    ['beyond its quantity', [mugs(4), lamps(1)], 'consume', STORE],
    ['from another location', [mugs(3), lamps(1)], 'consume', 'store-02'],
    ['as missing units', [mugs(3), lamps(1)], 'short', STORE],
  ] as const)('does not leave %s', async (_, lines, kind, locationId) => {
    await using inside = await startInside(sim, inventoryService);
    const { hold, takeOut, stock } = till(inside);
    const { id } = await hold(mugs(3), lamps(1));
    await expect(takeOut(id, [...lines], kind, locationId)).rejects.toMatchObject({
      code: 'invalid_state_transition',
      context: { objectType: 'reservation', id, currentState: 'requested' },
    });
    expect(await stock('mug-blue')).toMatchObject({ onHand: 50, reserved: 3 });
  });

  test('is released with its checkout and may be confirmed by a client', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { hold, takeOut, stock } = till(inside);
    const first = await hold(mugs(3));
    expect(await inside.as('ecommerce-platform')(releaseReservation, { params: { id: first.id } })).toMatchObject({ state: 'released' });
    expect(await stock('mug-blue')).toMatchObject({ onHand: 50, reserved: 0 });
    await expect(takeOut(first.id, [mugs(3)])).rejects.toMatchObject({ code: 'invalid_state_transition' });
    const second = await hold(mugs(2));
    await inside.as('oms')(confirmReservation, { params: { id: second.id }, body: {} });
    expect(await takeOut(second.id, [mugs(2)])).toMatchObject({ state: 'fulfilled' });
  });

  test('is replaced by a timed hold of the same basket, which then expires', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { hold, reservation } = till(inside);
    const held = await hold(mugs(3));
    const { body } = await inside.call('POST', '/inventory/reservations', { items: [mugs(1)], locationId: STORE });
    const timed = await inside.as('ecommerce-platform')(reserveInventory, {
      body: { basketId: 'bsk_till', items: [mugs(2)], locationId: STORE },
    });
    expect([(await reservation(held.id)).state, timed.state, typeof timed.expiresAt]).toEqual(['released', 'requested', 'string']);
    await inside.advance(15 * 60_000);
    expect([(await reservation(timed.id)).state, (await reservation(body.id)).state]).toEqual(['expired', 'expired']);
  });

  test('cannot be reserved from outside, and a timed hold leaves only after its confirmation', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { takeOut } = till(inside);
    const endless = await inside.call('POST', '/inventory/reservations', { items: [mugs(1)], ttlSeconds: null });
    expect([endless.status, endless.body.code, endless.body.errors[0].pointer]).toEqual([422, 'validation_failed', '/ttlSeconds']);
    const { body } = await inside.call('POST', '/inventory/reservations', { items: [mugs(1)], locationId: STORE });
    await expect(takeOut(body.id, [mugs(1)])).rejects.toMatchObject({ code: 'invalid_state_transition' });
  });
});

describe('Units that are carried out without a hold', () => {
  const sell = (inside: Inside, reference: string, qty: number, sku = 'mug-blue') =>
    inside.as('oms')(recordStockMovement, { body: { reference, kind: 'carried-out', locationId: STORE, sku, qty } });
  const reserve = (inside: Inside, qty: number) =>
    inside.call('POST', '/inventory/reservations', { items: [{ sku: 'sea-salt', qty }], locationId: STORE });
  const safetyAt = (inside: Inside, sku: string) => inside.counters('inventory-service', 'stock', `${sku}|${STORE}`);
  const movedAt = (inside: Inside, sku: string) => inside.counters('inventory-service', 'units-moved', `${sku}|${STORE}`);

  test('leave what nobody has reserved, then safety stock; the others were missing from the records', async () => {
    await using inside = await startInside(sim, inventoryService);
    // 22 on hand, of which 2 are safety stock.
    await reserve(inside, 5);
    expect((await sell(inside, 'sale 1', 16, 'sea-salt')).found).toBe(0);
    expect(await safetyAt(inside, 'sea-salt')).toMatchObject({ onHand: 6, reserved: 5, safetyStock: 1, missingSafety: 1 });
    expect((await sell(inside, 'sale 2', 3, 'sea-salt')).found).toBe(2);
    expect(await safetyAt(inside, 'sea-salt')).toMatchObject({ onHand: 5, reserved: 5, safetyStock: 0, missingSafety: 2 });
    expect(await movedAt(inside, 'sea-salt')).toMatchObject({ carriedOut: 17, foundAndSold: 2 });
    expect(await inside.violations()).toEqual([]);
  });

  test('are counted once', async () => {
    await using inside = await startInside(sim, inventoryService);
    const first = await sell(inside, 'sale 1', 52);
    expect(first.found).toBe(2);
    expect(await sell(inside, 'sale 1', 52)).toEqual(first);
    expect(await movedAt(inside, 'mug-blue')).toMatchObject({ carriedOut: 50, foundAndSold: 2 });
    await expect(sell(inside, 'sale 1', 3)).rejects.toMatchObject({ code: 'dependency_error' });
    await expect(sell(inside, 'sale 2', 1, 'no-such-thing')).rejects.toMatchObject({ code: 'not_found' });
    expect(await inside.violations()).toEqual([]);
  });

  test('never leave units that are reserved meanwhile', async () => {
    await using inside = await startInside(sim, inventoryService);
    const sales = Array.from({ length: 12 }, (_, n) => sell(inside, `sale ${n}`, 3, 'sea-salt'));
    const holds = [reserve(inside, 4), sell(inside, 'another', 2, 'sea-salt')];
    await Promise.allSettled([...sales, ...holds]);
    const { onHand = 0, reserved = 0 } = (await safetyAt(inside, 'sea-salt')) ?? {};
    expect(onHand).toBe(reserved);
    expect(await inside.violations()).toEqual([]);
  });
});

describe('Counting stock', () => {
  const count = (rehearsal: TestRehearsal, sku: string, onHand: number, locationId = STORE) =>
    rehearsal.client.control('count-stock-by-hand', { params: { sku, locationId }, body: { onHand } });
  const at = (item: { locations: readonly { locationId: string }[] }, locationId = STORE) =>
    item.locations.find((level) => level.locationId === locationId);

  test('sets the stock to the counted units, more or fewer than before', async () => {
    await using rehearsal = await newRehearsal();
    expect(at(await count(rehearsal, 'mug-blue', 7))).toMatchObject({ onHand: 7, reserved: 0, atp: 7 });
    expect(at(await count(rehearsal, 'mug-blue', 7))).toMatchObject({ onHand: 7 });
    expect(at(await count(rehearsal, 'vase-sold-out', 3))).toMatchObject({ onHand: 3, atp: 3 });
    const { nodes } = await rehearsal.api('check-availability-api', { params: { sku: 'vase-sold-out' }, query: { qty: '3' } });
    expect(nodes).toContainEqual({ locationId: STORE, atp: 3 });
    expect((await rehearsal.api('get-inventory-api', { params: { sku: 'mug-blue' } })).locations[0]).toMatchObject({
      locationId: 'dc-01',
      onHand: 1000,
    });
    await rehearsal.verify();
  });

  test('below the reserved units is refused and changes nothing', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.api('reserve-inventory-api', { body: { items: [mugs(4)], locationId: STORE } });
    await expect(count(rehearsal, 'mug-blue', 3)).rejects.toMatchObject({
      message: expect.stringMatching(/4 × mug-blue are reserved/),
    });
    expect(at(await rehearsal.api('get-inventory-api', { params: { sku: 'mug-blue' } }))).toMatchObject({ onHand: 50, reserved: 4 });
    expect(at(await count(rehearsal, 'mug-blue', 4))).toMatchObject({ onHand: 4, reserved: 4, atp: 0 });
    const short = await rehearsal.call('reserve-inventory-api', { body: { items: [mugs(1)], locationId: STORE } });
    expect([short.status, short.body.code]).toEqual([409, 'insufficient_stock']);
    await rehearsal.verify();
  });

  test('reduces the safety stock to the counted units and restores it later', async () => {
    await using rehearsal = await newRehearsal();
    expect(at(await rehearsal.api('get-inventory-api', { params: { sku: 'lamp-desk' } }))).toMatchObject({ onHand: 20, safetyStock: 2 });
    await rehearsal.api('reserve-inventory-api', { body: { items: [lamps(3)], locationId: STORE, ttlSeconds: 14_400 } });
    expect(at(await count(rehearsal, 'lamp-desk', 4))).toMatchObject({ onHand: 4, reserved: 3, safetyStock: 1, atp: 0 });
    expect(at(await count(rehearsal, 'lamp-desk', 3))).toMatchObject({ onHand: 3, reserved: 3, safetyStock: 0, atp: 0 });
    expect(at(await count(rehearsal, 'lamp-desk', 9))).toMatchObject({ onHand: 9, reserved: 3, safetyStock: 2, atp: 4 });
    await rehearsal.verify();
  });

  test('is refused for an unknown product or location and for an invalid number', async () => {
    await using rehearsal = await newRehearsal();
    await expect(count(rehearsal, 'no-such-thing', 1)).rejects.toThrow(/no product "no-such-thing"/);
    await expect(count(rehearsal, 'mug-blue', 1, 'store-99')).rejects.toThrow(/no location "store-99"/);
    await expect(count(rehearsal, 'mug-blue', -1)).rejects.toThrow(/422/);
    await rehearsal.verify();
  });
});
