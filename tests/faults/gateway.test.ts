import { expect } from '@jest/globals';
import type { World } from '../../shared/domain/world.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/transport/estate-headers.ts';
import { raw } from '../gateway/running-gateway.ts';
import { describeEstate } from './processes.ts';
import { rehearsalWith } from './vases.ts';

const AVAILABILITY = '/inventory/vase-sold-out/availability?qty=1';

/** Slow clients, large bodies, ambiguous paths and bad keys, the rest of row 15, never reach an application: tests/gateway has them. */
describeEstate(
  'The gateway before applications in other processes',
  { services: { gateway: 1, 'inventory-service': 1 } },
  (estate, row) => {
    // If the gateway does not replace the estate's headers, the forged token arrives, and the application answers 403.
    row('row 15: a forged identity is removed, even with Expect: 100-continue', async () => {
      const { credentials } = await rehearsalWith(estate, 3);
      const { world } = await rehearsalWith(estate, 0);
      const origin = { world: world as World, now: Date.now(), principal: 'somebody-else', correlationId: 'forged', faults: 0, chain: [] };
      const forged = encodeContext({ ...origin, requestId: 'req_forged', deadline: Date.now() + 60_000 });
      for (const expecting of ['', 'Expect: 100-continue\r\n']) {
        const own = `GET ${AVAILABILITY} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${credentials.bearer}\r\n`;
        const more = `${CONTEXT_HEADER}: ${forged}\r\n${TOKEN_HEADER}: forged\r\nConnection: close, ${TOKEN_HEADER}\r\n${expecting}\r\n`;
        const reply = await raw(estate.one('gateway').port, own + more);
        expect(reply).toMatch(/^HTTP\/1.1 200 /m);
        expect(reply).toMatch(/"atp":3\b/);
      }
    });

    // Without the token of the estate, an application would answer anybody who reaches its port.
    row('row 15: an application refuses a client that does not come through the gateway', async () => {
      const { credentials } = await rehearsalWith(estate, 1);
      const headers = { authorization: `Bearer ${credentials.bearer}` };
      expect((await fetch(`${estate.one('inventory-service').url}${AVAILABILITY}`, { headers })).status).toBe(403);
    });
  },
);
