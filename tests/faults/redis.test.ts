import { expect } from '@jest/globals';
import { scripts } from '../../shared/store/redis/scripts.ts';
import { eventually } from '../support/eventually.ts';
import { describeEstate, PATIENCE_MS, times } from './processes.ts';
import { ONE, RESERVE, rehearsalWith, shelf, buying as startBuying, succeeded } from './vases.ts';

/** The last commit of a successful request, which stores the answer for a repeat. */
const commitOf = (service: 'sim' | 'inventory-service') => (sent: string) =>
  sent.includes(scripts.commit.sha) && sent.includes(service === 'sim' ? '"status":201' : '"status":200');

const services = { gateway: 1, sim: 1, 'inventory-service': 1 };
const redisSettings = { appendonly: 'yes', appendfsync: 'always' };

describeEstate('Stock, in processes and on a Redis that are killed', { services, redis: redisSettings }, (estate, row, redis) => {
  const waitingForRedis = async (): Promise<readonly boolean[]> => {
    const states = await Promise.all(estate.all().map((one) => one.readyz()));
    return states.map(({ status, body }) => status === 503 && body.waitingFor?.some((text) => text.startsWith('redis: ')) === true);
  };
  const flow = (buying: ReturnType<typeof startBuying>, more: number) => {
    const before = succeeded(buying.replies);
    return eventually('reservations flow', async () => succeeded(buying.replies) > before + more, PATIENCE_MS);
  };

  // If the script `commit` does not answer a repeated operation with its first result, 20 buyers take 30 units.
  row('row 6: 20 replies of Redis are cut while stock is reserved, and every unit is taken exactly once', async () => {
    const rehearsal = await rehearsalWith(estate, 1_000);
    for (const service of ['sim', 'inventory-service'] as const) {
      for (const _ of times(10, String)) {
        const struck = estate.strike(service, { lose: 'answer', when: commitOf(service), by: 'cut' });
        expect((await rehearsal.insist(RESERVE, { body: ONE })).status).toBe(201);
        await struck;
      }
    }
    expect(await shelf(rehearsal)).toMatchObject({ onHand: 1_000, reserved: 20 });
    expect(await rehearsal.broken()).toEqual([]);
  });

  // If the last commit does not store the outcome under the key, the repeat runs again instead of being replayed.
  for (const service of ['sim', 'inventory-service'] as const)
    row(`row 3: ${service} is killed after the commit of Reserve: the same key has the same result, and one effect`, async () => {
      const rehearsal = await rehearsalWith(estate, 10);
      const reserve = { body: ONE, headers: { 'idempotency-key': 'killed' } };
      const struck = estate.strike(service, { lose: 'answer', when: commitOf(service), by: 'silence' });
      const first = rehearsal.call(RESERVE, reserve).catch(() => undefined);
      const victim = await struck;
      victim.signal('SIGKILL');
      expect(await victim.ended).toBe('SIGKILL');
      expect([undefined, 502, 503, 504]).toContain((await first)?.status);
      await estate.start(service);
      const again = await rehearsal.insist(RESERVE, reserve);
      expect(again.status).toBe(201);
      if (service === 'sim') expect(again.headers['idempotent-replayed']).toBe('true');
      const repeated = await rehearsal.insist(RESERVE, reserve);
      expect([repeated.headers['idempotent-replayed'], repeated.body]).toEqual(['true', again.body]);
      // The SIM stores the unknown outcome and releases the reservation whose answer was lost.
      await eventually('one unit is reserved', async () => (await shelf(rehearsal)).reserved === 1, PATIENCE_MS);
      expect(await shelf(rehearsal)).toMatchObject({ onHand: 10, atp: 9 });
      expect(await rehearsal.broken()).toEqual([]);
    });

  // Without the append-only file, Redis restarts empty, and no reservation succeeds.
  row('row 7: Redis is killed and restarted under load: nothing acknowledged is lost, and the services recover', async () => {
    const rehearsal = await rehearsalWith(estate, 100_000);
    await using buying = startBuying(rehearsal, 8);
    await flow(buying, 50);
    redis.server = await redis.server.restart();
    await flow(buying, 50);
    const replies = await buying.stop();
    const acknowledged = replies.flatMap(({ status, id }) => (status === 201 && id !== undefined ? [id] : []));
    const states = await Promise.all(acknowledged.map(async (id) => (await rehearsal.object('reservation', id)).state));
    expect(new Set(states)).toEqual(new Set(['requested']));
    const { reserved } = await shelf(rehearsal);
    expect(reserved).toBeGreaterThanOrEqual(acknowledged.length);
    expect(reserved).toBeLessThanOrEqual(replies.length);
    // A reservation whose answer was lost is released afterwards.
    await eventually('all invariants hold', async () => (await rehearsal.broken()).length === 0, PATIENCE_MS);
    expect(await waitingForRedis()).not.toContain(true);
  });

  // Without the time limit of a command, it waits for its connection, and no request is answered.
  row('row 8: Redis is down for 20 s: requests get a fast 503 with Retry-After, processes live and are not ready', async () => {
    const rehearsal = await rehearsalWith(estate, 100_000);
    await using buying = startBuying(rehearsal, 4);
    await flow(buying, 10);
    process.kill(redis.server.pid, 'SIGKILL');
    const down = Date.now();
    await eventually('no process is ready', async () => (await waitingForRedis()).every(Boolean), 15_000);
    const first = buying.replies.length;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 20_000 - (Date.now() - down))));
    for (const one of estate.all()) expect((await fetch(`${one.url}/healthz`)).status).toBe(200);
    const refused = buying.replies.slice(first);
    expect(refused.length).toBeGreaterThan(10);
    expect(new Set(refused.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(new Set(['503 1']));
    const took = refused.map(({ ms }) => ms).toSorted((one, other) => one - other);
    expect(took[Math.floor(took.length / 2)]).toBeLessThan(3_000);
    redis.server = await redis.server.restart();
    await eventually('every process has Redis', async () => !(await waitingForRedis()).includes(true), PATIENCE_MS);
    await flow(buying, 10);
    await buying.stop();
    expect(await rehearsal.broken()).toEqual([]);
  });
});
