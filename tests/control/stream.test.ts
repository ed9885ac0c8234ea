import { afterAll, expect, test } from '@jest/globals';
import { createEstateClient, type EstateClient } from '../../rehearsal/estate-client.ts';
import { clientOf } from '../redis/replicas/running-replicas.ts';
import { ADMIN, estate, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';

const anybody = clientOf(estate.gateway);
afterAll(anybody.close);

type Frames = ReturnType<EstateClient['stream']>;
type Frame = Awaited<ReturnType<Frames['next']>>['value'] & object;

const BASKET = { channel: 'web' as const, lines: [{ sku: 'mug-blue', qty: 1 }] };
const newBasket = (rehearsal: TestRehearsal) => rehearsal.api('create-basket-api', { body: BASKET });

type Input = Parameters<EstateClient['stream']>[1];

/** An open stream of a rehearsal, with its frames so far. */
function listening(rehearsal: TestRehearsal, input: Input = {}) {
  const stop = new AbortController();
  const frames: Frame[] = [];
  const client = createEstateClient({ gateway: estate.gateway, bearer: '', apiKey: '', admin: ADMIN, rehearsal: rehearsal.name });
  const ended = (async () => {
    for await (const frame of client.stream('read-stream', { ...input, signal: stop.signal })) frames.push(frame);
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  const of = <Kind extends Frame['event']>(kind: Kind) =>
    frames.filter((frame): frame is Extract<Frame, { event: Kind }> => frame.event === kind);
  return {
    frames,
    ended,
    of,
    hops: () => of('hops').flatMap(({ data }) => data),
    events: () => of('events').flatMap(({ data }) => data),
    gaps: () => of('gap').map(({ data }) => data.reason),
    begun: () => eventually('the stream begins', async () => frames.length > 0),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
      await client.close();
    },
  };
}

/** A new rehearsal and its stream. */
async function watching(topics?: string) {
  const rehearsal = await newRehearsal();
  const stream = listening(rehearsal, topics === undefined ? {} : { query: { topics } });
  await stream.begun();
  const dispose = async () => {
    await stream[Symbol.asyncDispose]();
    await rehearsal[Symbol.asyncDispose]();
  };
  return { ...stream, rehearsal, [Symbol.asyncDispose]: dispose };
}

const sequencesIn = async (rehearsal: TestRehearsal, after = 0) =>
  (await rehearsal.control('read-journal', { query: { after, limit: 5_000 } })).items.map(({ sequence }) => Number(sequence));

async function refused(query: string, more: Record<string, string> = {}, name = 'default') {
  const headers = { 'x-rehearsal': name, ...more };
  const { status, body } = await anybody.call('GET', `/_control/stream${query}`, undefined, { as: 'admin', headers });
  const pointers = body.errors?.map(({ pointer }: { pointer: string }) => pointer);
  return { status, code: body.code, detail: String(body.detail), pointers };
}

test('A stream begins with the clock, the faults and the runs, and reports nothing that happened before', async () => {
  await using rehearsal = await newRehearsal();
  const { id: before } = await newBasket(rehearsal);
  await rehearsal.settle();
  await using stream = listening(rehearsal);
  await eventually('it begins', async () => stream.frames.length >= 3);
  expect(stream.frames.slice(0, 3).map(({ event }) => event)).toEqual(['clock', 'faults', 'runs']);
  expect(stream.of('clock')[0]?.data).toEqual({ now: expect.any(String), flowing: true, moves: 0 });
  expect(stream.of('faults')[0]?.data).toEqual({ revision: 0, hits: 0 });
  const { id } = await newBasket(rehearsal);
  const subjects = () => stream.events().map(({ event }) => event['subject']);
  await eventually('the basket', async () => subjects().includes(`basket/${id}`));
  expect(subjects()).not.toContain(`basket/${before}`);
  await eventually('its hop', async () => stream.hops().some(({ api }) => api === 'create-basket-api'));
  expect(stream.hops().some((hop) => 'request' in hop || 'response' in hop)).toBe(false);
});

test('A stream reports when the clock is set or frozen, but not that a flowing clock continues', async () => {
  await using stream = await watching('clock');
  const { rehearsal } = stream;
  const { now } = await rehearsal.advance('P1D');
  await eventually('the new time', async () => stream.of('clock').some(({ data }) => data.now >= now));
  await rehearsal.control('set-clock', { body: { flowing: false } });
  await eventually('the clock stands', async () => stream.of('clock').at(-1)?.data.flowing === false);
  const before = stream.frames.length;
  await newBasket(rehearsal);
  await using other = listening(rehearsal, { query: { topics: 'faults,events' } });
  await other.begun();
  await newBasket(rehearsal);
  await eventually('later events', async () => other.events().length > 0);
  expect(stream.frames).toHaveLength(before);
});

test('A stream reports when faults are set, strike and are removed', async () => {
  await using stream = await watching('faults');
  const { rehearsal } = stream;
  await rehearsal.down({ api: 'create-basket-api' });
  await eventually('the fault', async () => (stream.of('faults').at(-1)?.data.revision ?? 0) > 0);
  await rehearsal.call('create-basket-api', { body: BASKET });
  await eventually('its hit', async () => stream.of('faults').at(-1)?.data.hits === 1);
  await rehearsal.noFaults();
  await eventually('its removal', async () => stream.of('faults').at(-1)?.data.hits === 0);
});

test('A stream reports the progress and the end of the runs of all rehearsals', async () => {
  await using stream = await watching('runs');
  const ids: string[] = [];
  const statesIn = ({ data }: { data: readonly { id: string; state: string }[] }) =>
    data.filter(({ id }) => ids.includes(id)).map(({ state }) => state);
  const unfinished = async () => {
    const { items } = await anybody.control('list-runs');
    return items.filter(({ id, state }) => ids.includes(id) && (state === 'waiting' || state === 'running'));
  };
  // A stream polls and may miss a short state, so runs are started until the state is seen. The number of waiting runs is limited.
  await eventually('a running run', async () => {
    if ((await unfinished()).length < 5) ids.push((await anybody.control('start-run', { body: { scenario: 'digital-order' } })).id);
    return stream.of('runs').some((frame) => statesIn(frame).includes('running'));
  });
  const last = () => stream.of('runs').slice(-1).flatMap(statesIn);
  await eventually('all have passed', async () => last().length > 0 && last().every((state) => state === 'passed'));
  const { items } = await anybody.control('list-runs');
  for (const id of ids.filter((one) => items.some((run) => run.id === one))) await anybody.control('delete-run', { params: { id } });
  await eventually('none is listed any longer', async () => last().length === 0);
});

test('A stream begins its answer before anything happens', async () => {
  await using rehearsal = await newRehearsal();
  const headers = { authorization: `Bearer ${ADMIN}`, 'x-rehearsal': rehearsal.name };
  const leaving = new AbortController();
  // Less than 15 s, after which a stream sends a comment.
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(12_000)]);
  const answer = await fetch(`${estate.gateway}/_control/stream?topics=hops`, { headers, signal });
  expect(answer.status).toBe(200);
  leaving.abort();
});

test('A stream resumes after the last frame that was read, without a gap or a repeat', async () => {
  await using rehearsal = await newRehearsal();
  const read: Frame[] = [];
  const hops = () => read.flatMap((frame) => (frame.event === 'hops' ? frame.data : [])).map(({ sequence }) => sequence);
  const events = () => read.flatMap((frame) => (frame.event === 'events' ? frame.data : [])).map(({ order }) => order);
  const resume = async () => {
    await using stream = listening(rehearsal, { after: read.at(-1)?.id ?? 'h0.e0', query: { topics: 'hops,events' } });
    await eventually('more frames', async () => stream.frames.length > 0);
    // The connection breaks at an arbitrary byte.
    read.push(...stream.frames);
  };
  for (let round = 0; round < 4; round++) {
    await Promise.all([newBasket(rehearsal), newBasket(rehearsal)]);
    await resume();
  }
  await newBasket(rehearsal);
  await rehearsal.settle();
  const sequences = await sequencesIn(rehearsal);
  const { items } = await rehearsal.control('list-events', { query: { ext: 'true', limit: 1_000 } });
  while (hops().at(-1) !== sequences.at(-1) || events().at(-1) !== items.at(-1)?.order) await resume();
  expect([hops(), events()]).toEqual([sequences, items.map(({ order }) => order)]);
});

test('A stream resumes from a cursor in the address, and from the beginning of a world', async () => {
  await using rehearsal = await newRehearsal();
  await newBasket(rehearsal);
  await rehearsal.settle();
  await using stream = listening(rehearsal, { query: { topics: 'hops,events', from: 'h0.e0' } });
  await eventually('the past', async () => stream.hops().length > 0 && stream.events().length > 0);
  expect(stream.hops().map(({ sequence }) => sequence)).toEqual(await sequencesIn(rehearsal));
  expect(stream.gaps()).toEqual([]);
});

test('A stream has at most 200 records in a frame', async () => {
  await using rehearsal = await newRehearsal();
  const reads = () => Array.from({ length: 20 }, () => rehearsal.call('get-order-api', { params: { id: 'nothing' } }));
  for (let n = 0; n < 25; n++) await Promise.all(reads());
  await using stream = listening(rehearsal, { query: { topics: 'hops', from: 'h0.e0' } });
  await eventually('all hops', async () => stream.hops().length === 500);
  expect(stream.of('hops').map(({ data }) => data.length)).toEqual([200, 200, 100]);
});

test('A stream reports a gap when the rehearsal is reset, and continues in the new world', async () => {
  await using stream = await watching();
  const { rehearsal } = stream;
  await rehearsal.control('reset-rehearsal');
  await eventually('the gap', async () => stream.gaps().length > 0);
  expect(stream.gaps()).toEqual(['reset']);
  await newBasket(rehearsal);
  await eventually('the new world', async () => stream.hops().length > 0 && stream.events().length > 0);
  expect(stream.of('clock').length).toBeGreaterThan(1);
});

test.each([
  ['of a world that has been replaced', async (id: string) => id],
  ['beyond the newest records', async () => 'h999999.e1'],
  ['beyond the newest events', async () => 'h0.e999999'],
])('A stream that resumes from a cursor %s reports a gap, and then what is new', async (_which, cursor) => {
  await using rehearsal = await newRehearsal();
  let id = '';
  {
    await using before = listening(rehearsal);
    await before.begun();
    id = before.frames[0]?.id ?? '';
  }
  await rehearsal.control('reset-rehearsal');
  // As many records as the old cursor, so that the cursor would be valid in the new world.
  await newBasket(rehearsal);
  await rehearsal.settle();
  await using stream = listening(rehearsal, { after: await cursor(id) });
  await eventually('the gap', async () => stream.gaps().length > 0);
  expect(stream.gaps()).toEqual(['reset']);
  expect(stream.hops()).toEqual([]);
  await newBasket(rehearsal);
  await eventually('new hops', async () => stream.hops().length > 0);
});

test('A stream reports a gap when records after its cursor have been discarded', async () => {
  await using rehearsal = await newRehearsal();
  const large = { ...BASKET, note: 'x'.repeat(16_000) };
  for (let n = 0; n < 35; n++) await Promise.all(Array.from({ length: 20 }, () => rehearsal.call('create-basket-api', { body: large })));
  await using stream = listening(rehearsal, { query: { topics: 'hops' }, after: 'h1.e0' });
  await eventually('the gap', async () => stream.gaps().length > 0);
  expect(stream.gaps()).toEqual(['discarded']);
  expect(stream.hops()).toEqual([]);
  await using current = listening(rehearsal, { query: { topics: 'hops' }, after: 'h600.e0' });
  await eventually('the kept hops', async () => current.hops().length === 100);
  expect(current.gaps()).toEqual([]);
});

test('A stream reports that the rehearsal was deleted, and ends', async () => {
  const rehearsal = await newRehearsal();
  await using stream = listening(rehearsal);
  await stream.begun();
  await rehearsal.control('delete-rehearsal', { params: { name: rehearsal.name } });
  await stream.ended;
  expect(stream.frames.at(-1)).toMatchObject({ event: 'gap', data: { reason: 'deleted' } });
});

test('A stream is not recorded in the journal', async () => {
  await using stream = await watching();
  expect(await sequencesIn(stream.rehearsal)).toEqual([]);
});

test('A stream answers HEAD without a body', async () => {
  const { status, headers } = await anybody.call('HEAD', '/_control/stream', undefined, { as: 'admin' });
  expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
});

const topics = ['hop', '', 'hops,', 'hops,events,orders', '<script>alert(1)</script>', 'x'.repeat(5_000)];
test.each(topics)('A stream of the topics %j is refused', async (given) => {
  const answer = await refused(`?topics=${encodeURIComponent(given)}`);
  expect(answer).toMatchObject({ status: 422, code: 'validation_failed', pointers: ['?topics'] });
  expect(answer.detail).toContain('choose from hops, events, clock, faults, runs');
  expect(answer.detail.length).toBeLessThan(300);
});

const cursors = ['118', 'h1', 'h1.e', 'e1.h1', 'h-1.e1', 'h1.e1.w', 'h1.e1.wnoworld', 'h9999999999999999.e1', ''];
test.each(cursors)('A stream with the cursor %j is refused', async (cursor) => {
  const detail = `"${cursor}" is not a cursor. Send the id of a frame, such as h118.e42, or nothing to begin now.`;
  const answer = await refused(`?from=${encodeURIComponent(cursor)}`);
  expect(answer).toEqual({ status: 422, code: 'validation_failed', pointers: ['?from'], detail });
  expect(await refused('', { 'last-event-id': cursor })).toMatchObject({ status: 400, pointers: ['Last-Event-ID'] });
});
