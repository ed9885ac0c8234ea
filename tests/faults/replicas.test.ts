import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RedisServer, startRedis, whyNoRedis } from '../redis/redis-server.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { eventually } from '../support/eventually.ts';
import { type EstateOfProcesses, killAll, PATIENCE_MS, shown, startEstateOfProcesses, times } from './processes.ts';
import { ONE, RESERVATIONS, rehearsalWith, shelf, buying as startBuying, succeeded } from './vases.ts';

/** So long a replica that leaves is not ready, and serves. */
const DRAIN_MS = 3_000;

afterAll(killAll);
if (whyNoRedis === undefined) describe('Replicas', replicas);
else skipWithoutRedis('replicas that share their stock, and leave');

function replicas(): void {
  let redis: RedisServer;
  let estate: EstateOfProcesses;

  beforeAll(async () => {
    redis = await startRedis();
    estate = await startEstateOfProcesses({
      services: { gateway: 2, sim: 3, 'inventory-service': 3 },
      redisPort: redis.port,
      environment: { DRAIN_DELAY_MS: String(DRAIN_MS) },
    });
  }, 2 * PATIENCE_MS);
  afterAll(async () => {
    await estate?.close();
    await redis?.stop();
  });

  const row = (title: string, body: () => Promise<void>): void => test(title, () => shown(estate, body));

  // Without the guard of the counter in the script `commit`, 149 of 300 buyers are promised the 100 units.
  row('row 9: of 1000 buyers at three replicas 100 get the 100 units, and 900 are refused', async () => {
    const rehearsal = await rehearsalWith(estate, 100);
    const replies = await Promise.all(times(1_000, () => rehearsal.insist('POST', RESERVATIONS, ONE)));
    const count = (status: number): number => replies.filter((reply) => reply.status === status).length;
    expect([count(201), count(409)]).toEqual([100, 900]);
    expect(await shelf(rehearsal)).toMatchObject({ onHand: 100, reserved: 100, atp: 0 });
    expect(await rehearsal.broken()).toEqual([]);
  });

  // If the gateway does not send `Connection: close` while it drains, nor wait before it closes connections, requests are broken off.
  // If the applications do not announce and delay the closing of connections, requests are 502.
  row('row 12: a replica of each service gets SIGTERM under keep-alive load: no request fails, and each exits with 0', async () => {
    const rehearsal = await rehearsalWith(estate, 100_000);
    await using buying = startBuying(rehearsal, 16);
    await eventually('reservations flow', async () => succeeded(buying.replies) > 50, PATIENCE_MS);
    for (const service of ['inventory-service', 'sim', 'gateway'] as const) {
      const leaving = estate.one(service);
      leaving.signal('SIGTERM');
      // Like a balancer: new connections go only to ready replicas, and existing connections stay.
      await eventually('it is draining', async () => (await leaving.readyz()).body.status === 'draining', DRAIN_MS);
      estate.way(service).lead(estate.of(service).flatMap((one) => (one === leaving ? [] : [one.port])));
      expect((await fetch(`${leaving.url}/healthz`)).status).toBe(200);
      expect(await leaving.ended).toBe(0);
    }
    const before = succeeded(buying.replies);
    await eventually('reservations still flow', async () => succeeded(buying.replies) > before + 50, PATIENCE_MS);
    const replies = await buying.stop();
    expect(replies.filter(({ status }) => status !== 201)).toEqual([]);
    expect(await shelf(rehearsal)).toMatchObject({ reserved: replies.length });
  });
}
