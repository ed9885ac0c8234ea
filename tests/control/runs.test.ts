import { afterAll, expect, test } from '@jest/globals';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { clientOf } from '../redis/replicas/running-replicas.ts';
import { estate } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';

const WITHIN_MS = 60_000;
const { call, control, close } = clientOf(estate.gateway);
afterAll(close);

const read = (id: string) => control('read-run', { params: { id } });
const isOver = ({ state }: { readonly state: string }): boolean => state !== 'waiting' && state !== 'running';

async function ended(id: string) {
  return eventually('the run ends', async () => [await read(id)].find(isOver), WITHIN_MS);
}

const rehearsals = async () => (await control('list-rehearsals')).items.map(({ name }) => name);

/** Runs a scenario. The end of the test deletes the run and its rehearsal. */
async function started(scenario: string) {
  const run = await control('start-run', { body: { scenario } });
  return {
    ...run,
    [Symbol.asyncDispose]: async () => {
      for (;;) {
        const { status } = await call('DELETE', `/_control/runs/${run.id}`, undefined, { as: 'admin' });
        if (status === 404) return;
      }
    },
  };
}

test('The scenarios are listed with their flows and with their faults', async () => {
  const { items } = await control('list-scenarios');
  expect(items.map(({ name }) => name)).toEqual(scenarios.map(({ name }) => name));
  expect(items.find(({ name }) => name === 'last-unit')).toMatchObject({ pains: ['many buyers request the last unit at the same time'] });
});

test('A run of a scenario is accepted immediately, passes, and leaves its rehearsal with the trace of each step', async () => {
  await using run = await started('digital-order');
  expect(run).toMatchObject({ scenario: 'digital-order', state: 'waiting', steps: [], invariants: [] });
  const { state, failure, rehearsal = '', steps, invariants, startedAt, endedAt = '' } = await ended(run.id);
  expect([state, failure]).toEqual(['passed', undefined]);
  expect(Date.parse(endedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt));
  expect(steps.map(({ number }) => number)).toEqual(steps.map((_, place) => place + 1));
  expect(invariants.length).toBeGreaterThan(5);
  expect(invariants.filter(({ holds }) => !holds)).toEqual([]);
  const calls = steps.filter(({ kind }) => kind === 'step');
  expect(calls.length).toBeGreaterThan(3);
  const inside = clientOf(estate.gateway, rehearsal);
  for (const { correlationId = '', application, status, api } of calls) {
    const { items } = await inside.control('read-journal', { query: { correlationId } });
    expect(items.find(({ parentId }) => parentId === undefined)).toMatchObject({ application, api, status });
  }
  await inside.close();
});

test('A run of a scenario records faults, the clock and expectations as notes', async () => {
  await using run = await started('loyalty-down');
  const { state, steps } = await ended(run.id);
  expect(state).toBe('passed');
  const notes = steps.filter(({ kind }) => kind === 'note');
  expect(notes.some(({ title }) => title.startsWith('fault '))).toBe(true);
  expect(notes.filter(({ correlationId, call: called }) => correlationId !== undefined || called !== undefined)).toEqual([]);
});

test('Deleting a running run stops it, lists it as stopped, and deletes its rehearsal', async () => {
  await using run = await started('delivered-order');
  const begun = async () => [await read(run.id)].find(({ steps }) => steps.length > 0);
  const { rehearsal = '' } = await eventually('a step is made', begun, WITHIN_MS);
  await control('delete-run', { params: { id: run.id }, query: { ended: 'keep' } });
  const stopped = await read(run.id);
  expect(stopped).toMatchObject({ state: 'stopped', rehearsal });
  await eventually('the rehearsal is gone', async () => !(await rehearsals()).includes(rehearsal));
  expect((await read(run.id)).steps).toEqual(stopped.steps);
});

test('Deleting an ended run removes it with its rehearsal, unless ended runs are kept', async () => {
  await using run = await started('digital-order');
  const { rehearsal = '' } = await ended(run.id);
  await control('delete-run', { params: { id: run.id }, query: { ended: 'keep' } });
  expect((await read(run.id)).state).toBe('passed');
  expect(await rehearsals()).toContain(rehearsal);
  await control('delete-run', { params: { id: run.id } });
  expect(await rehearsals()).not.toContain(rehearsal);
  const { status, body } = await call('GET', `/_control/runs/${run.id}`, undefined, { as: 'admin' });
  expect([status, body.code, body.detail]).toEqual([404, 'not_found', `The run "${run.id}" does not exist.`]);
});

test('Deleting an ended run leaves a later rehearsal of the same name', async () => {
  await using run = await started('digital-order');
  const { rehearsal: name = '' } = await ended(run.id);
  await control('delete-rehearsal', { params: { name } });
  const { world } = await control('create-rehearsal', { body: { name } });
  await control('delete-run', { params: { id: run.id } });
  expect((await control('read-rehearsal', { params: { name } })).world).toBe(world);
  await control('delete-rehearsal', { params: { name } });
});
