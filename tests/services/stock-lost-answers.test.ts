import { describe, expect, test } from '@jest/globals';
import { holds } from '../../services/inventory-service/collections.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import { basketAttempts, reservations } from '../../services/sim/collections.ts';
import * as sim from '../../services/sim/service.ts';
import { reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { moveReservation } from '../../shared/catalog/inventory/internal.ts';
import { eventually } from '../support/eventually.ts';
import { type Inside, startInside } from '../support/inside.ts';

/**
 * The Inventory Service does its work and the SIM loses the answer, while others use the same hold and the clock jumps.
 * The books must balance whenever the estate is idle in between, not only once the answer arrives.
 */

const RESERVATIONS = '/inventory/reservations';
const MINUTE = 60_000;
const SHELF = 'mug-blue|dc-01';

/** Every answer of this call is lost until the faults are removed. */
const lost = (api: 'take-hold' | 'move-hold') => ({ match: { api }, fault: { kind: 'lost-response', as: 'timeout' } }) as const;

function shop(inside: Inside) {
  const reserve = (qty: number, basketId: string) =>
    inside.as('ecommerce-platform')(reserveInventory, { body: { items: [{ sku: 'mug-blue', qty }], basketId } });
  return {
    reserve: async (qty: number, basketId = 'bsk_1') => (await reserve(qty, basketId)).id,
    reserveInVain: (qty: number) => expect(reserve(qty, 'bsk_1')).rejects.toMatchObject({ code: 'dependency_timeout' }),
    release: async (id: string) => expect((await inside.call('DELETE', `${RESERVATIONS}/${id}`)).status).toBe(200),
    confirm: async (id: string) => expect((await inside.call('POST', `${RESERVATIONS}/${id}/confirm`, {})).status).toBe(200),
    consume: (id: string, qty: number) =>
      inside.as('fms')(moveReservation, {
        params: { id },
        body: { reference: 'ful_1 consume', kind: 'consume', locationId: 'dc-01', lines: [{ sku: 'mug-blue', qty }] },
      }),
    shelf: () => inside.counters('inventory-service', 'stock', SHELF),
    stateOf: async (id: string) => (await inside.stored('sim', reservations, id)).state,
    /** The reservations that hold stock. */
    open: async () => {
      const ids = new Set((await inside.events()).map(({ data }) => data.object.id as string));
      const all = await Promise.all([...ids].map((id) => inside.stored('sim', reservations, id)));
      return all.filter(({ state }) => state === 'requested' || state === 'confirmed');
    },
  };
}

/** The books balance now, while failed work is tried again, and afterwards. */
async function balancedToTheEnd(inside: Inside): Promise<void> {
  expect(await inside.violations()).toEqual([]);
  await inside.advance(MINUTE);
  expect(await inside.violations()).toEqual([]);
  await inside.noFaults();
  await inside.advance(40 * MINUTE);
  expect(await inside.violations()).toEqual([]);
  expect(await inside.parked()).toEqual([]);
}

describe('A lost answer', () => {
  test('to a release leaves nothing held, also while the SIM still asks', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { reserve, release, shelf, stateOf } = shop(inside);
    const id = await reserve(3);
    await inside.fault('lost', lost('move-hold'));
    await release(id);
    expect([await stateOf(id), (await shelf()).reserved]).toEqual(['released', 0]);
    await balancedToTheEnd(inside);
    expect(await shelf()).toMatchObject({ onHand: 1000, reserved: 0 });
  });

  test('to an expiry after an outage of the Inventory Service leaves nothing held', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { reserve, shelf, stateOf } = shop(inside);
    const id = await reserve(3);
    await inside.fault('away', { match: { api: 'move-hold' }, fault: { kind: 'outage' } });
    await inside.advance(16 * MINUTE);
    expect([await stateOf(id), (await shelf()).reserved]).toEqual(['expired', 3]);
    expect(await inside.violations()).toEqual([]);
    await inside.noFaults();
    await inside.fault('lost', lost('move-hold'));
    await inside.advance(5 * MINUTE);
    expect((await shelf()).reserved).toBe(0);
    await balancedToTheEnd(inside);
  });

  test('for units that left counts them as shipped once', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { reserve, confirm, consume, shelf } = shop(inside);
    const id = await reserve(3);
    await confirm(id);
    await inside.fault('lost', lost('move-hold'));
    await consume(id, 2);
    expect(await shelf()).toMatchObject({ onHand: 998, reserved: 1 });
    await balancedToTheEnd(inside);
    expect(await shelf()).toMatchObject({ onHand: 998, reserved: 1 });
  });
});

describe('When the answer to a hold that replaces the one of its basket is lost', () => {
  /** The units of the old hold are given back, those of the new one are taken, and the SIM knows of neither. */
  async function replacedUnheard(inside: Inside): Promise<string> {
    const { reserve, reserveInVain, shelf } = shop(inside);
    const old = await reserve(3);
    await inside.fault('lost', lost('take-hold'));
    await reserveInVain(2);
    expect((await shelf()).reserved).toBe(2);
    expect(await inside.violations()).toEqual([]);
    return old;
  }

  test('and the old hold is released, nothing is held', async () => {
    await using inside = await startInside(sim, inventoryService);
    const old = await replacedUnheard(inside);
    await shop(inside).release(old);
    await balancedToTheEnd(inside);
    expect([await shop(inside).open(), (await shop(inside).shelf()).reserved]).toEqual([[], 0]);
  });

  test('and the old hold expires, nothing is held', async () => {
    await using inside = await startInside(sim, inventoryService);
    const old = await replacedUnheard(inside);
    await inside.advance(16 * MINUTE);
    expect(await shop(inside).stateOf(old)).toBe('expired');
    await balancedToTheEnd(inside);
    expect([await shop(inside).open(), (await shop(inside).shelf()).reserved]).toEqual([[], 0]);
  });

  test('both Confirm Reservation and moves of the old hold are refused, and the new hold stays', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { consume, stateOf } = shop(inside);
    const old = await replacedUnheard(inside);
    expect((await inside.call('POST', `${RESERVATIONS}/${old}/confirm`, {})).status).toBe(503);
    await expect(consume(old, 1)).rejects.toMatchObject({ code: 'invalid_state_transition' });
    await inside.noFaults();
    await inside.advance(MINUTE);
    expect(await inside.violations()).toEqual([]);
    expect(await stateOf(old)).toBe('released');
    expect(await shop(inside).open()).toMatchObject([{ state: 'requested', allocations: [{ qty: 2, fulfilledQty: 0 }] }]);
  });

  test('and the basket reserves again, one hold is left', async () => {
    await using inside = await startInside(sim, inventoryService);
    const { reserve, open, shelf } = shop(inside);
    await replacedUnheard(inside);
    await inside.noFaults();
    const newest = await reserve(1);
    expect(await inside.violations()).toEqual([]);
    await inside.advance(5 * MINUTE);
    expect((await open()).map(({ id }) => id)).toEqual([newest]);
    expect((await shelf()).reserved).toBe(1);
    expect(await inside.violations()).toEqual([]);
  });
});

describe('A hold that is released while it is replaced', () => {
  test.each([
    ['the release comes first', 'take-hold', (old: string) => `release ${old}`],
    ['the replacement comes first', 'move-hold', (_old: string, next: string) => `replaced by ${next}`],
  ] as const)('gives its units back once: %s', async (_what, late, givenBackBy) => {
    await using inside = await startInside(sim, inventoryService);
    const { reserve, release, open, shelf, stateOf } = shop(inside);
    const old = await reserve(3);
    // Both requests are on their way to the Inventory Service before either is answered.
    await inside.fault('together', { match: { application: 'inventory-service' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    await inside.fault('late', { match: { api: late }, fault: { kind: 'latency', ms: 100 }, times: 1 });
    const replacing = reserve(2);
    await eventually('the replacement has set out', async () => (await inside.stored('sim', basketAttempts, 'bsk_1')).attempt !== old);
    await release(old);
    const next = await replacing;
    expect(await inside.violations()).toEqual([]);
    expect(await stateOf(old)).toBe('released');
    expect((await open()).map(({ id }) => id)).toEqual([next]);
    expect((await shelf()).reserved).toBe(2);
    expect(await inside.stored('inventory-service', holds, old)).toMatchObject({ state: 'released', reference: givenBackBy(old, next) });
  });
});
