import { expect, test } from '@jest/globals';
import { arrivalOf } from '../../control/explanations/cause.ts';
import { type ExplainScope, readSubject } from '../../control/explanations/subject.ts';
import { matchInOrder, matchStrictly } from '../../control/journal/sequence.ts';
import { readTimeline } from '../../control/journal/timeline.ts';
import { findTraces } from '../../control/journal/traces.ts';
import { listedType } from '../../control/objects/types.ts';
import { readEventWithConsumers } from '../../control/operations/events.ts';
import { readRecording } from '../../control/story/recording.ts';
import { storyOf } from '../../control/story/story.ts';
import { objectsOf, registeredApplications } from '../../estate/registry.ts';
import { objectExamples } from '../../shared/catalog/examples.ts';
import type { InSlices } from '../../shared/process/slices.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { ExportedWorld } from '../../shared/store/ports/world-data.ts';
import { aHop } from '../ports/a-hop.ts';

const HOPS = 500;

interface LongWorld {
  /** Of all hops. */
  readonly correlationId?: string;
  /** Hops that take longer than a millisecond overlap. */
  readonly durationMs?: number;
  readonly events?: ExportedWorld['events'];
}

/** A world with many hops, and a count of how often a computation permits a pause. */
async function aLongWorld({ correlationId, durationMs = 1, events = [] }: LongWorld = {}) {
  const { worlds, control } = createMemoryStore();
  const credentials = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
  const empty = await worlds.open('empty', { now: 1_000, applications: {}, due: [] }, credentials);
  const from = events.length > 0 ? { ...(await worlds.exportWorld(empty)), events } : { now: 1_000, applications: {}, due: [] };
  const world = await worlds.open('r', from, credentials);
  for (let n = 0; n < HOPS; n++) {
    const ids = { requestId: `r${n}`, correlationId: correlationId ?? `c${n}` };
    const at = '2026-03-01T10:00:00.000Z';
    const shown = { application: 'oms', api: 'get-order-api', method: 'GET', path: `/orders/ord_${n}`, status: 404, durationMs };
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

/** The world of `aLongWorld` with one correlation id, and an event of it. */
async function aLongTrace() {
  const time = '2026-03-01T10:00:00.000Z';
  const event = { id: 'evt_1', type: 'com.example.order-created', correlationid: 'c', subject: 'order/ord_1', time, aggregateversion: 1 };
  const json = JSON.stringify({ ...event, data: { object: { id: 'ord_1', state: 'draft' }, previousState: null } });
  return aLongWorld({ correlationId: 'c', events: [{ id: 'evt_1', topic: 'orders', key: 'ord_1', json, hop: 'r7' }] });
}

test('An event with its consumers permits a pause at each hop of its trace', async () => {
  const { worlds, world, breathe, taken } = await aLongTrace();
  const { order } = await readEventWithConsumers(worlds, world, 'evt_1', breathe);
  expect([order, taken() >= HOPS]).toEqual([1, true]);
});

test('The cause in an explanation permits a pause at each hop of a trace in each pass', async () => {
  const { worlds, world, breathe, taken } = await aLongTrace();
  const inSlices: InSlices = (_gone, run) => run(breathe);
  const scope = { worlds, view: { world }, inSlices, gone: new AbortController().signal } as unknown as Parameters<typeof arrivalOf>[0];
  const order = { subject: 'order/ord_1', state: 'draft', object: { version: 1 }, type: 'order', of: { definition: { owner: 'oms' } } };
  const { cause } = await arrivalOf(scope, order as unknown as Parameters<typeof arrivalOf>[1], []);
  expect([cause.requestId, taken() >= 5 * HOPS]).toEqual(['r7', true]);
});

test('An explanation of an order with 200 lines reads no product', async () => {
  const { worlds, world, breathe } = await aLongWorld();
  let products = 0;
  const counted = Object.assign(Object.create(worlds) as typeof worlds, {
    unique: async () => {
      products += 1;
      return undefined;
    },
  });
  const objects = objectsOf(registeredApplications.map(({ service }) => service));
  const type = listedType(objects, 'order');
  const order = objectExamples.find(({ definition }) => definition.type === 'order')?.object ?? {};
  const [line] = order['lines'] as readonly object[];
  const lines = Array.from({ length: 200 }, (_, place) => ({ ...line, lineId: `oln_${place}`, sku: `sku-${place}` }));
  const found = { id: 'ord_1', order: 1, version: 1, json: JSON.stringify({ ...order, id: 'ord_1', lines }) };
  const inSlices: InSlices = (_gone, run) => run(breathe);
  const scope = { worlds: counted, objects, view: { world }, inSlices, gone: new AbortController().signal };
  const { object } = await readSubject(scope as unknown as ExplainScope, type, found);
  expect([(object['lines'] as object[]).length, products]).toEqual([200, 0]);
});

test('A search for traces permits a pause at each summary', async () => {
  const { worlds, world, breathe, taken } = await aLongWorld();
  await findTraces(worlds, world, { q: 'nothing has it', limit: 20 }, breathe);
  expect(taken()).toBe(HOPS);
});

test('A verification of a sequence permits a pause at each hop in each of its passes', async () => {
  const { worlds, world, breathe, taken } = await aLongWorld();
  const { happenings } = await readTimeline(worlds, world, undefined, breathe);
  // Hops are parsed, dated, indexed, joined to their causes, placed, joined to their deliveries and last calls, and listed.
  expect([happenings.length, taken() >= 8 * HOPS]).toEqual([HOPS, true]);
  const [{ entry } = { entry: undefined }] = happenings;
  const step = { what: 'call', name: entry?.name } as Parameters<typeof matchInOrder>[0][number];
  const other = { ...step, status: 599 } as typeof step;
  // The first step fits everywhere, the next one nowhere, and the nearest happening is sought.
  await matchStrictly([step, other], happenings, breathe);
  expect(taken()).toBeGreaterThanOrEqual(2 * HOPS);
  const { mismatch } = await matchStrictly([other, step], happenings, breathe);
  expect([mismatch?.step, mismatch?.nearest?.id, taken() >= 2 * HOPS]).toEqual([1, 'r0', true]);
  await matchInOrder([step, step], happenings, breathe);
  expect(taken()).toBeGreaterThanOrEqual(2);
  await matchInOrder([step, other], happenings, breathe);
  expect(taken()).toBeGreaterThanOrEqual(2 * HOPS);
});

test('A story permits a pause at each hop that it reads, and at each call that it writes', async () => {
  const { worlds, world, breathe, taken } = await aLongWorld();
  const recording = await readRecording(worlds, { rehearsal: 'r', world }, breathe);
  expect(taken()).toBeGreaterThanOrEqual(HOPS);
  expect(await storyOf(recording, breathe)).toContain('Scenario');
  // Each call is planned and written.
  expect(taken()).toBeGreaterThanOrEqual(2 * HOPS);
});

test('A story of calls that overlap permits a pause at each call in each pass', async () => {
  const { worlds, world, breathe, taken } = await aLongWorld({ durationMs: 9 });
  const recording = await readRecording(worlds, { rehearsal: 'r', world }, breathe);
  expect(taken()).toBeGreaterThanOrEqual(5 * HOPS);
  expect(await storyOf(recording, breathe)).toContain(`${HOPS} calls at the same time`);
  // Calls are found, grouped, put at rest, planned, noted, counted, written and compared.
  expect(taken()).toBeGreaterThanOrEqual(8 * HOPS);
});
