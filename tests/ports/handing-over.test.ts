import { expect, test } from '@jest/globals';
import type { Bus } from '../../shared/events/bus.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createRelay } from '../../shared/events/relay.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { Store } from '../../shared/store/ports/estate-store.ts';
import { eventually } from '../support/eventually.ts';
import { aPlan } from './a-plan.ts';

const log = createLogger('silent');
const event = (id: string) => ({ id, topic: 't', key: 'k', json: '{}', subscribers: [] });

/** A relay on a bus that delays each batch until `go`, or refuses it with `fail`. */
async function aRelay(options: Parameters<typeof createMemoryStore>[0] = {}) {
  const adapter = createMemoryStore(options);
  const world = await adapter.worlds.open('r', { now: 0, applications: {}, due: [] }, { bearer: 'b', apiKey: 'k', webhookSecret: 'w' });
  const store = adapter.store('oms');
  const batches: string[][] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  let drains = 0;
  const bus: Bus = {
    ...createMemoryBus(),
    publish: (batch) => {
      batches.push(batch.map(({ headers }) => headers['id'] ?? ''));
      const answer = Promise.withResolvers<void>();
      waiting.push(answer);
      return answer.promise;
    },
  };
  const drain: Store['drain'] = (...args) => {
    drains += 1;
    return store.drain(...args);
  };
  const relay = createRelay({ store: { ...store, drain }, bus, log });
  const sending = async () => {
    await eventually('a batch is being sent', async () => waiting.length > 0);
    return waiting.shift();
  };
  return {
    store,
    world,
    relay,
    batches,
    drains: () => drains,
    /** Commits events, and kicks the relay as the pipeline does. */
    async commit(...ids: string[]): Promise<void> {
      const committed = await store.commit(world, aPlan({ events: ids.map(event), relay: relay.token }));
      relay.kick(world, committed.ok ? committed.batch : undefined);
    },
    go: async () => (await sending())?.resolve(),
    fail: async () => (await sending())?.reject(new Error('away')),
    sent: async () => (await adapter.worlds.events(world, 0, 100)).map(({ id }) => id),
  };
}

test('A relay sends the events of a commit without reading them from the store, and reads the store once for later events', async () => {
  const { commit, go, sent, drains, relay } = await aRelay();
  await commit('e1', 'e2');
  await go();
  await eventually('they are acknowledged', async () => (await sent()).length === 2);
  await relay.stop();
  expect(drains()).toBe(1);
});

test('A relay sends events that are committed during a batch, in order', async () => {
  const { commit, go, sent, batches, relay } = await aRelay();
  for (const id of ['e1', 'e2', 'e3']) await commit(id);
  await go();
  await go();
  await eventually('all are acknowledged', async () => (await sent()).length === 3);
  expect(batches).toEqual([['e1'], ['e2', 'e3']]);
  await commit('e4');
  await go();
  await eventually('the next event is acknowledged', async () => (await sent()).length === 4);
  expect(await sent()).toEqual(['e1', 'e2', 'e3', 'e4']);
  await relay.stop();
});

test('A relay sends no event twice when the lease of its batch has expired before the next commit', async () => {
  const { commit, go, sent, batches, relay } = await aRelay({ relayLeaseMs: 0 });
  await commit('e1');
  await commit('e2');
  await go();
  await go();
  await eventually('both are acknowledged', async () => (await sent()).length === 2);
  await relay.stop();
  expect(batches).toEqual([['e1'], ['e2']]);
});

test('A stopping relay sends the batch that it has, and then releases the outbox', async () => {
  const { commit, go, sent, batches, relay, store, world } = await aRelay();
  await commit('e1');
  const stopped = relay.stop();
  await commit('e2');
  await go();
  await stopped;
  expect([batches, await sent(), await store.unsent()]).toEqual([[['e1']], ['e1'], [world]]);
  await commit('e3');
  await go();
  await eventually('events handed over after the stop are sent', async () => (await sent()).length === 3);
  expect(await store.unsent()).toEqual([]);
});

test('A stopping relay that cannot send its batch releases the outbox, which keeps the batch', async () => {
  const { commit, fail, sent, batches, relay, store, world } = await aRelay();
  await commit('e1');
  const stopped = relay.stop();
  await fail();
  await stopped;
  expect([batches, await sent(), await store.unsent()]).toEqual([[['e1']], [], [world]]);
});
