import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { createClockDriver } from '../../control/clock/driver.ts';
import type { World } from '../../shared/domain/world.ts';
import { listen } from '../../shared/process/listen.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { dueKey } from '../../shared/store/ports/due-work.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { aPlan } from '../ports/a-plan.ts';
import { ADMIN, estate, eventually, newRehearsal } from '../support/estate.ts';

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

/** An application whose due work is answered by the test, and a driver of its worlds. */
async function anApplication(work: (key: string) => Promise<'done' | 'failed'>) {
  const adapter = createMemoryStore();
  const begun: string[] = [];
  const worldOf = (header: unknown): World => JSON.parse(Buffer.from(String(header), 'base64url').toString()).world;
  const server = createServer(async (asked, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk);
    const { kind, key, token } = JSON.parse(Buffer.concat(chunks).toString());
    const world = worldOf(asked.headers['x-estate-context']);
    begun.push(key);
    const outcome = await work(key);
    const fence = { kind: 'due' as const, key: dueKey('wms', kind, key), token };
    if (outcome === 'done') await adapter.store('wms').commit(world, aPlan({ now: START, fence }));
    response.writeHead(outcome === 'done' ? 200 : 500).end(outcome);
  });
  const url = await listen(server, 0, '127.0.0.1');
  const agent = new Agent();
  const driver = createClockDriver({
    worlds: adapter.worlds,
    transport: createHttpTransport({ addressOf: () => url, token: 't', agent }),
    log: createLogger('silent'),
  });
  return {
    driver,
    begun,
    adapter,
    /** A world with an item that falls due each minute. */
    aWorld: (name: string, keys: readonly string[]) =>
      adapter.worlds.open(
        name,
        {
          now: START,
          applications: {},
          due: keys.map((key, place) => ({
            ...{ application: 'wms' as const, kind: 'pack', key, at: START + (place + 1) * MINUTE, payload: '{}', correlationId: 'c' },
          })),
        },
        { bearer: 'b', apiKey: 'k', webhookSecret: 'w' },
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await driver.stop();
      await agent.destroy();
      server.close();
    },
  };
}

const KEYS = ['one', 'two', 'three', 'four'];

test('An advance has one deadline for all of its work and then reports the work done, the clock and the pending work', async () => {
  const release = Promise.withResolvers<'done'>();
  await using app = await anApplication((key) => (key === 'three' ? release.promise : Promise.resolve('done')));
  const world = await app.aWorld('slow', KEYS);
  const { now, ran, settled, waitingFor } = await app.driver.advance(world, START + 10 * MINUTE, 3_000);
  expect({ now, ran: ran.map(({ key }) => key), settled }).toEqual({ now: START + 3 * MINUTE, ran: ['one', 'two'], settled: false });
  expect(waitingFor).toEqual(['running wms|pack|three']);
  release.resolve('done');
  const rest = await app.driver.advance(world, START + 10 * MINUTE, 10_000);
  expect({ ...rest, ran: rest.ran.map(({ key }) => key) }).toMatchObject({ now: START + 10 * MINUTE, ran: ['four'], settled: true });
  expect(app.begun).toEqual(KEYS);
});

test('An advance runs the work of its last instant, and none that is a millisecond later', async () => {
  await using app = await anApplication(async () => 'done');
  const world = await app.aWorld('exact', KEYS);
  await app.adapter.worlds.setClock(world, { now: START, flowing: false });
  const ranUntil = async (to: number) => (await app.driver.advance(world, to, 10_000)).ran.map(({ key }) => key);
  expect(await ranUntil(START + 2 * MINUTE - 1)).toEqual(['one']);
  expect(await ranUntil(START + 2 * MINUTE)).toEqual(['two']);
});

test('An advance whose deadline is between two items names the next item', async () => {
  await using app = await anApplication(async () => 'done');
  const world = await app.aWorld('none', KEYS);
  const { now, ran, settled, waitingFor } = await app.driver.advance(world, START + 10 * MINUTE, 0);
  expect({ ran, settled, waitingFor }).toEqual({ ran: [], settled: false, waitingFor: ['due wms|pack|one'] });
  expect(now).toBeLessThan(START + MINUTE);
});

test('An advance without a client starts no more work, reports the work done, and releases the clock', async () => {
  const release = Promise.withResolvers<'done'>();
  await using app = await anApplication((key) => (key === 'two' ? release.promise : Promise.resolve('done')));
  const world = await app.aWorld('left', KEYS);
  const gone = new AbortController();
  const advancing = app.driver.advance(world, START + 10 * MINUTE, 60_000, gone.signal);
  await eventually('the second item runs', async () => app.begun.length === 2);
  gone.abort();
  const { ran, settled } = await advancing;
  expect([ran.map(({ key }) => key), settled]).toEqual([['one'], false]);
  release.resolve('done');
  const rest = await app.driver.advance(world, START + 10 * MINUTE, 10_000);
  expect([rest.ran.map(({ key }) => key), rest.settled]).toEqual([['three', 'four'], true]);
  expect(app.begun).toEqual(KEYS);
});

test('An advance of one rehearsal is not delayed by others that hang, fail or have unreadable events', async () => {
  await using app = await anApplication(async (key) => {
    if (key.startsWith('hangs')) return new Promise<never>(() => {});
    return key.startsWith('fails') ? 'failed' : 'done';
  });
  const hanging = await app.aWorld(
    'hanging',
    Array.from({ length: 200 }, (_, place) => `hangs-${place}`),
  );
  const failing = await app.aWorld(
    'failing',
    Array.from({ length: 200 }, (_, place) => `fails-${place}`),
  );
  const unreadable = await app.aWorld('unreadable', []);
  const store = app.adapter.store('wms');
  await store.commit(unreadable, aPlan({ events: [{ id: 'evt_1', topic: 't', key: 'k', json: 'no JSON', subscribers: ['oms'] }] }));
  const sound = await app.aWorld('sound', KEYS);
  const broken = [hanging, failing, unreadable].map((world) => app.driver.advance(world, START + 60 * MINUTE, 1_000));
  const { ran, settled } = await app.driver.advance(sound, START + 10 * MINUTE, 10_000);
  expect([ran.length, settled]).toEqual([4, true]);
  expect((await app.driver.settle(sound, 5_000)).settled).toBe(true);
  const outcomes = await Promise.all(broken);
  expect(outcomes.map((outcome) => outcome.settled)).toEqual([false, expect.any(Boolean), false]);
});

const advance = (rehearsal: string, body: unknown, signal?: AbortSignal) =>
  request(`${estate.gateway}/_control/clock/advance`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'x-rehearsal': rehearsal, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

test.each([
  [{ by: 'P3654D' }, '/by', 'too_far'],
  [{ by: 'P99999999999W' }, '/by', 'too_late'],
  [{ to: '9999-12-31T23:59:59.999Z' }, '/to', 'too_late'],
  [{ to: '2060-01-01T00:00:00.000Z' }, '/to', 'too_far'],
  [{ to: '2001-01-01T00:00:00.000Z' }, '/to', 'in_the_past'],
  [{ by: '-PT1S' }, '/by', 'in_the_past'],
])('Advance Clock refuses %j with 422 and leaves the clock unchanged', async (body, pointer, code) => {
  await using rehearsal = await newRehearsal();
  const { statusCode, body: answer } = await advance(rehearsal.name, body);
  expect([statusCode, await answer.json()]).toMatchObject([422, { code: 'validation_failed', errors: [{ pointer, code }] }]);
  expect((await rehearsal.now()) - Date.now()).toBeLessThan(MINUTE);
});

test('Advance Clock accepts up to ten years', async () => {
  await using rehearsal = await newRehearsal();
  expect(await rehearsal.advance('P3652D')).toMatchObject({ settled: true });
});

test('Advance Clock ends when its client disconnects, and the clock can be moved again', async () => {
  await using rehearsal = await newRehearsal();
  await rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 1 }] } });
  await rehearsal.fault('slow', { match: { application: 'inventory-service' }, fault: { kind: 'latency', ms: 60_000 } });
  const client = new AbortController();
  const advancing = advance(rehearsal.name, { by: 'P1D', timeoutMs: 120_000 }, client.signal).catch(() => 'gone');
  const setClock = () =>
    rehearsal.call('PUT', '/_control/clock', { flowing: false }, { as: 'admin', headers: { 'x-rehearsal': rehearsal.name } });
  await eventually('the clock is kept', async () => (await setClock()).status === 409);
  client.abort();
  expect(await advancing).toBe('gone');
  await eventually('the clock is let go', async () => (await setClock()).status === 200);
});
