import { expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Bus } from '../../shared/events/bus.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { messageOf } from '../../shared/events/relay.ts';
import { createResumingBus } from '../../shared/events/resuming-bus.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import { eventually, succeeds } from '../support/eventually.ts';
import { aPlan } from './a-plan.ts';
import { CREDENTIALS } from './open-store.ts';

type Subscriber = 'crm' | 'pos';

const json = (id: string): string => JSON.stringify({ id, type: 'com.unified-commerce.order-confirmed', correlationid: 'c' });
const planned = (id: string, key = 'ord_1') => ({ id, topic: 't', key, json: json(id) });

/** What an earlier process has left: a world whose OMS has committed these events, and the ids of the published ones, first published first. */
async function left(events: readonly (readonly [id: string, ...subscribers: Subscriber[]])[], published: readonly string[]) {
  const adapter = createMemoryStore({ journal: 'off' });
  const world = await adapter.worlds.open('r', { now: 1_000, applications: {}, due: [] }, CREDENTIALS);
  const store = adapter.store('oms');
  for (const [id, ...subscribers] of events) await store.commit(world, aPlan({ events: [{ ...planned(id), subscribers }] }));
  await store.drain(world, { token: 'earlier', sent: published, isStopping: true });
  return { adapter, world };
}

/** A bus of the next process, and what its subscribers get: `<application> <event>`. */
async function nextBus({ worlds }: Pick<StoreAdapter, 'worlds'>, read: Partial<StoreAdapter['worlds']> = {}) {
  const stopping = new AbortController();
  const options = { bus: createMemoryBus(), log: createLogger('silent'), stopping: stopping.signal };
  const bus = createResumingBus({ ...options, worlds: { ...worlds, ...read } });
  const got: string[] = [];
  for (const application of ['crm', 'pos'] satisfies readonly Application[])
    await bus.subscribe(application, { topics: ['t'] }, async ({ id }) => {
      got.push(`${application} ${id}`);
      return undefined;
    });
  return { bus, got, stopping };
}

const publish = (bus: Bus, world: World, id: string): Promise<void> => bus.publish([messageOf(world, planned(id))]);

test('A process first delivers what an earlier one published, first published first, to the applications that lack it', async () => {
  const { adapter, world } = await left([['e1', 'crm'], ['e2', 'crm', 'pos'], ['e3']], ['e2', 'e1', 'e3']);
  const { bus, got } = await nextBus(adapter);
  const publishing = publish(bus, world, 'e4');
  expect(got).toEqual([]);
  bus.resume?.();
  await publishing;
  await eventually('all has arrived', async () => got.length === 5);
  expect(got.filter((one) => one.startsWith('crm'))).toEqual(['crm e2', 'crm e1', 'crm e4']);
  expect(got.filter((one) => one.startsWith('pos'))).toEqual(['pos e2', 'pos e4']);
});

test('A process leaves consumed, parked, postponed and redriven deliveries, and events in the outbox', async () => {
  const events = ['consumed', 'parked', 'postponed', 'redriven', 'pending', 'unsent'].map((id) => [id, 'crm'] as const);
  const { adapter, world } = await left(
    events,
    events.map(([id]) => id).filter((id) => id !== 'unsent'),
  );
  const crm = adapter.store('crm');
  await crm.commit(world, aPlan({ fence: { kind: 'delivery', key: 'crm|consumed' } }));
  await crm.park(world, 'crm|parked', 'no');
  await crm.park(world, 'crm|redriven', 'no');
  await adapter.worlds.redrive(world, [{ what: 'delivery', key: 'crm|redriven', event: planned('redriven') }]);
  await crm.postpone(world, 'crm|postponed', { event: planned('postponed'), at: 2_000, awaits: 'pos' });
  const { bus, got } = await nextBus(adapter);
  bus.resume?.();
  await publish(bus, world, 'last');
  await eventually('the last event has arrived', async () => got.includes('crm last'));
  expect(got.filter((one) => one.startsWith('crm'))).toEqual(['crm pending', 'crm last']);
});

test('A world that cannot be read does not hold back the events of the others', async () => {
  const { adapter, world } = await left([['e1', 'crm']], ['e1']);
  await adapter.worlds.open('broken', { now: 1_000, applications: {}, due: [] }, CREDENTIALS);
  const ledger: StoreAdapter['worlds']['ledger'] = async (of, limit) => {
    if (of.startsWith('broken')) throw new Error('This entry cannot be read.');
    return adapter.worlds.ledger(of, limit);
  };
  const { bus, got } = await nextBus(adapter, { ledger });
  bus.resume?.();
  await publish(bus, world, 'e2');
  await eventually('all has arrived', async () => got.includes('crm e2'));
  expect(got.filter((one) => one.startsWith('crm'))).toEqual(['crm e1', 'crm e2']);
});

test('A process that stops before it has subscribed to events publishes nothing', async () => {
  const { adapter, world } = await left([['e1', 'crm']], ['e1']);
  const { bus, got, stopping } = await nextBus(adapter);
  const published = succeeds(publish(bus, world, 'e2'));
  stopping.abort();
  expect([await published, got]).toEqual([false, []]);
});
