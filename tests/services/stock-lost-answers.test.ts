import { expect } from '@jest/globals';
import { holds } from '../../services/inventory-service/collections.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import { basketAttempts, reservations } from '../../services/sim/collections.ts';
import * as sim from '../../services/sim/service.ts';
import { reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { moveReservation } from '../../shared/catalog/inventory/internal.ts';
import { eventually } from '../support/eventually.ts';
import { startInside } from '../support/inside.ts';
import { testIn } from '../support/test-in.ts';

/**
 * The Inventory Service does its work and the SIM loses the answer, while others use the same reservation and the clock jumps.
 * The counters must balance whenever the estate is idle, not only after the answer arrives.
 */

const RESERVATIONS = '/inventory/reservations';
const MINUTE = 60_000;

async function shop() {
  const inside = await startInside(sim, inventoryService);
  const send = (qty: number) =>
    inside.as('ecommerce-platform')(reserveInventory, { body: { items: [{ sku: 'mug-blue', qty }], basketId: 'bsk_1' } });
  const verify = async () => expect(await inside.violations()).toEqual([]);
  return {
    inside,
    verify,
    send,
    reserve: async (qty: number) => (await send(qty)).id,
    /** Every answer of this call is lost until the faults are removed. */
    lose: (api: 'take-hold' | 'move-hold') => inside.fault('lost', { match: { api }, fault: { kind: 'lost-response', as: 'timeout' } }),
    release: async (id: string) => expect((await inside.call('DELETE', `${RESERVATIONS}/${id}`)).status).toBe(200),
    confirm: (id: string) => inside.call('POST', `${RESERVATIONS}/${id}/confirm`, {}),
    consume: (id: string, qty: number) =>
      inside.as('fms')(moveReservation, {
        params: { id },
        body: { reference: 'ful_1 consume', kind: 'consume', locationId: 'dc-01', lines: [{ sku: 'mug-blue', qty }] },
      }),
    shelf: () => inside.counters('inventory-service', 'stock', 'mug-blue|dc-01'),
    stateOf: async (id: string) => (await inside.stored('sim', reservations, id)).state,
    /** Ids of the reservations that have stock. */
    open: async () => {
      const ids = [...new Set((await inside.events()).map(({ data }) => data.object.id as string))];
      const all = await Promise.all(ids.map((id) => inside.stored('sim', reservations, id)));
      return all.flatMap(({ id, state }) => (state === 'requested' || state === 'confirmed' ? [id] : []));
    },
    /** Asserts that the counters balance now, while failed work is retried, and afterwards. */
    balancedToTheEnd: async () => {
      await verify();
      await inside.advance(MINUTE);
      await verify();
      await inside.noFaults();
      await inside.advance(40 * MINUTE);
      await verify();
      expect(await inside.parked()).toEqual([]);
    },
    [Symbol.asyncDispose]: () => inside[Symbol.asyncDispose](),
  };
}
const test = testIn(shop);

/** The Inventory Service gives the old units back and takes the new ones, but the SIM has no answer. @returns the old reservation's id */
async function replaced(stock: Awaited<ReturnType<typeof shop>>): Promise<string> {
  const old = await stock.reserve(3);
  await stock.lose('take-hold');
  await expect(stock.send(2)).rejects.toMatchObject({ code: 'dependency_timeout' });
  expect((await stock.shelf()).reserved).toBe(2);
  await stock.verify();
  return old;
}

test('Units of a movement with a lost answer are counted as shipped once', async (stock) => {
  const id = await stock.reserve(3);
  await stock.confirm(id);
  await stock.lose('move-hold');
  await stock.consume(id, 2);
  await stock.balancedToTheEnd();
  expect(await stock.shelf()).toMatchObject({ onHand: 998, reserved: 1 });
});

test.each(['released', 'expired'])('Nothing is reserved after the old reservation was %s', async (stock, state) => {
  const old = await replaced(stock);
  if (state === 'released') await stock.release(old);
  else await stock.inside.advance(16 * MINUTE);
  expect(await stock.stateOf(old)).toBe(state);
  await stock.balancedToTheEnd();
  expect([await stock.open(), (await stock.shelf()).reserved]).toEqual([[], 0]);
});

test('Confirming and moving the old reservation are refused, and the new reservation stays', async (stock) => {
  const { inside } = stock;
  const old = await replaced(stock);
  expect((await stock.confirm(old)).status).toBe(503);
  await expect(stock.consume(old, 1)).rejects.toMatchObject({ code: 'invalid_state_transition' });
  await inside.noFaults();
  await inside.advance(MINUTE);
  await stock.verify();
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
  'a reservation that is released during its replacement gives its units back once: %s',
  async (stock, _what, late, givenBackBy) => {
    const { inside } = stock;
    const old = await stock.reserve(3);
    // Both requests are on their way to the Inventory Service before either is answered.
    await inside.fault('together', { match: { application: 'inventory-service' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    await inside.fault('late', { match: { api: late }, fault: { kind: 'latency', ms: 100 }, times: 1 });
    const replacing = stock.reserve(2);
    await eventually('the replacement has begun', async () => (await inside.stored('sim', basketAttempts, 'bsk_1')).attempt !== old);
    await stock.release(old);
    const next = await replacing;
    await stock.verify();
    expect([await stock.stateOf(old), await stock.open(), (await stock.shelf()).reserved]).toEqual(['released', [next], 2]);
    const givenBack = { state: 'released', reference: givenBackBy(old, next) };
    expect(await inside.stored('inventory-service', holds, old)).toMatchObject(givenBack);
  },
);
