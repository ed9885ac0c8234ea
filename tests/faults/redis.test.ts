import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scripts } from '../../shared/store/redis/scripts.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../redis/redis-server.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { eventually } from '../support/eventually.ts';
import { type EstateOfProcesses, killAll, PATIENCE_MS, shown, startEstateOfProcesses, times } from './processes.ts';
import { ONE, RESERVATIONS, rehearsalWith, shelf, buying as startBuying, succeeded } from './vases.ts';

/** A commit that ends a request well: it carries the answer that a repeat gets. */
const commitOf = (service: 'sim' | 'inventory-service') => (asked: string) =>
  asked.includes(scripts.commit.sha) && asked.includes(service === 'sim' ? '"status":201' : '"status":200');

afterAll(killAll);
if (whyNoRedis === undefined) describe('Stock, in processes and on a Redis that come and go', stock);
else skipWithoutRedis('stock in processes that are killed');

function stock(): void {
  let redis: RedisServer;
  let estate: EstateOfProcesses;

  beforeAll(async () => {
    redis = await startRedis({ appendonly: 'yes', appendfsync: 'always' });
    estate = await startEstateOfProcesses({ services: { gateway: 1, sim: 1, 'inventory-service': 1 }, redisPort: redis.port });
  }, 2 * PATIENCE_MS);
  afterAll(async () => {
    await estate?.close();
    await redis?.stop();
  });

  const row = (title: string, body: () => Promise<void>): void => test(title, () => shown(estate, body));

  // If the script `commit` does not answer a repeated operation with its first result, 20 buyers take 30 units.
  row('row 6: 20 replies of Redis are cut while stock is reserved, and every unit is taken exactly once', async () => {
    const rehearsal = await rehearsalWith(estate, 1_000);
    for (const service of ['sim', 'inventory-service'] as const) {
      for (const n of times(10, (index) => index)) {
        const struck = estate.strike(service, { lose: 'answer', when: commitOf(service), by: 'cut' });
        const reply = await rehearsal.insist('POST', RESERVATIONS, ONE, `cut-${service}-${n}`);
        expect(reply.status).toBe(201);
        await struck;
      }
    }
    expect(await shelf(rehearsal)).toMatchObject({ onHand: 1_000, reserved: 20 });
    expect(await rehearsal.broken()).toEqual([]);
  });

  // If the last commit does not store the outcome under the key, the repeat runs again instead of being replayed.
  describe.each(['sim', 'inventory-service'] as const)('row 3: %s', (service) => {
    row('is killed after Reserve is committed and before it replies: the same key has the same result, and one effect', async () => {
      const rehearsal = await rehearsalWith(estate, 10);
      const struck = estate.strike(service, { lose: 'answer', when: commitOf(service), by: 'silence' });
      const first = rehearsal.client.call('POST', RESERVATIONS, ONE, { headers: { 'idempotency-key': 'killed' } }).catch(() => undefined);
      const victim = await struck;
      victim.signal('SIGKILL');
      expect(await victim.ended).toBe('SIGKILL');
      const unanswered = await first;
      expect([undefined, 502, 503, 504]).toContain(unanswered?.status);
      await estate.start(service);
      const again = await rehearsal.insist('POST', RESERVATIONS, ONE, 'killed');
      expect(again.status).toBe(201);
      const repeated = await rehearsal.insist('POST', RESERVATIONS, ONE, 'killed');
      expect([repeated.headers['idempotent-replayed'], repeated.body]).toEqual(['true', again.body]);
      if (service === 'sim') expect(again.headers['idempotent-replayed']).toBe('true');
      // The SIM records the unknown outcome and releases the hold whose answer was lost.
      await eventually('one unit is held', async () => (await shelf(rehearsal)).reserved === 1, PATIENCE_MS);
      expect(await shelf(rehearsal)).toMatchObject({ onHand: 10, atp: 9 });
      expect(await rehearsal.broken()).toEqual([]);
    });
  });

  // Without the append-only file, Redis restarts empty, and no reservation succeeds.
  row(
    'row 7: Redis is killed and started again under load: nothing acknowledged is lost, and the services recover by themselves',
    async () => {
      const rehearsal = await rehearsalWith(estate, 100_000);
      await using buying = startBuying(rehearsal, 8);
      await eventually('reservations flow', async () => succeeded(buying.replies) > 50, PATIENCE_MS);
      redis = await redis.restart();
      const before = succeeded(buying.replies);
      await eventually('reservations flow again', async () => succeeded(buying.replies) > before + 50, PATIENCE_MS);
      const replies = await buying.stop();
      const acknowledged = replies.flatMap(({ status, id }) => (status === 201 && id !== undefined ? [id] : []));
      const states = await Promise.all(acknowledged.map(async (id) => (await rehearsal.object('reservation', id)).state));
      expect(new Set(states)).toEqual(new Set(['requested']));
      const { reserved } = await shelf(rehearsal);
      expect(reserved).toBeGreaterThanOrEqual(acknowledged.length);
      expect(reserved).toBeLessThanOrEqual(replies.length);
      expect(await rehearsal.broken()).toEqual([]);
      for (const one of estate.all())
        expect((await one.readyz()).body.waitingFor ?? []).not.toContainEqual(expect.stringContaining('redis'));
    },
  );

  // Without the time limit of a command, it waits for its connection, and no request is answered.
  row('row 8: Redis is down for 20 s: requests get a fast 503 with Retry-After, processes are not ready, and live', async () => {
    const rehearsal = await rehearsalWith(estate, 100_000);
    await using buying = startBuying(rehearsal, 4);
    await eventually('reservations flow', async () => succeeded(buying.replies) > 10, PATIENCE_MS);
    process.kill(redis.pid, 'SIGKILL');
    const down = Date.now();
    await eventually(
      'nobody is ready',
      async () => {
        const states = await Promise.all(estate.all().map((one) => one.readyz()));
        return states.every(({ status, body }) => status === 503 && body.waitingFor?.some((text) => text.startsWith('redis: ')));
      },
      15_000,
    );
    const first = buying.replies.length;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 20_000 - (Date.now() - down))));
    for (const one of estate.all()) expect((await fetch(`${one.url}/healthz`)).status).toBe(200);
    const refused = buying.replies.slice(first);
    expect(refused.length).toBeGreaterThan(10);
    expect(new Set(refused.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(new Set(['503 1']));
    const took = refused.map(({ ms }) => ms).toSorted((one, other) => one - other);
    expect(took[Math.floor(took.length / 2)]).toBeLessThan(3_000);
    redis = await redis.restart();
    await eventually(
      'everybody is ready again',
      async () => {
        const states = await Promise.all(estate.all().map((one) => one.readyz()));
        return states.every(({ body }) => !body.waitingFor?.some((text) => text.startsWith('redis: ')));
      },
      PATIENCE_MS,
    );
    const before = succeeded(buying.replies);
    await eventually('reservations flow again', async () => succeeded(buying.replies) > before + 10, PATIENCE_MS);
    await buying.stop();
    expect(await rehearsal.broken()).toEqual([]);
  });
}
