import { getEventListeners } from 'node:events';
import { expect, test } from '@jest/globals';
import { Agent } from 'undici';
import * as crm from '../../services/crm/service.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Bus } from '../../shared/events/bus.ts';
import { endOfMembership } from '../../shared/events/kafka/subscription.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createRelay } from '../../shared/events/relay.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { startApplication } from '../../shared/runtime/application.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { Store } from '../../shared/store/ports/estate-store.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { aPlan } from './a-plan.ts';

const log = createLogger('silent');

async function aLongOutbox() {
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open('long', { now: 0, applications: {}, due: [] }, { bearer: 'b', apiKey: 'k', webhookSecret: 'w' });
  const store = adapter.store('oms');
  const events = Array.from({ length: 5_000 }, (_, n) => ({ id: `e${n}`, topic: 't', key: 'k', json: '{}', subscribers: [] }));
  await store.commit(world, aPlan({ events }));
  const sent = async (of: World = world) => (await adapter.worlds.events(of, 0, 10_000)).length;
  return { adapter, store, world, sent, all: events.length };
}

/** A relay that is stopped while its first batch is being sent. The test decides whether the bus accepts the batch. */
async function stoppedRelay(store: Store) {
  const first = Promise.withResolvers<void>();
  const batches: number[] = [];
  const publish: Bus['publish'] = async (batch) => {
    batches.push(batch.length);
    await first.promise;
  };
  const bus: Bus = { ...createMemoryBus(), publish };
  const relay = createRelay({ store, bus, log });
  await eventually('the first batch is being sent', async () => batches.length === 1);
  return { bus, batches, stopped: relay.stop(), send: first.resolve, fail: () => first.reject(new Error('away')) };
}

test('a relay stops after its current batch, which is acknowledged, and another relay can lease the rest', async () => {
  const { store, world, sent, all } = await aLongOutbox();
  const { bus, batches, stopped, send } = await stoppedRelay(store);
  send();
  await stopped;
  expect([batches, await store.unsent()]).toEqual([[await sent()], [world]]);
  const next = createRelay({ store, bus, log });
  await eventually('the rest is sent', async () => (await sent()) === all);
  await next.stop();
});

test('a relay that cannot send its last batch releases the outbox, which keeps the batch', async () => {
  const { store, world, sent } = await aLongOutbox();
  const { batches, stopped, fail } = await stoppedRelay(store);
  fail();
  await stopped;
  expect([batches.length, await sent(), await store.unsent()]).toEqual([1, 0, [world]]);
});

const stopping = new AbortController();
const watched = (ended: Promise<string>, lastSign: () => number) =>
  endOfMembership({ ended, lastSign }, { deafMs: 60_000, everyMs: 1, stopping: stopping.signal });

test('a member that rejoins its group repeatedly leaves neither a listener nor a loop behind', async () => {
  let looks = 0;
  const lastSign = () => {
    looks += 1;
    return Date.now();
  };
  for (let time = 0; time < 50; time++) expect(await watched(Promise.resolve(`crash ${time}`), lastSign)).toBe(`crash ${time}`);
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
  const before = looks;
  let later = 0;
  const staying = watched(new Promise(() => {}), () => {
    later += 1;
    return Date.now();
  });
  await eventually('the member has checked a few times', async () => later > 5);
  expect(looks).toBe(before);
  stopping.abort();
  await staying;
  expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
});

test('a member without an answer from the broker reports it after the limit', async () => {
  const membership = { ended: new Promise(() => {}), lastSign: () => 0 };
  const reason = await endOfMembership(membership, { deafMs: 60_000, everyMs: 1, stopping: new AbortController().signal });
  expect(reason).toEqual(new Error('no sign of the broker for 60 seconds'));
});

test('an application whose subscriptions cannot start stops listening, and can start again at its port', async () => {
  const port = await freePort();
  const agent = new Agent();
  const transport = createHttpTransport({ addressOf: () => 'http://127.0.0.1:1', token: 't', agent });
  const parts = { service: crm.service, adapter: createMemoryStore(), transport, token: 't', agent, log, host: '127.0.0.1', port };
  const subscribe = () => Promise.reject(new Error('unknown topic'));
  const starting = startApplication({ ...parts, bus: { ...createMemoryBus(), subscribe }, strictResponses: true });
  await expect(starting).rejects.toThrow('unknown topic');
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  const again = await startApplication({ ...parts, bus: createMemoryBus(), strictResponses: true });
  expect(again.url).toContain(String(port));
  await again.close();
  await agent.close();
});
