import { expect, test } from '@jest/globals';
import { createRuns, type Runs } from '../../control/runs/runs.ts';
import type { RunReport, RunState, ScenarioRunner } from '../../control/runs/scenario-runner.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { RunStore } from '../../shared/store/ports/runs.ts';
import { eventually } from '../support/eventually.ts';

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
const log = createLogger('silent');
const scenario = { name: 'any', title: 'Any', flows: [], pains: [] };

/** A scenario that runs until the test ends it. */
interface Playing {
  readonly rehearsal: string;
  readonly report: RunReport;
  readonly signal: AbortSignal;
  readonly end: (failure?: string) => void;
}

/** Two gateways on one store. Each run has its own rehearsal. */
function gateways() {
  const { worlds } = createMemoryStore();
  const playing: Playing[] = [];
  const from = () => ({ now: 0, applications: {}, due: [] });
  const create = (name: string) => worlds.create(name, { from, credentials: CREDENTIALS, idleMs: null, most: 99 });
  const runner: ScenarioRunner = {
    list: async () => [scenario],
    run: async (_name, report, signal) => {
      const rehearsal = `r${playing.length}`;
      const created = await create(rehearsal);
      if (created.is === 'created') report.begin(rehearsal, created.world);
      const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
      signal.addEventListener('abort', () => reject(signal.reason));
      playing.push({ rehearsal, report, signal, end: resolve });
      return promise;
    },
    breakOff: async () => undefined,
  };
  const open = (store: RunStore & typeof worlds = worlds): Runs => createRuns({ store, scenarios: runner, log });
  const rehearsals = async () => (await worlds.list()).map(({ rehearsal }) => rehearsal);
  /** Deletes a rehearsal, and creates another one of the same name. */
  const recreate = async (rehearsal: string) => {
    await worlds.remove(rehearsal);
    await create(rehearsal);
  };
  return { worlds, playing, open, one: open(), other: open(), rehearsals, recreate };
}

const inState = (runs: Runs, id: string, state: RunState['state']) =>
  eventually(`${id} is ${state}`, async () => [await runs.read(id)].find((run) => run.state === state));

test('Two gateways of one estate report the runs of each other', async () => {
  const { one, other, playing } = gateways();
  const { id } = await one.start('any');
  await inState(other, id, 'running');
  playing[0]?.report.note('something');
  const { steps } = await eventually('the step is reported', async () => [await other.read(id)].find(({ steps: all }) => all.length > 0));
  expect(steps).toMatchObject([{ number: 1, kind: 'note', title: 'something' }]);
  playing[0]?.end();
  await inState(other, id, 'passed');
  await one.stop();
});

test('Two gateways of one estate stop the runs of each other, and delete their rehearsals', async () => {
  const { one, other, playing, rehearsals } = gateways();
  const { id } = await one.start('any');
  await eventually('its rehearsal is known', async () => (await other.read(id)).rehearsal);
  await other.remove(id);
  expect((await one.read(id)).state).toBe('stopped');
  expect(await rehearsals()).toEqual([]);
  await eventually('it ends', async () => playing[0]?.signal.aborted);
  await one.stop();
});

test('Two gateways of one estate run at most two scenarios together, sorted by request', async () => {
  const { one, other, playing } = gateways();
  const ids = [];
  for (const runs of [one, other, one, other]) ids.push((await runs.start('any')).id);
  const states = async () => (await one.list()).items.toReversed().map(({ state }) => state);
  await eventually('two run', async () => playing.length === 2);
  expect(await states()).toEqual(['running', 'running', 'waiting', 'waiting']);
  playing[1]?.end('It broke.');
  await eventually('the next one runs', async () => playing.length === 3);
  expect(await states()).toEqual(['running', 'failed', 'running', 'waiting']);
  expect((await other.read(ids[1] ?? '')).failure).toBe('It broke.');
  await Promise.all([one.stop(), other.stop()]);
});

test('A run fails with a reason when its gateway stops, which waits for no step', async () => {
  const { one, other } = gateways();
  const { id } = await one.start('any');
  await inState(other, id, 'running');
  await one.stop();
  expect(await other.read(id)).toMatchObject({ state: 'failed', failure: 'The gateway that ran it stopped.' });
});

test('A run fails with a reason when its gateway dies, and no longer counts towards the limit', async () => {
  const { worlds, open, other, playing } = gateways();
  const dying = open({ ...worlds, addRun: (run) => worlds.addRun(run, 1), renewRun: async () => true, updateRun: async () => true });
  const dead = [(await dying.start('any')).id, (await dying.start('any')).id];
  const { id } = await other.start('any');
  await inState(other, id, 'running');
  const ofDead = await eventually('both have failed', async () => {
    const found = (await other.list()).items.filter((run) => dead.includes(run.id));
    return found.every(({ state }) => state === 'failed') && found;
  });
  expect(ofDead.map(({ failure }) => failure)).toEqual(Array(2).fill('The gateway that ran it stopped.'));
  for (const { end } of playing) end();
  await Promise.all([dying.stop(), other.stop()]);
});

test('A run that ends while it is being stopped keeps its result and its rehearsal when ended runs are kept', async () => {
  const { worlds, open, one, playing, rehearsals } = gateways();
  const { id } = await one.start('any');
  await inState(one, id, 'running');
  const { rehearsal } = await eventually('it plays', async () => playing[0]);
  const late = open({
    ...worlds,
    run: async (read) => {
      const before = await worlds.run(read);
      playing[0]?.end();
      await inState(one, id, 'passed');
      return before;
    },
  });
  await late.remove(id, { keepsEnded: true });
  expect((await one.read(id)).state).toBe('passed');
  expect(await rehearsals()).toEqual([rehearsal]);
  await one.stop();
});

test('A run is dropped with its rehearsal after forty newer runs', async () => {
  const { one: runs, playing, rehearsals } = gateways();
  const ids: string[] = [];
  for (let n = 0; n < 41; n++) {
    const { id } = await runs.start('any');
    ids.push(id);
    await eventually('it runs', async () => playing[n]);
    playing[n]?.end();
    await inState(runs, id, 'passed');
  }
  expect((await runs.list()).items.map(({ id }) => id)).toEqual(ids.slice(1).toReversed());
  expect(await rehearsals()).toEqual(playing.slice(1).map(({ rehearsal }) => rehearsal));
  await runs.stop();
});

test('A run that is stopped, deleted or dropped leaves a later rehearsal of the same name', async () => {
  const { one: runs, other, playing, rehearsals, recreate } = gateways();
  const ids: string[] = [];
  for (let n = 0; n < 44; n++) {
    const { id } = await runs.start('any');
    ids.push(id);
    const { rehearsal, end } = await eventually('it runs', async () => playing[n]);
    await eventually('its rehearsal is known', async () => (await runs.read(id)).rehearsal);
    if (n < 3) await recreate(rehearsal);
    if (n === 0) await other.remove(id);
    else end();
    await inState(runs, id, n === 0 ? 'stopped' : 'passed');
    if (n === 1) await runs.remove(id);
  }
  expect((await runs.list()).items).toHaveLength(40);
  expect(await rehearsals()).toEqual(expect.arrayContaining(['r0', 'r1', 'r2']));
  await runs.stop();
});

test('A run is refused with Retry-After while forty runs wait or run', async () => {
  const { one: runs } = gateways();
  for (let n = 0; n < 40; n++) await runs.start('any');
  await expect(runs.start('any')).rejects.toMatchObject({ code: 'rate_limited', context: { retryAfter: 10 } });
  expect((await runs.list()).items).toHaveLength(40);
  await runs.stop();
});

test('A run records at most 500 steps, each with a text of at most 500 characters', async () => {
  const { one: runs, playing } = gateways();
  const { id } = await runs.start('any');
  await inState(runs, id, 'running');
  for (let n = 0; n < 600; n++) playing[0]?.report.note('x'.repeat(10_000));
  playing[0]?.end();
  const { steps } = await inState(runs, id, 'passed');
  expect([steps.length, Math.max(...steps.map(({ title }) => title.length))]).toEqual([500, 501]);
  await runs.stop();
});
