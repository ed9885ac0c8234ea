import { expect, test } from '@jest/globals';
import { ADMIN, newRehearsal, type TestRehearsal } from '../support/estate.ts';

const read = (rehearsal: TestRehearsal, name = rehearsal.name) => rehearsal.client.control('read-rehearsal', { params: { name } });
const listed = async (rehearsal: TestRehearsal, name = rehearsal.name) =>
  (await rehearsal.client.control('list-rehearsals')).items.find((one) => one.name === name);

test('A rehearsal is read with its clock, its progressions and its lifetime, as the list has them', async () => {
  await using rehearsal = await newRehearsal();
  await rehearsal.client.control('set-clock', { body: { flowing: false } });
  await rehearsal.client.control('set-progression', { body: { carrier: 'manual' } });
  const found = await read(rehearsal);
  const { contents: _contents, ...expected } = (await listed(rehearsal)) ?? {};
  expect(found).toMatchObject({ ...expected, world: rehearsal.world, flowing: false });
  expect(found.progression).toMatchObject({ ...(await rehearsal.client.control('read-progression')), carrier: 'manual' });
});

test('A rehearsal has the world and the time that its creation and each reset returned', async () => {
  await using rehearsal = await newRehearsal();
  const { client } = rehearsal;
  const name = `${rehearsal.name}-told`;
  for (let round = 0; round < 5; round++) {
    const { world, createdAt } = await client.control('create-rehearsal', { body: { name } });
    expect(await read(rehearsal, name)).toMatchObject({ world, createdAt });
    await client.control('delete-rehearsal', { params: { name } });
    const reset = await client.control('reset-rehearsal');
    expect(await read(rehearsal)).toMatchObject({ world: reset.world, createdAt: reset.createdAt });
  }
});

test('A rehearsal is read with the numbers of its traces, hops, events, faults, parked work, and objects in each state', async () => {
  await using scene = await newRehearsal({ warehouse: 'manual' });
  const before = await read(scene);
  expect(before.counts).toMatchObject({ faults: 0, parked: 0 });
  await scene.confirmed({ customerId: 'cus_ben' });
  await scene.fault('one', { match: { application: 'crm' }, fault: { kind: 'outage' } });
  await scene.fault('two', { match: { event: 'order-created' }, fault: { kind: 'withhold' } });
  await scene.settle();
  const { counts } = await read(scene);
  const hops = await scene.journal();
  expect(counts).toMatchObject({ hops: hops.length, traces: new Set(hops.map(({ correlationId }) => correlationId)).size });
  expect(counts.events).toBe((await scene.events({ ext: true })).length);
  expect([counts.faults, counts.parked]).toEqual([2, 0]);
  expect(counts.objects['order']).toEqual({ confirmed: 1 });
  expect(counts.objects['basket']).toEqual({ converted: 1 });
  expect(counts.objects['shipment']).toBeUndefined();
  const { items } = await scene.client.control('list-object-types');
  expect(counts.objects).toEqual(
    Object.fromEntries(items.filter(({ states }) => Object.keys(states).length > 0).map(({ type, states }) => [type, states])),
  );
});

test('Reading a rehearsal does not count as using it', async () => {
  await using rehearsal = await newRehearsal();
  const { lastUsedAt } = await read(rehearsal);
  await using other = await newRehearsal();
  for (let n = 0; n < 3; n++) await read(other, rehearsal.name);
  expect((await read(rehearsal)).lastUsedAt).toBe(lastUsedAt);
});

test('Read Rehearsal refuses an unknown rehearsal, and does not create it', async () => {
  await using rehearsal = await newRehearsal();
  const ask = () => rehearsal.call('GET', '/_control/rehearsals/never-made', undefined, { as: 'admin' });
  for (let n = 0; n < 2; n++) expect(await ask()).toMatchObject({ status: 404, body: { code: 'unknown_rehearsal' } });
  expect(await listed(rehearsal, 'never-made')).toBeUndefined();
  const { body } = await rehearsal.call('GET', '/_control/rehearsals/No_Name', undefined, { as: 'admin' });
  expect([body.code, body.detail]).toEqual(['unknown_rehearsal', expect.stringContaining('none can have this name')]);
});

test.each([
  ...[
    '/_control/topology',
    '/_control/objects',
    '/_control/objects/order',
    '/_control/life-cycles',
    '/_control/stock',
    '/_control/events/evt_1',
  ],
])('GET %s refuses an unknown rehearsal, and does not create it', async (path) => {
  await using rehearsal = await newRehearsal();
  const name = `${rehearsal.name}-gone`;
  const headers = { 'x-rehearsal': name, authorization: `Bearer ${ADMIN}` };
  const reply = await rehearsal.call('GET', path, undefined, { as: 'none', headers });
  expect(reply).toMatchObject({ status: 404, body: { code: 'unknown_rehearsal', rehearsal: name } });
  expect(await listed(rehearsal, name)).toBeUndefined();
});
