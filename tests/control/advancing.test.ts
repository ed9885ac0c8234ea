import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import { createClockDriver } from '../../control/clock/driver.ts';
import { DEMO_CREDENTIALS, EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import type { World } from '../../shared/domain/world.ts';
import { listen } from '../../shared/process/fair-server.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { dueKey } from '../../shared/store/ports/due-work.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { aPlan } from '../ports/a-plan.ts';
import { ADMIN, estate, eventually, newRehearsal } from '../support/estate.ts';

const access = { gateway: estate.gateway, credentials: DEMO_CREDENTIALS };
const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

type Adapter = ReturnType<typeof createMemoryStore>;

/** An application whose due work is answered by the test, and a driver of its worlds. */
async function anApplication(
  work: (key: string) => Promise<'done' | 'failed'>,
  seen: (adapter: Adapter) => Adapter['worlds'] = ({ worlds }) => worlds,
) {
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
    worlds: seen(adapter),
    transport: createHttpTransport({ addressOf: () => url, token: 't', agent }),
    log: createLogger('silent'),
  });
  return {
    driver,
    begun,
    adapter,
    /** A world with an item that falls due each minute. */
    aWorld: (name: string, keys: readonly string[]) => {
      const item = { application: 'wms' as const, kind: 'pack', payload: '{}', correlationId: 'c' };
      const due = keys.map((key, place) => ({ ...item, key, at: START + (place + 1) * MINUTE }));
      return adapter.worlds.open(name, { now: START, applications: {}, due }, { bearer: 'b', apiKey: 'k', webhookSecret: 'w' });
    },
    /** Advances by minutes. */
    async advance(world: World, minutes: number, withinMs: number, signal?: AbortSignal) {
      const { ran, ...rest } = await driver.advance(world, START + minutes * MINUTE, withinMs, signal);
      return { ...rest, ran: ran.map(({ key }) => key) };
    },
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
  expect(await app.advance(world, 10, 3_000)).toEqual({
    now: START + 3 * MINUTE,
    ran: ['one', 'two'],
    settled: false,
    waitingFor: ['running wms|pack|three'],
    move: 1,
  });
  release.resolve('done');
  expect(await app.advance(world, 10, 10_000)).toMatchObject({ now: START + 10 * MINUTE, ran: ['four'], settled: true });
  expect(app.begun).toEqual(KEYS);
});

test('An advance runs the work of its last instant, and none that is a millisecond later', async () => {
  await using app = await anApplication(async () => 'done');
  const world = await app.aWorld('exact', KEYS);
  await app.adapter.worlds.setClock(world, { now: START, flowing: false });
  expect((await app.advance(world, 2 - 1 / MINUTE, 10_000)).ran).toEqual(['one']);
  expect((await app.advance(world, 2, 10_000)).ran).toEqual(['two']);
});

test('An advance whose deadline is between two items names the next item', async () => {
  await using app = await anApplication(async () => 'done');
  const world = await app.aWorld('none', KEYS);
  const { now, ...rest } = await app.advance(world, 10, 0);
  expect(rest).toMatchObject({ ran: [], settled: false, waitingFor: ['due wms|pack|one'] });
  expect(now).toBeLessThan(START + MINUTE);
});

test('An advance whose client has disconnected starts no more work, reports the work done, and releases the clock', async () => {
  const release = Promise.withResolvers<'done'>();
  await using app = await anApplication((key) => (key === 'two' ? release.promise : Promise.resolve('done')));
  const world = await app.aWorld('left', KEYS);
  const gone = new AbortController();
  const advancing = app.advance(world, 10, 60_000, gone.signal);
  await eventually('the second item runs', async () => app.begun.length === 2);
  gone.abort();
  expect(await advancing).toMatchObject({ ran: ['one'], settled: false });
  release.resolve('done');
  expect(await app.advance(world, 10, 10_000)).toMatchObject({ ran: ['three', 'four'], settled: true });
  expect(app.begun).toEqual(KEYS);
});

test('A rehearsal is not settled while work is due, even work that fell due after the clock was read', async () => {
  let planned = false;
  const plansLate = ({ worlds, store }: Adapter): Adapter['worlds'] => ({
    ...worlds,
    ledger: async (world) => {
      if (!planned) {
        planned = true;
        await new Promise((resolve) => setTimeout(resolve, 20));
        const now = (await worlds.current(world))?.now ?? 0;
        const due = [{ kind: 'pack', key: 'pck_1', at: now, payload: '{}', correlationId: 'c' }];
        await store('wms').commit(world, aPlan({ now, due }));
      }
      return worlds.ledger(world);
    },
  });
  await using app = await anApplication(() => new Promise<never>(() => {}), plansLate);
  const { settled, waitingFor } = await app.driver.settle(await app.aWorld('flowing', []), 300);
  expect([settled, waitingFor.join()]).toEqual([false, expect.stringContaining('pck_1')]);
});

test('Rehearsals that hang, fail or have unreadable events do not delay an advance of another rehearsal', async () => {
  await using app = await anApplication(async (key) => {
    if (key.startsWith('hangs')) return new Promise<never>(() => {});
    return key.startsWith('fails') ? 'failed' : 'done';
  });
  const many = (what: string) => Array.from({ length: 200 }, (_, place) => `${what}-${place}`);
  const hanging = await app.aWorld('hanging', many('hangs'));
  const failing = await app.aWorld('failing', many('fails'));
  const unreadable = await app.aWorld('unreadable', []);
  const store = app.adapter.store('wms');
  await store.commit(unreadable, aPlan({ events: [{ id: 'evt_1', topic: 't', key: 'k', json: 'no JSON', subscribers: ['oms'] }] }));
  const sound = await app.aWorld('sound', KEYS);
  const broken = [hanging, failing, unreadable].map((world) => app.advance(world, 60, 1_000));
  expect(await app.advance(sound, 10, 10_000)).toMatchObject({ ran: KEYS, settled: true });
  expect((await app.driver.settle(sound, 5_000)).settled).toBe(true);
  expect((await Promise.all(broken)).map(({ settled }) => settled)).toEqual([false, expect.any(Boolean), false]);
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
  const reply = await rehearsal.call('advance-clock', { body });
  expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer, code }] } });
  expect((await rehearsal.now()) - Date.now()).toBeLessThan(MINUTE);
});

test('A move of the clock is listed with its timers, each with its hop, and the stream counts it', async () => {
  await using rehearsal = await newRehearsal();
  const reserved = await rehearsal.call('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 1 }] } });
  const { id } = reserved.body;
  const correlationId = String(reserved.headers['x-correlation-id']);
  const { items: traces } = await rehearsal.control('list-traces', { query: { correlationId } });
  const { now: before } = await rehearsal.control('read-clock');
  const { move, ran } = await rehearsal.control('advance-clock', { body: { by: 'P1D' } });
  expect([move, ran.map(({ key }) => key)]).toEqual([1, [id]]);
  await rehearsal.advance('PT1M');
  const { items, next } = await rehearsal.control('list-clock-moves', { query: { limit: 1 } });
  expect([items.map(({ number, ran }) => [number, ran]), next]).toEqual([[[2, 0]], 2]);
  const { items: earlier, ...page } = await rehearsal.control('list-clock-moves', { query: { before: next } });
  expect([page, earlier.length]).toEqual([{}, 1]);
  const [first] = earlier;
  expect(first).toMatchObject({ number: 1, ran: 1, timers: [{ application: 'sim', key: id, correlationId }] });
  expect(first?.after).toBeGreaterThanOrEqual(traces[0]?.sequence ?? Number.NaN);
  expect(Date.parse(first?.to ?? '') - Date.parse(before)).toBeGreaterThanOrEqual(24 * 60 * MINUTE);
  const hop = await rehearsal.control('read-hop', { params: { requestId: first?.timers[0]?.requestId ?? '' } });
  expect(hop).toMatchObject({ correlationId, api: 'due:expire-reservation' });
});

test('An advance of zero length is not listed as a move', async () => {
  await using rehearsal = await newRehearsal();
  await rehearsal.control('set-clock', { body: { flowing: false } });
  expect(await rehearsal.control('advance-clock', { body: { by: 'PT0S' } })).not.toHaveProperty('move');
  expect(await rehearsal.control('list-clock-moves')).toEqual({ items: [] });
});

test('Advance Clock accepts up to ten years', async () => {
  await using rehearsal = await newRehearsal();
  expect(await rehearsal.advance('P3652D')).toMatchObject({ settled: true });
});

test('A flowing clock stops at its last instant, where it can be advanced by nothing and its file can be uploaded', async () => {
  await using rehearsal = await EstateRehearsal.create(access, { startsAt: '9998-12-31T23:59:59.999Z' });
  const [end, since] = ['9999-01-01T00:00:00.000Z', Date.now()];
  await rehearsal.control('set-clock', { body: { flowing: true } });
  await eventually('wall time passes', async () => Date.now() > since + 10);
  await eventually('the clock stands at its end', async () => (await rehearsal.control('read-clock')).now === end);
  expect(await rehearsal.control('advance-clock', { body: { by: 'PT0S' } })).toMatchObject({ now: end });
  const file = await rehearsal.control('export-rehearsal', { params: { name: rehearsal.name } });
  const { status } = await rehearsal.client.call('POST', '/_control/snapshots?dryRun=true', file, { as: 'admin' });
  expect(status).toBe(200);
});

test('Advance Clock ends when its client disconnects, and the clock can be moved again', async () => {
  await using rehearsal = await newRehearsal();
  await rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 1 }] } });
  await rehearsal.fault('slow', { match: { application: 'inventory-service' }, fault: { kind: 'latency', ms: 60_000 } });
  const client = new AbortController();
  const advancing = request(`${estate.gateway}/_control/clock/advance`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN}`, 'x-rehearsal': rehearsal.name, 'content-type': 'application/json' },
    body: JSON.stringify({ by: 'P1D', timeoutMs: 120_000 }),
    signal: client.signal,
  }).catch(() => 'gone');
  const setClock = () => rehearsal.call('set-clock', { body: { flowing: false } });
  await eventually('the clock is kept', async () => (await setClock()).status === 409);
  client.abort();
  expect(await advancing).toBe('gone');
  await eventually('the clock is released', async () => (await setClock()).status === 200);
});
