import { describe, expect, test } from '@jest/globals';
import { TYPE_PREFIX } from '../../shared/catalog/event-names.ts';
import type { Bus } from '../../shared/events/bus.ts';
import type { Divert } from '../../shared/events/event-faults.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createRelay } from '../../shared/events/relay.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { Store } from '../../shared/store/ports/estate-store.ts';
import { BATCH_SIZE } from '../../shared/store/ports/outbox.ts';
import type { PlannedEvent } from '../../shared/store/ports/plan.ts';
import { eventually } from '../support/eventually.ts';
import { aPlan } from './a-plan.ts';

const log = createLogger('silent');
const event = (id: string) => ({ id, topic: 't', key: 'k', json: '{}', subscribers: [], committedAt: Date.now() });
/** An event of the estate. No application consumes a `basket-created`. */
const named = (id: string, type = 'basket-created') => ({ ...event(id), json: JSON.stringify({ type: `${TYPE_PREFIX}${type}` }) });
/** Longer than any test. */
const FOREVER_MS = 3_600_000;

interface RelayOnBus extends NonNullable<Parameters<typeof createMemoryStore>[0]> {
  readonly lingerMs?: number;
  readonly seed?: string;
}

/** A relay on a bus that delays each batch until `go`, or refuses it with `fail`. */
async function aRelay({ lingerMs, seed, ...options }: RelayOnBus = {}) {
  const adapter = createMemoryStore(options);
  const data = { now: 0, applications: {}, due: [], beginning: { seed } };
  const world = await adapter.worlds.open('r', data, { bearer: 'b', apiKey: 'k', webhookSecret: 'w' });
  const store = adapter.store('oms');
  const batches: string[][] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  let drains = 0;
  const bus: Bus = {
    ...createMemoryBus(),
    lingerMs,
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
  /** Events that a fault may strike. */
  const struck: string[] = [];
  const divert: Divert = async (_world, { entries, faults }) => {
    if (faults > 0) struck.push(...entries.map(({ id }) => id));
    return { send: entries, withhold: [] };
  };
  const relay = createRelay({ store: { ...store, drain }, bus, log, divert, settling: adapter.worlds, turns: adapter.turns });
  const sending = async () => {
    await eventually('a batch is being sent', async () => waiting.length > 0);
    return waiting.shift();
  };
  /** Commits events, and notifies the relay as the pipeline does. */
  async function commitEvents(events: readonly PlannedEvent[], by = relay): Promise<void> {
    const plan = aPlan({ events, relay: { token: by.token, holds: by.holds(world) } });
    const committed = await store.commit(world, plan);
    if (!committed.ok) throw new Error(`The commit is refused: ${committed.why}.`);
    by.committed(world, plan, committed);
    if (!committed.batch) by.kick(world);
  }
  return {
    adapter,
    /** A relay of the same application in another process. */
    another: () => createRelay({ store, bus, log, settling: adapter.worlds }),
    store,
    world,
    relay,
    batches,
    struck,
    drains: () => drains,
    commit: (...ids: string[]) => commitEvents(ids.map(event)),
    commitEvents,
    go: async () => (await sending())?.resolve(),
    fail: async () => (await sending())?.reject(new Error('away')),
    sent: async () => (await adapter.worlds.events(world, 0, 1_000)).map(({ id }) => id),
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

describe('A relay on a bus that permits events to wait', () => {
  test('A relay gathers events without a subscriber, and sends them in one batch with the next one that has a subscriber', async () => {
    const { commitEvents, go, sent, batches, drains, relay } = await aRelay({ lingerMs: FOREVER_MS });
    await commitEvents([named('e1')]);
    await commitEvents([named('e2'), named('e3')]);
    expect(batches).toEqual([]);
    await commitEvents([named('e4', 'order-confirmed')]);
    await go();
    await eventually('all are acknowledged', async () => (await sent()).length === 4);
    expect([batches, drains()]).toEqual([[['e1', 'e2', 'e3', 'e4']], 1]);
    await relay.stop();
  });

  test('A relay sends an event with a subscriber, or of an unknown type, without a wait', async () => {
    const { commit, commitEvents, go, batches, relay } = await aRelay({ lingerMs: FOREVER_MS });
    await commitEvents([named('e1', 'order-confirmed')]);
    await go();
    await commit('e2');
    await go();
    expect(batches).toEqual([['e1'], ['e2']]);
    await relay.stop();
  });

  test('A relay sends gathered events when their time is over', async () => {
    const { commitEvents, go, sent, batches, relay } = await aRelay({ lingerMs: 50 });
    await commitEvents([named('e1')]);
    await go();
    await eventually('it is acknowledged', async () => (await sent()).length === 1);
    expect(batches).toEqual([['e1']]);
    await relay.stop();
  });

  test('A relay does not delay events that an earlier process left for longer than their time', async () => {
    const { store, world, relay, go, batches } = await aRelay({ lingerMs: FOREVER_MS });
    await store.commit(world, aPlan({ events: [{ ...named('e1'), committedAt: Date.now() - FOREVER_MS }] }));
    relay.kick(world);
    await go();
    expect(batches).toEqual([['e1']]);
    await relay.stop();
  });

  test('A relay sends gathered events when a client waits until the world is settled, and gathers none for a while', async () => {
    const { adapter, world, commitEvents, go, batches, relay } = await aRelay({ lingerMs: FOREVER_MS });
    await commitEvents([named('e1')]);
    await adapter.worlds.announceSettling(world);
    await go();
    await commitEvents([named('e2')]);
    await go();
    expect(batches).toEqual([['e1'], ['e2']]);
    await relay.stop();
  });

  test('A relay sends gathered events when they fill a batch, and when it stops', async () => {
    const { commitEvents, go, sent, batches, relay } = await aRelay({ lingerMs: FOREVER_MS });
    const ids = Array.from({ length: BATCH_SIZE + 1 }, (_, n) => `e${n}`);
    await commitEvents([named('e0')]);
    await commitEvents(ids.slice(1).map((id) => named(id)));
    await go();
    await eventually('the batch is acknowledged', async () => (await sent()).length === BATCH_SIZE);
    const stopped = relay.stop();
    await go();
    await stopped;
    expect([batches.map(({ length }) => length), await sent()]).toEqual([[BATCH_SIZE, 1], ids]);
  });

  test('A relay sends gathered events when another process commits an event with a subscriber', async () => {
    const { commitEvents, another, go, sent, batches, relay } = await aRelay({ lingerMs: FOREVER_MS });
    const other = another();
    await commitEvents([named('e1')]);
    await commitEvents([named('e2')], other);
    expect(batches).toEqual([]);
    await commitEvents([{ ...named('e3', 'order-confirmed'), subscribers: ['crm'] }], other);
    await go();
    await go();
    await eventually('all are acknowledged', async () => (await sent()).length === 3);
    expect(batches).toEqual([['e1'], ['e2', 'e3']]);
    await Promise.all([relay.stop(), other.stop()]);
  });

  test('A fault strikes no event that was gathered before it was set, and later events are not delayed', async () => {
    const { adapter, world, commitEvents, go, struck, batches, relay } = await aRelay({ lingerMs: FOREVER_MS });
    await commitEvents([named('e1')]);
    await adapter.worlds.setFault(world, 'f', '{}');
    await commitEvents([named('e2')]);
    for (let batch = 0; batch < 2; batch++) await go();
    await commitEvents([named('e3')]);
    await go();
    expect([batches, struck]).toEqual([
      [['e1'], ['e2'], ['e3']],
      ['e2', 'e3'],
    ]);
    await relay.stop();
  });

  test('A relay does not delay events of a world with a seed, which take turns', async () => {
    const { commitEvents, go, batches, relay } = await aRelay({ lingerMs: FOREVER_MS, seed: 's' });
    await commitEvents([named('e1')]);
    await go();
    expect(batches).toEqual([['e1']]);
    await relay.stop();
  });

  test('A relay does not send gathered events that another relay has sent, and sends later ones', async () => {
    const { store, world, commitEvents, go, sent, batches, relay } = await aRelay({ lingerMs: FOREVER_MS, relayLeaseMs: 0 });
    await commitEvents([named('e1')]);
    await store.drain(world, { token: 'other' });
    await store.drain(world, { token: 'other', sent: ['e1'] });
    await commitEvents([named('e2')]);
    await go();
    await eventually('both are acknowledged', async () => (await sent()).length === 2);
    expect([batches, await sent()]).toEqual([[['e2']], ['e1', 'e2']]);
    await relay.stop();
  });
});
