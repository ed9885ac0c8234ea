import { afterEach, expect, test } from '@jest/globals';
import { anObservedEstate, placeAnOrder } from '../observability/observed-estate.ts';
import { aPlan } from '../ports/a-plan.ts';
import { eventually, succeeds } from '../support/eventually.ts';
import { CREDENTIALS, describeWithRedis, EMPTY } from './with-redis.ts';

const HOUR = 3_600_000;
const MIB = 1_048_576;
const aThing = { collection: 'things', id: 'a', read: 0, version: 1, json: '{}' };
const REFUSED = { code: 'store_full', status: 503, retryable: true, context: { retryAfter: expect.any(Number) } };

describeWithRedis('A full Redis', (redis) => {
  afterEach(async () => {
    await redis.admin.config('SET', 'maxmemory', '0');
    await redis.admin.flushall();
  });
  /** Leaves this much less memory than is used. */
  async function fill(bytes: number) {
    const used = Number(/used_memory:(\d+)/.exec(await redis.admin.info('memory'))?.[1]);
    await redis.admin.config('SET', 'maxmemory', String(used - bytes));
  }

  /** A store with rehearsals, one with several MiB, and no room left. */
  async function aFullStore({ idleMs = HOUR }: { readonly idleMs?: number } = {}) {
    const { worlds, store, world: kept, prefix } = await redis.opened({ dropAfterMs: 20 });
    const full = await worlds.create('large', { from: () => EMPTY, credentials: CREDENTIALS, idleMs, most: 100 });
    if (full.is !== 'created') throw new Error(`It ${full.is}.`);
    // In small pieces, because the memory of a running command counts as used, too.
    const json = JSON.stringify('x'.repeat(MIB / 16));
    for (let n = 0; n < 8 * 16; n++) {
      await store.commit(full.world, aPlan({ put: [{ collection: 'things', id: `t${n}`, read: 0, version: 1, json }] }));
    }
    const event = { id: 'e1', topic: 't', key: 'k', json: '{}', subscribers: [] };
    await store.commit(kept, aPlan({ events: [event] }));
    const claim = await store.claim(kept, { key: 'key', fingerprint: 'f', now: 1_000, leaseMs: 60_000 });
    await fill(2 * MIB);
    return { prefix, worlds, store, kept, claim };
  }

  test('A full Redis refuses each operation that adds data atomically, with 503 store_full', async () => {
    const { worlds, store, kept } = await aFullStore();
    for (const adding of [
      store.commit(kept, aPlan({ put: [aThing], move: [{ counter: 'c', key: 'k', field: 'f', by: 1 }] })),
      store.claim(kept, { key: 'another', fingerprint: 'f', now: 1_000, leaseMs: 1_000 }),
      worlds.replace('r', EMPTY),
      worlds.setFault(kept, 'f', '{}'),
      worlds.create('new', { from: () => EMPTY, credentials: CREDENTIALS, idleMs: HOUR, most: 100 }),
    ])
      await expect(adding).rejects.toMatchObject(REFUSED);
    expect(await store.object(kept, 'things', 'a')).toBeUndefined();
    expect(await store.counters(kept, 'c', ['k'])).toEqual([{}]);
    expect(await worlds.current(kept)).toMatchObject({ world: kept });
    expect((await worlds.list()).map(({ rehearsal }) => rehearsal)).toEqual(['r', 'large']);
  });

  test('A full Redis lets running work complete: claims are released, events are sent, and rehearsals in use do not expire', async () => {
    const { worlds, store, kept, claim } = await aFullStore();
    if (claim.is !== 'ours') throw new Error(`The claim is ${claim.is}.`);
    await store.release(kept, 'key', claim.token);
    expect((await store.drain(kept, { token: 'relay' }))?.entries).toHaveLength(1);
    expect(await store.drain(kept, { token: 'relay', sent: ['e1'] })).toBeUndefined();
    expect(await worlds.events(kept, 0, 10)).toHaveLength(1);
    expect(await worlds.use('large')).toBe(HOUR);
  });

  const roomAgain = ({ store, kept }: Awaited<ReturnType<typeof aFullStore>>) =>
    eventually('there is room again', () => succeeds(store.commit(kept, aPlan({ put: [aThing] }))));

  test.each(['deleted', 'expired'])('A rehearsal that is %s makes room', async (ending) => {
    const full = await aFullStore({ idleMs: ending === 'expired' ? 300 : HOUR });
    if (ending === 'deleted') expect(await full.worlds.remove('large')).toBe(true);
    else await eventually('it ends', async () => (await full.worlds.expire()).includes('large'));
    await roomAgain(full);
    expect(await redis.keysThatStay(`${full.prefix}*large*`)).toEqual([]);
    expect((await full.worlds.list()).map(({ rehearsal }) => rehearsal)).toEqual(['r']);
  });

  test('Ended worlds are dropped, even among many current ones', async () => {
    const full = await aFullStore();
    // An older version left current worlds among the worlds to check.
    await redis.admin.config('SET', 'maxmemory', '0');
    for (let n = 0; n < 30; n++) await full.worlds.open(`living-${n}`, EMPTY, CREDENTIALS);
    const asItWas = redis.admin.multi().del(`${full.prefix}{large}`);
    for (const world of await redis.admin.zrange(`${full.prefix}worlds`, '0', '-1')) asItWas.zadd(`${full.prefix}worlds`, 1, world);
    await asItWas.config('SET', 'maxmemory', String(2 * MIB)).exec();
    await eventually('its keys are gone', async () => (await redis.keysThatStay(`${full.prefix}{large}~*`)).length === 0);
    await eventually('nothing is left to check', async () => (await redis.admin.zcount(`${full.prefix}worlds`, '-inf', '(inf')) === 0);
    expect(await redis.admin.exists(`${full.prefix}{r}~${full.kept.slice(2)}`)).toBe(1);
  });

  test('An estate with a full Redis answers 503 to changes, still answers reads, and recovers after a rehearsal is deleted', async () => {
    await using estate = await anObservedEstate({ REDIS_URL: redis.server.url });
    const { client, running } = estate;
    await client.control('create-rehearsal', { body: { name: 'large' } });
    const change = () => client.call('create-basket-api', { body: { channel: 'web' }, headers: { 'idempotency-key': 'full' } });
    const id = await placeAnOrder(running.gateway);
    expect(await client.control('settle')).toMatchObject({ settled: true });
    const [world = ''] = (await client.control('list-rehearsals')).items.filter(({ name }) => name === 'large').map((one) => one.world);
    const key = `estate:{large}~${world.slice('large~'.length)}`;
    for (let n = 0; n < 8 * 16; n++) await redis.admin.hset(`${key}:large`, String(n), 'x'.repeat(MIB / 16));
    await redis.admin.sadd(`${key}:keys`, 'large');
    await fill(4 * MIB);

    const refused = await change();
    expect(refused).toMatchObject({ status: 503, body: { code: 'store_full', retryable: true } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await expect(client.control('reset-rehearsal')).rejects.toMatchObject({ status: 503 });
    expect((await client.call('get-order-api', { params: { id } })).status).toBe(200);
    expect((await client.control('list-rehearsals')).items).toHaveLength(2);
    const readyz = await fetch(`${running.gateway}/readyz`);
    expect([readyz.status, await readyz.json()]).toMatchObject([200, { degraded: [expect.stringContaining('no memory left')] }]);

    await client.control('delete-rehearsal', { params: { name: 'large' } });
    // Its world would be dropped a minute later.
    const sooner = "#!lua flags=allow-oom\nreturn redis.call('ZADD', KEYS[1], 1, ARGV[1])";
    await redis.admin.eval(sooner, 1, 'estate:worlds', world);
    await eventually('there is room again', async () => (await change()).status === 201);
    expect((await client.control('verify')).holds).toBe(true);
  });
});
