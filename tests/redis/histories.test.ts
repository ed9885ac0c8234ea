import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import type { World } from '../../shared/domain/world.ts';
import type { Store, StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { aPlan } from '../ports/a-plan.ts';
import { startWay, type Way } from '../support/way.ts';
import { LISTS, NAMES, ONCE, type Step, type Task } from './history-step.ts';
import { CREDENTIALS, describeWithRedis, EMPTY } from './with-redis.ts';

const PROCESSES = 3;
const LANES = 4;
const MS = 3_000;
const ON_HAND = 40;

function runProcess(task: Task): Promise<readonly Step[]> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('history-process.ts', import.meta.url)), { execArgv: [] });
    child.once('message', (history) => resolve(history as readonly Step[]));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`A process of the history ended with exit code ${code}.`)));
    child.send(task);
  });
}

/** Until stopped, cuts all connections at random times, and single connections while they answer. */
function disturb(admin: Redis, ways: readonly Way[]) {
  let going = true;
  let kills = 0;
  const lost = ways.map(() => 0);
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const killing = (async () => {
    while (going) {
      await pause(150 + Math.random() * 300);
      kills += Number(await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'));
    }
  })();
  const losing = ways.map(async (way, n) => {
    while (going) {
      await pause(80 + Math.random() * 240);
      const struck = way.strike({ lose: 'answer', when: (sent) => sent.includes('evalsha'), by: 'cut' });
      void struck.then(() => {
        lost[n] = (lost[n] ?? 0) + 1;
      });
    }
  });
  /** @returns the number of disturbances of each kind, at the least disturbed process */
  return async () => {
    going = false;
    await Promise.all([killing, ...losing]);
    return Math.min(kills, ...lost);
  };
}

describeWithRedis('Histories of concurrent processes with cut connections and lost answers', (redis) => {
  let adapter: StoreAdapter;
  let store: Store;
  let world: World;
  let history: readonly Step[];
  let disturbances: number;
  const of = (kind: Step['kind'], key: string, outcome?: Step['outcome']) =>
    history.filter((step) => step.kind === kind && step.key === key && (outcome === undefined || step.outcome === outcome));
  const countOf = (outcome: Step['outcome']) => history.filter((step) => step.outcome === outcome).length;
  const final = async (key: string) => JSON.parse((await store.object(world, 'lists', key))?.json ?? '[]') as readonly string[];

  beforeAll(async () => {
    const { url } = redis.server;
    const prefix = `${randomUUID()}:`;
    adapter = await createRedisStore({ url, prefix });
    store = adapter.store('oms');
    world = await adapter.worlds.open('r', EMPTY, CREDENTIALS);
    await store.commit(world, aPlan({ move: [{ counter: 'stock', key: 'sku', field: 'onHand', by: ON_HAND }] }));
    const ways = await Promise.all(Array.from({ length: PROCESSES }, () => startWay([redis.server.port])));
    const stop = disturb(redis.admin, ways);
    const live = ({ port }: Way, n: number) =>
      runProcess({ url: `redis://127.0.0.1:${port}`, prefix, world, name: `p${n}`, lanes: LANES, ms: MS });
    const histories = await Promise.all(ways.map(live));
    disturbances = await stop();
    await Promise.all(ways.map((way) => way.close()));
    history = histories.flat();
  });
  afterAll(() => adapter.close());

  test('The histories have many disturbed operations, most with a definite outcome', () => {
    expect(history.length).toBeGreaterThan(PROCESSES * LANES * 20);
    expect(disturbances).toBeGreaterThan(5);
    expect(countOf('done')).toBeGreaterThan(history.length / 4);
    expect(countOf('unknown')).toBeLessThan(history.length / 3);
  });

  test.each(LISTS)('No append to %s is lost or repeated, no refused append is applied, and version and count agree', async (key) => {
    const items = await final(key);
    const done = of('append', key, 'done');
    const refused = new Set(of('append', key, 'refused').map(({ value }) => value));
    expect(done.length).toBeGreaterThan(10);
    expect(new Set(items).size).toBe(items.length);
    expect(done.filter(({ value }) => !items.includes(value))).toEqual([]);
    expect(items.filter((item) => refused.has(item))).toEqual([]);
    expect((await store.object(world, 'lists', key))?.version).toBe(items.length);
    expect(await store.counters(world, 'appended', [key])).toEqual([{ items: items.length }]);
  });

  test.each(LISTS)('A read of %s returns a state between its start and its end', async (key) => {
    const items = await final(key);
    const appends = of('append', key, 'done');
    for (const { value, from, to } of of('read', key)) {
      const seen = JSON.parse(value) as readonly string[];
      expect(seen).toEqual(items.slice(0, seen.length));
      expect(appends.filter((append) => append.to < from && !seen.includes(append.value))).toEqual([]);
      expect(appends.filter((append) => append.from > to && seen.includes(append.value))).toEqual([]);
    }
  });

  test('Each append has exactly one event', async () => {
    const sent: string[] = [];
    for (let batch = await store.drain(world, { token: 'relay' }); batch; ) {
      const ids = batch.entries.map(({ id }) => id);
      sent.push(...ids);
      batch = await store.drain(world, { token: 'relay', sent: ids });
    }
    expect(sent.toSorted()).toEqual((await Promise.all(LISTS.map(final))).flat().toSorted());
  });

  test('The available units are taken exactly', async () => {
    const takes = of('take', 'sku', 'done').length;
    const unknown = countOf('unknown');
    const [stock] = await store.counters(world, 'stock', ['sku']);
    expect(stock?.['reserved']).toBe(ON_HAND);
    expect(takes).toBeLessThanOrEqual(ON_HAND);
    expect(takes + unknown).toBeGreaterThanOrEqual(ON_HAND);
  });

  test('A unique name belongs to its one successful owner', async () => {
    for (const key of Array.from({ length: NAMES }, (_, n) => `name-${n}`)) {
      const winners = of('name', key, 'done');
      expect(winners.length).toBeLessThanOrEqual(1);
      if (winners[0]) expect((await store.unique(world, 'named', 'name', key))?.id).toBe(winners[0].value);
    }
  });

  test('A claim has one effect, and the outcome of its holder', async () => {
    for (const key of Array.from({ length: ONCE }, (_, n) => `once-${n}`)) {
      const winners = of('once', key, 'done');
      expect(winners.length).toBeLessThanOrEqual(1);
      const [counted] = await store.counters(world, 'once', [key]);
      expect(counted?.['effects'] ?? 0).toBeLessThanOrEqual(1);
      if (!winners[0]) continue;
      expect(counted).toEqual({ effects: 1 });
      const claim = await store.claim(world, { key, fingerprint: 'f', now: 2_000, leaseMs: 1_000 });
      expect(claim).toEqual({ is: 'done', json: winners[0].value });
    }
  });
});
