import { expect, test } from '@jest/globals';
import { matchInOrder, matchStrictly } from '../../control/journal/sequence.ts';
import { readTimeline } from '../../control/journal/timeline.ts';
import { findTraces } from '../../control/journal/traces.ts';
import { readRecording } from '../../control/story/recording.ts';
import { storyOf } from '../../control/story/story.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { aHop } from '../ports/a-hop.ts';

const HOPS = 500;

/** A world with many hops, and a count of how often a computation permits a pause. */
async function aLongWorld() {
  const { worlds, control } = createMemoryStore();
  const world = await worlds.open('r', { now: 1_000, applications: {}, due: [] }, { bearer: 'b', apiKey: 'k', webhookSecret: 'w' });
  for (let n = 0; n < HOPS; n++) {
    const ids = { requestId: `r${n}`, correlationId: `c${n}` };
    const at = '2026-03-01T10:00:00.000Z';
    const shown = { application: 'oms', api: 'get-order-api', method: 'GET', path: `/orders/ord_${n}`, status: 404, durationMs: 1 };
    control.journal(world, aHop({ ...ids, head: JSON.stringify({ ...ids, ...shown, startedAt: at, at, calls: [], faults: [] }) }));
  }
  let permitted = 0;
  const breathe = () => {
    permitted += 1;
    return undefined;
  };
  const taken = (): number => {
    const taken = permitted;
    permitted = 0;
    return taken;
  };
  return { worlds, world, breathe, taken };
}

test('A search for traces permits a pause at each summary', async () => {
  const { worlds, world, breathe, taken } = await aLongWorld();
  await findTraces(worlds, world, { q: 'nothing has it', limit: 20 }, breathe);
  expect(taken()).toBe(HOPS);
});

test('A verification of a sequence permits a pause at each hop that it reads, and at each that it compares', async () => {
  const { worlds, world, breathe, taken } = await aLongWorld();
  const { happenings } = await readTimeline(worlds, world, undefined, breathe);
  expect([happenings.length, taken() >= 2 * HOPS]).toEqual([HOPS, true]);
  const [{ entry } = { entry: undefined }] = happenings;
  const step = { what: 'call', name: entry?.name } as Parameters<typeof matchInOrder>[0][number];
  await matchStrictly([step, { ...step, status: 599 } as typeof step], happenings, breathe);
  expect(taken()).toBe(HOPS);
  await matchInOrder([step, step], happenings, breathe);
  expect(taken()).toBe(2);
});

test('A story permits a pause at each hop that it reads, and at each call that it writes', async () => {
  const { worlds, world, breathe, taken } = await aLongWorld();
  const recording = await readRecording(worlds, { rehearsal: 'r', world }, breathe);
  expect(taken()).toBeGreaterThanOrEqual(HOPS);
  expect(await storyOf(recording, breathe)).toContain('Scenario');
  // Each call is planned and written.
  expect(taken()).toBeGreaterThanOrEqual(2 * HOPS);
});
