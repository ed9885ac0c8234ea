import { describe, expect } from '@jest/globals';
import * as inventoryService from '../../services/inventory-service/service.ts';
import * as sim from '../../services/sim/service.ts';
import { recordStockMovement } from '../../shared/catalog/inventory/internal.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { insideCall } from '../support/steps/inside-call.ts';
import { testIn } from '../support/test-in.ts';

const STORE = 'store-01';
const mugs = (qty: number) => ({ sku: 'mug-blue', qty });
const lamps = (qty: number) => ({ sku: 'lamp-desk', qty });

/** The SIM and the Inventory Service, with the stock operations of a till. */
async function till() {
  const inside = await startInside(sim, inventoryService);
  return {
    ...inside,
    reserve: (...items: object[]) => insideCall(inside, 'reserve-inventory-api', { body: { locationId: STORE, items } }),
    sell: (reference: string, qty: number, sku = 'mug-blue') =>
      inside.as('oms')(recordStockMovement, { body: { reference, kind: 'carried-out', locationId: STORE, sku, qty } }),
    stock: async (sku = 'mug-blue'): Promise<Record<string, number>> => ({
      ...(await inside.counters('inventory-service', 'stock', `${sku}|${STORE}`)),
      ...(await inside.counters('inventory-service', 'units-moved', `${sku}|${STORE}`)),
    }),
    verify: async () => expect(await inside.violations()).toEqual([]),
  };
}

describe('Units that are sold without a reservation', () => {
  const test = testIn(till);

  const salt = (qty: number) => ({ sku: 'sea-salt', qty });

  test('Units sold without a reservation reduce free stock, then safety stock; further units are booked as found', async (inside) => {
    // 22 on hand, 2 of them safety stock.
    await inside.reserve(salt(5));
    expect((await inside.sell('sale 1', 16, 'sea-salt')).found).toBe(0);
    expect(await inside.stock('sea-salt')).toMatchObject({ onHand: 6, reserved: 5, safetyStock: 1, missingSafety: 1 });
    expect((await inside.sell('sale 2', 3, 'sea-salt')).found).toBe(2);
    const left = { onHand: 5, reserved: 5, safetyStock: 0, missingSafety: 2 };
    expect(await inside.stock('sea-salt')).toMatchObject({ ...left, carriedOut: 17, foundAndSold: 2 });
  });

  test('Units sold without a reservation are counted once', async (inside) => {
    const first = await inside.sell('sale 1', 52);
    expect(first.found).toBe(2);
    expect(await inside.sell('sale 1', 52)).toEqual(first);
    expect(await inside.stock()).toMatchObject({ carriedOut: 50, foundAndSold: 2 });
    await expect(inside.sell('sale 1', 3)).rejects.toMatchObject({ code: 'dependency_error' });
    await expect(inside.sell('sale 2', 1, 'no-such-thing')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('Units sold without a reservation never include units that are reserved concurrently', async (inside) => {
    const sales = Array.from({ length: 12 }, (_, n) => inside.sell(`sale ${n}`, 3, 'sea-salt'));
    await Promise.allSettled([...sales, inside.reserve(salt(4)), inside.sell('another', 2, 'sea-salt')]);
    const { onHand, reserved } = await inside.stock('sea-salt');
    expect(onHand).toBe(reserved);
  });
});

describe('Counting stock by hand', () => {
  const test = testIn(newRehearsal);

  type Item = { locations: readonly { locationId: string }[] };
  const here = ({ locations }: Item) => locations.find(({ locationId }) => locationId === STORE);
  const count = async (rehearsal: TestRehearsal, sku: string, onHand: number, locationId = STORE) =>
    here(await rehearsal.control('count-stock-by-hand', { params: { sku, locationId }, body: { onHand } }));
  const read = async (rehearsal: TestRehearsal, sku: string) => here(await rehearsal.api('get-inventory-api', { params: { sku } }));

  test('Counting stock sets the units of one location, more or fewer than before', async (rehearsal) => {
    for (let repeat = 0; repeat < 2; repeat++)
      expect(await count(rehearsal, 'mug-blue', 7)).toMatchObject({ onHand: 7, reserved: 0, atp: 7 });
    expect(await count(rehearsal, 'vase-sold-out', 3)).toMatchObject({ onHand: 3, atp: 3 });
    const { nodes } = await rehearsal.api('check-availability-api', { params: { sku: 'vase-sold-out' }, query: { qty: '3' } });
    expect(nodes).toContainEqual({ locationId: STORE, atp: 3 });
    expect(await rehearsal.onHand('mug-blue', 'dc-01')).toBe(1000);
  });

  test('Counting stock below the reserved units is refused and changes nothing', async (rehearsal) => {
    await rehearsal.reserve({ items: [mugs(4)], locationId: STORE });
    await expect(count(rehearsal, 'mug-blue', 3)).rejects.toThrow(/4 × mug-blue are reserved/);
    expect(await read(rehearsal, 'mug-blue')).toMatchObject({ onHand: 50, reserved: 4 });
    expect(await count(rehearsal, 'mug-blue', 4)).toMatchObject({ onHand: 4, reserved: 4, atp: 0 });
    const { body } = await rehearsal.reserve({ items: [mugs(1)], locationId: STORE });
    expect(body).toMatchObject({ status: 409, code: 'insufficient_stock' });
  });

  test('Counting stock reduces the safety stock to the counted units and restores it later', async (rehearsal) => {
    expect(await read(rehearsal, 'lamp-desk')).toMatchObject({ onHand: 20, safetyStock: 2 });
    await rehearsal.reserve({ items: [lamps(3)], locationId: STORE, ttlSeconds: 14_400 });
    for (const [onHand, safetyStock, atp] of [
      [4, 1, 0],
      [3, 0, 0],
      [9, 2, 4],
    ] as const)
      expect(await count(rehearsal, 'lamp-desk', onHand)).toMatchObject({ onHand, reserved: 3, safetyStock, atp });
  });

  test('Counting stock is refused for an unknown product or location and for an invalid number', async (rehearsal) => {
    await expect(count(rehearsal, 'no-such-thing', 1)).rejects.toThrow(/The product "no-such-thing" does not exist/);
    await expect(count(rehearsal, 'mug-blue', 1, 'store-99')).rejects.toThrow(/The location "store-99" does not exist/);
    await expect(count(rehearsal, 'mug-blue', -1)).rejects.toThrow(/422/);
  });
});
