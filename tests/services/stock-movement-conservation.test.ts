import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as inventoryService from '../../services/inventory-service/service.ts';
import * as sim from '../../services/sim/service.ts';
import { allocateInventory, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { moveReservation, recordStockMovement } from '../../shared/catalog/inventory/internal.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { runsOf } from '../support/effort.ts';
import { type Inside, startInside } from '../support/inside.ts';

/**
 * Units are reserved, sent, missed, given back, restocked, scrapped, found and carried out, in any order, with repeats, concurrent calls
 * and failures of the Inventory Service. At the end, initial + returned + found units are on hand + shipped + carried out + written off.
 */

const RESERVATIONS = '/inventory/reservations';
const MINUTE = 60_000;
const NODES = ['dc-01', 'dc-02'] as const;
const SKUS = ['desk-two-nodes', 'lamp-last-one', 'mug-blue'] as const;

const units = { sku: fc.constantFrom(...SKUS), qty: fc.integer({ min: 1, max: 3 }), locationId: fc.constantFrom(...NODES) };
const aStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      basket: fc.option(fc.constantFrom('bsk_1', 'bsk_2'), { nil: undefined }),
      /** Sends two concurrent requests with one key, as an impatient client does. */
      twice: fc.boolean(),
      ...units,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('allocate' as const), orderLineId: fc.constantFrom('line_1', 'line_2'), ...units }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('confirm' as const), of: fc.nat(7) }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom('consume' as const, 'consume' as const, 'short' as const),
      of: fc.nat(7),
      reference: fc.constantFrom('one', 'two', 'three'),
      qty: units.qty,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('release' as const), of: fc.nat(7) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('restock' as const, 'scrap' as const, 'found' as const, 'carried-out' as const),
      reference: fc.constantFrom('a', 'b', 'c', 'd'),
      ...units,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('advance' as const), minutes: fc.constantFrom(1, 16) }) },
);
type Step = typeof aStep extends fc.Arbitrary<infer T> ? T : never;

const aFault = fc.record({
  api: fc.constantFrom('take-hold', 'take-hold', 'move-hold', 'move-hold', 'record-reservation'),
  fault: fc.constantFrom(
    { kind: 'outage' as const },
    { kind: 'lost-response' as const, as: 'timeout' as const },
    { kind: 'lost-response' as const, as: 'reset' as const },
    { kind: 'status' as const, status: 500 },
    { kind: 'latency' as const, ms: 20 },
  ),
  times: fc.integer({ min: 1, max: 4 }),
});
/** Steps that overlap: each begins this many milliseconds after the first. */
const aBatch = fc.record({
  steps: fc.array(fc.record({ step: aStep, after: fc.constantFrom(0, 0, 5, 15) }), { minLength: 1, maxLength: 6 }),
  faults: fc.array(aFault, { maxLength: 2 }),
});

interface Held {
  readonly id: string;
  readonly sku: string;
  readonly locationId: string;
}

/** @returns the resulting reservation */
async function perform(inside: Inside, step: Step, held: readonly Held[]): Promise<Held | undefined> {
  const one = 'of' in step ? held[step.of % Math.max(1, held.length)] : undefined;
  switch (step.do) {
    case 'hold': {
      const { sku, qty, locationId, basket, twice } = step;
      const body = { items: [{ sku, qty }], locationId, ...(basket !== undefined && { basketId: basket }) };
      const intent = randomUUID();
      const sends = Array.from({ length: twice ? 2 : 1 }, () => inside.as('ecommerce-platform')(reserveInventory, { body }, { intent }));
      const { id } = await Promise.any(sends).catch(({ errors }: AggregateError) => Promise.reject(errors[0]));
      await Promise.allSettled(sends);
      return { id, sku, locationId };
    }
    case 'allocate': {
      const { sku, qty, orderLineId } = step;
      const body = { orderId: 'ord_1', orderLineId, sku, qty };
      const { id, allocations } = await inside.as('fms')(allocateInventory, { body });
      return { id, sku, locationId: allocations[0]?.locationId ?? '' };
    }
    case 'confirm':
      if (one) await inside.call('POST', `${RESERVATIONS}/${one.id}/confirm`, {});
      return undefined;
    case 'release':
      if (one) await inside.call('DELETE', `${RESERVATIONS}/${one.id}`);
      return undefined;
    case 'consume':
    case 'short': {
      if (!one) return undefined;
      const body = { reference: step.reference, kind: step.do, locationId: one.locationId, lines: [{ sku: one.sku, qty: step.qty }] };
      await inside.as('fms')(moveReservation, { params: { id: one.id }, body });
      return undefined;
    }
    case 'advance':
      await inside.advance(step.minutes * MINUTE);
      return undefined;
    default: {
      const { reference, sku, qty, locationId } = step;
      await inside.as('fms')(recordStockMovement, { body: { reference, kind: step.do, locationId, sku, qty } });
      return undefined;
    }
  }
}

/** Refusals are valid answers; other failures are not. */
const answered = (promise: Promise<Held | undefined>): Promise<Held | undefined> =>
  promise.catch((error: unknown) => {
    if (error instanceof Problem || (error instanceof Error && error.message.startsWith('not settled'))) return undefined;
    throw error;
  });

const movedAt = async (inside: Inside, sku: string, locationId: string) => {
  const { onHand = 0, reserved = 0 } = await inside.counters('inventory-service', 'stock', `${sku}|${locationId}`);
  const moved = await inside.counters('inventory-service', 'units-moved', `${sku}|${locationId}`);
  const { shipped = 0, carriedOut = 0, writtenOff = 0, returned = 0, found = 0 } = moved;
  return { reserved, balance: onHand + shipped + carriedOut + writtenOff - returned - found };
};

/** Units of every SKU at the start. */
async function balances(inside: Inside): Promise<Map<string, number>> {
  const begin = new Map<string, number>();
  for (const sku of SKUS) for (const node of NODES) begin.set(`${sku}|${node}`, (await movedAt(inside, sku, node)).balance);
  return begin;
}

/** Waits until the estate is idle, ends every reservation, and accounts for each unit. */
async function nothingIsMissing(inside: Inside, begin: ReadonlyMap<string, number>): Promise<void> {
  await inside.advance(10 * MINUTE);
  expect(await inside.violations()).toEqual([]);
  // The longest pause before a retry is 2 hours.
  await inside.advance(180 * MINUTE);
  expect(await inside.violations()).toEqual([]);
  expect(await inside.parked()).toEqual([]);
  for (const id of await everyReservation(inside)) await inside.call('DELETE', `${RESERVATIONS}/${id}`);
  for (const sku of SKUS) {
    for (const node of NODES) {
      expect([sku, node, await movedAt(inside, sku, node)]).toEqual([sku, node, { reserved: 0, balance: begin.get(`${sku}|${node}`) }]);
    }
  }
  expect(await inside.violations()).toEqual([]);
}

const MANY = { numRuns: runsOf({ usually: 20, thoroughly: 60 }), interruptAfterTimeLimit: 20_000, endOnFailure: true };

test('No unit appears or vanishes in concurrent calls with failures in between', async () => {
  const property = fc.asyncProperty(fc.array(aBatch, { minLength: 2, maxLength: 8 }), async (batches) => {
    await using inside = await startInside(sim, inventoryService);
    const begin = await balances(inside);
    const held: Held[] = [];
    for (const { steps, faults } of batches) {
      await inside.noFaults();
      for (const [index, { api, fault, times }] of faults.entries()) await inside.fault(`fault-${index}`, { match: { api }, fault, times });
      const known = [...held];
      const made = await Promise.all(
        steps.map(async ({ step, after }) => {
          await sleep(after);
          return answered(perform(inside, step, known));
        }),
      );
      held.push(...made.filter((one) => one !== undefined));
      expect(await inside.violations()).toEqual([]);
    }
    await inside.noFaults();
    await nothingIsMissing(inside, begin);
  });
  await fc.assert(property, MANY);
});

/** Includes reservations whose creation was never answered. */
const everyReservation = async (inside: Inside): Promise<Set<string>> =>
  new Set((await inside.events()).map(({ data }) => data.object.id as string));
