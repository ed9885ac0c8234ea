import { connect } from 'node:net';
import { expect } from '@jest/globals';
import type { World } from '../../shared/domain/world.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/transport/estate-headers.ts';
import { raw } from '../gateway/running-gateway.ts';
import { describeEstate, type Rehearsed, times } from './processes.ts';
import { rehearsalWith } from './vases.ts';

const AVAILABILITY = '/inventory/vase-sold-out/availability?qty=1';
const RESERVATIONS = '/inventory/reservations';
const MIB = 1_048_576;

describeEstate(
  'The gateway before applications in other processes',
  { services: { gateway: 1, 'inventory-service': 1 } },
  (estate, row) => {
    /** The socket of the gateway. */
    const port = (): number => estate.one('gateway').port;
    const head = ({ credentials }: Rehearsed, line: string, more = ''): string =>
      `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credentials.bearer}\r\n${more}`;

    /** @returns the sorted durations of requests of a normal client, in milliseconds */
    async function goodTraffic(rehearsal: Rehearsed, count: number): Promise<readonly number[]> {
      const took: number[] = [];
      for (const _ of times(count, String)) {
        const began = performance.now();
        expect((await rehearsal.call('GET', AVAILABILITY)).status).toBe(200);
        took.push(performance.now() - began);
      }
      return took.toSorted((one, other) => one - other);
    }
    const median = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)] ?? 0;

    // Without `headersTimeout` and `requestTimeout`, no connection is closed, and the test times out.
    row('row 15: 200 slow clients get 408 and are disconnected, and other clients are served', async () => {
      const rehearsal = await rehearsalWith(estate, 1);
      const before = await goodTraffic(rehearsal, 50);
      const half = head(rehearsal, `POST ${RESERVATIONS}`, 'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a"');
      // Half of the clients send incomplete headers, half an incomplete body.
      const slow = times(200, (n) => slowClient(port(), n % 2 === 0 ? 'POST /baskets HTTP/1.1\r\nHost' : half));
      const during = await goodTraffic(rehearsal, 50);
      expect(median(during)).toBeLessThan(5 * median(before) + 100);
      for (const reply of await Promise.all(slow)) expect(reply).toMatch(/^HTTP\/1.1 408 /);
      await goodTraffic(rehearsal, 10);
    });

    // Without both limits of a body, the gateway waits for the whole gigabyte.
    row('row 15: a body of 1 GB is 413 before it is sent, announced or in chunks', async () => {
      const rehearsal = await rehearsalWith(estate, 1);
      const announced = await raw(port(), head(rehearsal, `POST ${RESERVATIONS}`, 'Content-Length: 1000000000\r\n\r\n'));
      expect(announced).toMatch(/^HTTP\/1.1 413 /);
      const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
      const chunked = head(rehearsal, `POST ${RESERVATIONS}`, 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
      const counted = await raw(port(), chunked + chunk.repeat(MIB / 65_536 + 1));
      expect(counted).toMatch(/^HTTP\/1.1 413 /);
      await goodTraffic(rehearsal, 10);
    });

    // If the gateway does not replace the estate's headers, the forged token arrives, and the application answers 403.
    row('row 15: a forged identity is removed, even with Expect: 100-continue', async () => {
      const rehearsal = await rehearsalWith(estate, 3);
      const other = await rehearsalWith(estate, 0);
      const origin = {
        world: other.world as World,
        now: Date.now(),
        principal: 'somebody-else',
        correlationId: 'forged',
        faults: 0,
        chain: [],
      };
      const forged = encodeContext({ ...origin, requestId: 'req_forged', deadline: Date.now() + 60_000 });
      for (const expecting of ['', 'Expect: 100-continue\r\n']) {
        const lines = `${CONTEXT_HEADER}: ${forged}\r\n${TOKEN_HEADER}: forged\r\nConnection: close, ${TOKEN_HEADER}\r\n${expecting}\r\n`;
        const reply = await raw(port(), head(rehearsal, `GET ${AVAILABILITY}`, lines));
        expect(reply).toMatch(/^HTTP\/1.1 200 /m);
        expect(reply).toMatch(/"atp":3\b/);
      }
    });

    // Without the refusal of ambiguous paths, they are routed and answered with 404.
    row('row 15: ambiguous paths are 400', async () => {
      const rehearsal = await estate.rehearse();
      for (const path of [
        '/%2e%2e/',
        '/inventory/%2e%2e/products',
        '/inventory//x',
        '/inventory/..%2fx',
        '/inventory/\\x',
        '/inventory/%00',
      ])
        expect([path, await raw(port(), head(rehearsal, `GET ${path}`, 'Connection: close\r\n\r\n'))]).toEqual([
          path,
          expect.stringMatching(/^HTTP\/1.1 400 /),
        ]);
    });

    // Without the comparison of a key with the stored one, a token with an extra letter is 200.
    row('row 15: bad keys are 401 and reach no application', async () => {
      const rehearsal = await rehearsalWith(estate, 1);
      const { bearer } = rehearsal.credentials;
      const wrong = ['Bearer a-guess', `Bearer ${bearer}x`, `Bearer ${bearer.slice(0, -1)}`, `Basic ${bearer}`, 'Bearer ', ''];
      for (const authorization of wrong) {
        const headers = { ...(authorization !== '' && { authorization }), 'x-correlation-id': 'bad-key' };
        const reply = await rehearsal.call('GET', AVAILABILITY, undefined, { as: 'none', headers });
        expect([authorization, reply.status, reply.headers['www-authenticate']]).toEqual([authorization, 401, expect.any(String)]);
      }
      const direct = await fetch(`${estate.one('inventory-service').url}${AVAILABILITY}`, {
        headers: { authorization: `Bearer ${bearer}` },
      });
      expect(direct.status).toBe(403);
      expect((await rehearsal.journal('bad-key')).filter(({ application }) => application !== 'gateway')).toEqual([]);
      await goodTraffic(rehearsal, 10);
    });
  },
);

/** @returns all bytes that the client receives before it is disconnected */
function slowClient(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => socket.destroy());
  return new Promise((resolve) => socket.on('close', () => resolve(received)));
}
