import { expect, test } from '@jest/globals';
import { DEFAULT_FIGURES } from '../../shared/catalog/retailer.ts';
import { FORMATS } from '../../shared/store/ports/world-formats.ts';
import { scripts } from '../../shared/store/redis/scripts.ts';
import { createFigures } from '../../shared/work/figures.ts';
import { aPlan, dueFence, event, moving, OK, putting, timer } from '../ports/a-plan.ts';
import { CREDENTIALS, describeWithRedis, type TestRedis } from './with-redis.ts';

/** Wall time of every lease of these tests. */
const LEASE_MS = 60_000;

/** A world with started work of a process: claims, leased due work, an outbox that is being sent, a delivery, a fault and an advance. */
async function withStartedWork(redis: TestRedis) {
  const { worlds, store, world, key, adapter } = await redis.opened();
  const crm = adapter.store('crm');
  const claimed = async (name: string) => {
    const claim = await store.claim(world, { key: name, fingerprint: 'f', now: 1_000, leaseMs: LEASE_MS });
    if (claim.is !== 'ours') throw new Error(`The claim ${name} is ${claim.is}.`);
    return claim.token;
  };
  expect(
    await store.commit(world, aPlan({ put: [putting('a')], events: [event('e1', 'crm')], due: [timer('t', 0), timer('next', 1)] })),
  ).toMatchObject(OK);
  const [first, second] = [await claimed('first'), await claimed('second')];
  await worlds.setFault(world, 'late', '{}');
  expect(await worlds.leaseNext(world, { upTo: 5_000, token: 'mine', leaseMs: LEASE_MS })).toMatchObject({ key: 't' });
  expect(await store.drain(world, { token: 'relay' })).toMatchObject({ entries: [{ id: 'e1' }] });
  expect(await worlds.leaseClock(world, 'driver', LEASE_MS)).toBe(true);
  const put = { put: [putting('a', 1)], move: [moving(1)], events: [event('e2', 'crm')] };
  const due = { kind: 'timer', key: 't', token: 'mine' };
  return {
    world,
    key,
    /** Every step that a process may still make after another release has converted the world. */
    steps: {
      'commits a request': () => store.commit(world, aPlan({ ...put, fence: { kind: 'claim', key: 'first', token: first } })),
      'commits due work': () => store.commit(world, aPlan({ ...put, fence: dueFence('t') })),
      'commits without a fence': () => store.commit(world, aPlan(put)),
      'commits a delivery': () => crm.commit(world, aPlan({ fence: { kind: 'delivery', key: 'crm|e1' } })),
      'releases a claim': () => store.release(world, 'second', second),
      'claims a key': () => claimed('third'),
      'releases due work': () => store.releaseDue(world, due),
      'leases due work': () => worlds.leaseNext(world, { upTo: 9_000, token: 'other', leaseMs: LEASE_MS, driver: 'driver' }),
      'acknowledges a sent event': () => store.drain(world, { token: 'relay', sent: ['e1'] }),
      'parks a delivery': () => store.park(world, 'crm|e1', 'broken'),
      'counts a hit of a fault': () => adapter.control.hit(world, 'late', '', 5),
      'sets a fault': () => worlds.setFault(world, 'other', '{}'),
      'renews the lease of the clock': () => worlds.renewClock(world, 'driver', LEASE_MS * 2),
      'releases the lease of the clock': () => worlds.releaseClock(world, 'driver'),
      'sets the clock': () => worlds.setClock(world, { now: 9_000, flowing: false }, 'driver'),
    },
  };
}

/** Everything in Redis that belongs to a world, without the remembered results, which expire. */
async function contentOf({ admin, keysThatStay }: TestRedis, key: string): Promise<Readonly<Record<string, unknown>>> {
  const keys = (await keysThatStay(`${key.replace(/[[\]*?]/g, '\\$&')}*`)).toSorted();
  return Object.fromEntries(await Promise.all(keys.map(async (one) => [one, (await admin.dumpBuffer(one)).toString('hex')])));
}

describeWithRedis('A world that another release has converted', (redis) => {
  test('A process of this release writes nothing to a world of newer formats, whatever it had begun', async () => {
    const { key, steps } = await withStartedWork(redis);
    await redis.admin.hset(key, 'formats', FORMATS + 1);
    const before = await contentOf(redis, key);
    const changing: string[] = [];
    for (const [name, step] of Object.entries(steps)) {
      await step().catch(() => undefined);
      if (JSON.stringify(await contentOf(redis, key)) !== JSON.stringify(before)) changing.push(name);
    }
    expect(changing).toEqual([]);
  });

  test('Each of these steps changes a world of the present formats', async () => {
    for (const name of Object.keys((await withStartedWork(redis)).steps)) {
      const { key, steps } = await withStartedWork(redis);
      const before = await contentOf(redis, key);
      await steps[name as keyof typeof steps]();
      expect([name, JSON.stringify(await contentOf(redis, key)) === JSON.stringify(before)]).toEqual([name, false]);
    }
  });

  test('A commit to a world of newer formats is refused with the reason, and can be repeated', async () => {
    const { key, steps } = await withStartedWork(redis);
    await redis.admin.hset(key, 'formats', FORMATS + 1);
    await expect(steps['commits a request']()).rejects.toMatchObject({
      code: 'dependency_unavailable',
      message: expect.stringContaining('Another release of the estate wrote or converted this world.'),
    });
  });
});

describeWithRedis('A release without versions', (redis) => {
  /** A commit of such a release: it counts, and notes nothing. */
  const commitsTo = (key: string) => redis.admin.hincrby(key, 'seq', 1);

  test('A world is examined again after a commit of a release without versions, and refuses every commit until then', async () => {
    const { key, world, worlds, store } = await redis.opened();
    expect(await store.commit(world, aPlan({ put: [putting('a')] }))).toMatchObject(OK);
    expect(await worlds.foreignOf('r')).toBeUndefined();
    await commitsTo(key);
    await expect(store.commit(world, aPlan({ put: [putting('b')] }))).rejects.toMatchObject({ code: 'dependency_unavailable' });
    await expect(worlds.resolve('r')).rejects.toMatchObject({ code: 'dependency_unavailable' });
    const foreign = await worlds.foreignOf('r');
    expect(foreign).toMatchObject({ world, formats: undefined, used: true });
    expect(foreign && (await worlds.adopt(foreign, { changes: [], seed: undefined }))).toBe(true);
    expect(await store.commit(world, aPlan({ put: [putting('b')] }))).toMatchObject(OK);
    expect(await worlds.resolve('r')).toMatchObject({ world });
  });

  test('An application refuses every request to a world that is not examined yet, because it reads the figures of the retailer first', async () => {
    const { key, world, store } = await redis.opened();
    expect(await createFigures(store)(world)).toMatchObject({ figures: DEFAULT_FIGURES });
    await commitsTo(key);
    await expect(Promise.resolve(createFigures(store)(world))).rejects.toMatchObject({ code: 'dependency_unavailable', retryable: true });
  });

  test('A fork of a world, and a world from a snapshot, accept commits', async () => {
    const { world, worlds, store } = await redis.opened();
    expect(await store.commit(world, aPlan({ put: [putting('a')] }))).toMatchObject(OK);
    const opened = await worlds.open('copy', await worlds.exportWorld(world), CREDENTIALS);
    expect(await store.commit(opened, aPlan({ put: [putting('b')] }))).toMatchObject(OK);
  });
});

/** Their key is not a world, or it is a world that is being opened, converted or dropped. */
const NOT_IN_A_WORLD = new Set([
  ...['switch', 'remove', 'drop', 'foreign', 'adopt', 'refuse', 'addEvents', 'leaveOut', 'announce', 'withdraw'],
  ...['enter', 'use', 'beginRemoval', 'endRemoval', 'ended', 'scheduleDrop', 'markCurrent'],
  ...['addRun', 'updateRun', 'renewRun', 'removeRun', 'keepSnapshot', 'removeSnapshot'],
]);
const WRITES = /redis\.call\('(?:H(?:SET|SETNX|DEL|INCRBY)|Z(?:ADD|REM\w*)|S(?:ADD|REM|ET)|DEL|UNLINK|X(?:ADD|DEL)|LPUSH|LTRIM|PERSIST)'/;

test('Each script that writes to a world compares the version of its formats', () => {
  const unchecked = Object.values(scripts).filter(({ source }) => WRITES.test(source) && !source.includes('exists()'));
  expect(unchecked.map(({ name }) => name).filter((name) => !NOT_IN_A_WORLD.has(name))).toEqual([]);
});
