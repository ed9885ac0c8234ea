import { expect, test } from '@jest/globals';
import { ANONYMOUS, type Context } from '../../shared/control/context.ts';
import { createShadows } from '../../shared/elsewhere/shadow/shadows.ts';
import { type FidelityLog, fidelityLogs, notCompared } from '../../shared/elsewhere/shadow/stored-fidelity.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { eventually } from '../support/eventually.ts';

const TIMEOUT_MS = 5_000;

test('A comparison whose process has ended waits until its deadline, and is lost then', async () => {
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open('r', { now: 1_000, applications: {}, due: [] }, { bearer: 'b', apiKey: 'k', webhookSecret: 'w' });
  const ids = { requestId: 'r-1', correlationId: 'c-1', principal: ANONYMOUS, chain: [] };
  const context: Context = { world, now: 1_000, deadline: Date.now() + 60_000, faults: 0, ...ids };
  const store = adapter.store('payment-hub');
  const log = async () => JSON.parse((await store.object(world, fidelityLogs.name, 'fidelity'))?.json ?? '{}') as FidelityLog;
  const [ended, living] = [createShadows({ store, log: createLogger('silent') }), createShadows({ store, log: createLogger('silent') })];
  await ended.add(context, 'list-payments', () => new Promise(() => undefined));
  await living.add(context, 'list-payments', async () => []);
  await eventually('the living process has compared its call', async () => (await log()).operations['list-payments']?.compared === 1);
  expect(notCompared(await log(), TIMEOUT_MS)).toEqual({ waiting: 1, lost: 0 });
  expect(notCompared(await log(), TIMEOUT_MS, Date.now() + TIMEOUT_MS + 10_100)).toEqual({ waiting: 0, lost: 1 });
});
