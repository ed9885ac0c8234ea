import { expect } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { describeEstate, PATIENCE_MS, times } from './processes.ts';
import { ONE, RESERVE, rehearsalWith, shelf, buying as startBuying, succeeded } from './vases.ts';

/** How long a stopping replica still serves requests. */
const DRAIN_MS = 3_000;
const services = { gateway: 2, sim: 3, 'inventory-service': 3 };

describeEstate('Replicas', { services, environment: { DRAIN_DELAY_MS: String(DRAIN_MS) } }, (estate, row) => {
  // Without the guard of the counter in the script `commit`, 149 of 300 buyers are promised the 100 units.
  row('row 9: 1000 buyers at three replicas reserve the 100 units, and 900 are refused', async () => {
    const rehearsal = await rehearsalWith(estate, 100);
    const replies = await Promise.all(times(1_000, () => rehearsal.insist(RESERVE, { body: ONE })));
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
});
