import { expect } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const read = (rehearsal: TestRehearsal, name = rehearsal.name) => rehearsal.control('read-rehearsal', { params: { name } });
const listed = async (rehearsal: TestRehearsal, name = rehearsal.name) =>
  (await rehearsal.control('list-rehearsals')).items.find((one) => one.name === name);

test('A rehearsal is read with its clock, its progressions and its lifetime, as the list has them', async (rehearsal) => {
  await rehearsal.control('set-clock', { body: { flowing: false } });
  await rehearsal.control('set-progression', { body: { carrier: 'manual' } });
  const found = await read(rehearsal);
  const { contents: _contents, ...expected } = (await listed(rehearsal)) ?? {};
  expect(found).toMatchObject({ ...expected, world: rehearsal.world, flowing: false });
  expect(found.progression).toMatchObject({ ...(await rehearsal.control('read-progression')), carrier: 'manual' });
});

test('A rehearsal has the world and the time that its creation and each reset returned', async (rehearsal) => {
  const name = `${rehearsal.name}-next`;
  for (let round = 0; round < 5; round++) {
    const { world, createdAt } = await rehearsal.control('create-rehearsal', { body: { name } });
    expect(await read(rehearsal, name)).toMatchObject({ world, createdAt });
    await rehearsal.control('delete-rehearsal', { params: { name } });
    const reset = await rehearsal.control('reset-rehearsal');
    expect(await read(rehearsal)).toMatchObject({ world: reset.world, createdAt: reset.createdAt });
  }
});

test('A rehearsal is read with the numbers of its traces, hops, events, faults, parked work, and objects in each state', async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'manual' });
  const before = await read(rehearsal);
  expect(before.counts).toMatchObject({ faults: 0, parked: 0 });
  await rehearsal.confirmed({ customerId: 'cus_ben' });
  await rehearsal.fault('one', { match: { application: 'crm' }, fault: { kind: 'outage' } });
  await rehearsal.fault('two', { match: { event: 'order-created' }, fault: { kind: 'withhold' } });
  await rehearsal.settle();
  const { counts } = await read(rehearsal);
  const hops = await rehearsal.journal();
  expect(counts).toMatchObject({ hops: hops.length, traces: new Set(hops.map(({ correlationId }) => correlationId)).size });
  expect(counts.events).toBe((await rehearsal.events({ ext: true })).length);
  expect([counts.faults, counts.parked]).toEqual([2, 0]);
  expect(counts.objects).toMatchObject({ order: { confirmed: 1 }, basket: { converted: 1 } });
  expect(counts.objects['shipment']).toBeUndefined();
  const { items } = await rehearsal.control('list-object-types');
  const inStates = items.filter(({ states }) => Object.keys(states).length > 0).map(({ type, states }) => [type, states]);
  expect(counts.objects).toEqual(Object.fromEntries(inStates));
});

test('Read Rehearsal refuses an unknown rehearsal, and does not create it', async (rehearsal) => {
  const refused = (name: string) => rehearsal.call('read-rehearsal', { params: { name } });
  for (let n = 0; n < 2; n++) expect(await refused('never-made')).toMatchObject({ status: 404, body: { code: 'unknown_rehearsal' } });
  expect(await listed(rehearsal, 'never-made')).toBeUndefined();
  const detail = expect.stringContaining('none can have this name');
  expect((await refused('No_Name')).body).toMatchObject({ code: 'unknown_rehearsal', detail });
});
