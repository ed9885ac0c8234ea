import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { createClockDriver } from '../../control/clock/driver.ts';
import { listen } from '../../shared/process/fair-server.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { aPlan } from '../ports/a-plan.ts';

test('A rehearsal has not settled while work is due that fell due after its clock was read', async () => {
  // The application never answers, so the work stays due.
  const server = createServer(() => undefined);
  const url = await listen(server, 0, '127.0.0.1');
  const adapter = createMemoryStore();
  const agent = new Agent();
  const credentials = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };
  const world = await adapter.worlds.open('flowing', { now: Date.now(), applications: {}, due: [] }, credentials);
  let planned = false;
  const worlds: typeof adapter.worlds = {
    ...adapter.worlds,
    ledger: async (...asked) => {
      if (!planned) {
        planned = true;
        await new Promise((resolve) => setTimeout(resolve, 20));
        const now = (await adapter.worlds.current(world))?.now ?? 0;
        const due = [{ kind: 'pack', key: 'pck_1', at: now, payload: '{}', correlationId: 'c' }];
        await adapter.store('wms').commit(world, aPlan({ now, due }));
      }
      return adapter.worlds.ledger(...asked);
    },
  };
  const transport = createHttpTransport({ addressOf: () => url, token: 't', agent });
  const driver = createClockDriver({ worlds, transport, log: createLogger('silent') });
  try {
    const outcome = await driver.settle(world, 300);
    expect(outcome.settled).toBe(false);
    expect(outcome.waitingFor.join()).toContain('pck_1');
  } finally {
    server.closeAllConnections();
    await driver.stop();
    await agent.destroy();
    server.close();
  }
});
