import { expect, test } from '@jest/globals';
import { withOwnData } from '../../control/rehearsals/own-data.ts';
import { stock } from '../../control/verify/stock.ts';
import { readWorld } from '../../control/verify/world-records.ts';
import { objectsOf, registeredApplications } from '../../estate/registry.ts';
import { seedSteps } from '../../estate/seeding.ts';
import type { Fixtures } from '../../fixtures/files.ts';
import { loadFixtures } from '../../fixtures/load.ts';
import { stepsBreathing } from '../../shared/domain/breathe.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { countingPauses } from '../support/counting-pauses.ts';

const NOW = Date.UTC(2026, 2, 1, 10);
const ROWS = 300;

const customers = Array.from({ length: ROWS }, (_, n) => ({
  id: `cus_own_${n}`,
  state: 'registered',
  email: `own${n}@people.example`,
  firstName: 'Own',
  lastName: `Number ${n}`,
  addresses: [],
  consents: { emailMarketing: false, smsMarketing: false, profiling: false },
  interactions: [],
}));

test('Own data of a rehearsal permits a pause at each row that it searches, merges and validates', async () => {
  const { breathe, taken } = countingPauses();
  const { fixtures } = await withOwnData(await loadFixtures(), { customers }, { now: NOW, breathe });
  expect([fixtures.customers.filter(({ id }) => id.startsWith('cus_own')).length, taken() >= 3 * ROWS]).toEqual([ROWS, true]);
});

test('Own data with mistakes permits a pause at each row', async () => {
  const { breathe, taken } = countingPauses();
  const data = { customers: customers.map(({ id }) => ({ id, email: 1 })) };
  await expect(withOwnData(await loadFixtures(), data, { now: NOW, breathe })).rejects.toMatchObject({ code: 'validation_failed' });
  expect(taken()).toBeGreaterThanOrEqual(2 * ROWS);
});

test('The seed of a world permits a pause at each row, and at the entries of each index of a row', async () => {
  const whole = countingPauses();
  const { fixtures } = await withOwnData(await loadFixtures(), { customers }, { now: NOW, breathe: () => undefined });
  const { applications } = await stepsBreathing(seedSteps(fixtures, NOW), whole.breathe);
  const rows = Object.values(applications).flatMap(({ objects }) => Object.values(objects).flat());
  expect([rows.length >= ROWS, whole.taken() >= rows.length + 3 * ROWS]).toEqual([true, true]);
});

test('The seed of a world permits a pause at each counter of a SKU at a location, and its verification at each of them', async () => {
  const fixtures = (await loadFixtures()).at(NOW);
  const [location] = fixtures.locations;
  const locations = Array.from({ length: ROWS }, (_, n) => ({ ...location, id: `loc_${n}`, priority: n + 1 }));
  const many = { ...fixtures, locations } as Fixtures;
  const { breathe, taken } = countingPauses();
  const seed = await stepsBreathing(seedSteps(many, NOW), breathe);
  const counters = fixtures.stock.length * ROWS;
  expect(Object.keys(seed.applications['inventory-service']?.counters['stock'] ?? {})).toHaveLength(counters);
  expect(taken()).toBeGreaterThanOrEqual(counters);
  const { worlds } = createMemoryStore();
  const world = await worlds.open('r', seed, { bearer: 'b', apiKey: 'k', webhookSecret: 'w' });
  const records = await readWorld(worlds, world, { objects: objectsOf(registeredApplications.map(({ service }) => service)), breathe });
  taken();
  expect(await stock(records, breathe)).toMatchObject({ holds: true, violations: [] });
  expect(taken()).toBeGreaterThanOrEqual(counters);
});
