import { expect, test } from '@jest/globals';
import { readConfiguration } from '../../estate/configuration.ts';
import { openBus } from '../../estate/infrastructure.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createRelay } from '../../shared/events/relay.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { EndTurn, Turns } from '../../shared/store/ports/turns.ts';
import { eventually } from '../support/eventually.ts';
import { event, timer } from './a-plan.ts';
import { EMPTY, openStore } from './open-store.ts';

const SEEDED = { ...EMPTY, beginning: { seed: 's', startsAt: 1_000 } };

async function opened(limits: Parameters<typeof createMemoryStore>[0] = {}, from = SEEDED) {
  const rehearsal = await openStore(async () => createMemoryStore(limits), from);
  const { turns } = rehearsal.adapter;
  if (!turns) throw new Error('A store in memory has turns.');
  return { ...rehearsal, turns };
}

/** Notes what begins. Each piece of work ends before the next one in the list is asked for. */
function noting() {
  const begun: string[] = [];
  const note = async (name: string, turn: Promise<EndTurn>): Promise<void> => {
    const end = await turn;
    begun.push(name);
    await new Promise(setImmediate);
    end();
  };
  return { begun, note };
}

test('A delivery runs before due work, and a request begins after both', async () => {
  const { turns, world } = await opened();
  const { begun, note } = noting();
  const endFirst = await turns.take(world, 'due');
  const endAnnouncement = turns.announce(world);
  const waiting = [
    note('request', turns.request(world)),
    note('due', turns.take(world, 'due')),
    note('delivery', turns.take(world, 'delivery').finally(endAnnouncement)),
  ];
  endFirst();
  await Promise.all(waiting);
  expect(begun).toEqual(['delivery', 'due', 'request']);
});

test('Due work and a request wait for an announced delivery', async () => {
  const { turns, world } = await opened();
  const { begun, note } = noting();
  const endAnnouncement = turns.announce(world);
  const waiting = [note('request', turns.request(world)), note('due', turns.take(world, 'due'))];
  const endDelivery = await turns.take(world, 'delivery');
  endDelivery();
  await new Promise(setImmediate);
  expect(begun).toEqual([]);
  endAnnouncement();
  await Promise.all(waiting);
  expect(begun).toEqual(['due', 'request']);
});

test('A request waits until due work of an application has run, and not for a webhook', async () => {
  const { turns, world, adapter, commit, worlds } = await opened();
  const { begun, note } = noting();
  await commit({ due: [timer('soon', 1_000)] });
  await commit({ due: [timer('webhook', 1_000)] }, adapter.store('gateway'));
  const request = note('request', turns.request(world));
  const endTurn = await turns.take(world, 'due');
  expect(await worlds.leaseNext(world, { upTo: 1_000, token: 'mine', leaseMs: 60_000 })).toMatchObject({ key: 'soon' });
  expect(begun).toEqual([]);
  endTurn();
  await request;
});

test('Background work waits while requests run, and requests in parallel do not wait for each other', async () => {
  const { turns, world } = await opened();
  const { begun, note } = noting();
  const [endOne, endOther] = [await turns.request(world), await turns.request(world)];
  expect(turns.isBusy(world)).toBe(true);
  const due = note('due', turns.take(world, 'due'));
  endOne();
  endOne();
  await new Promise(setImmediate);
  expect(begun).toEqual([]);
  endOther();
  await due;
  expect(turns.isBusy(world)).toBe(false);
});

test('After a request, the events of two applications are sent, first committed first', async () => {
  const { turns, world, adapter, commit, published } = await opened();
  const bus = createMemoryBus(turns);
  const relays = [adapter.store('crm'), adapter.store('oms')].map((store) =>
    createRelay({ store, bus, turns, log: createLogger('silent') }),
  );
  const endRequest = await turns.request(world);
  for (const [id, owner] of [
    ['a', 'oms'],
    ['b', 'crm'],
    ['c', 'oms'],
    ['d', 'oms'],
    ['e', 'crm'],
  ] as const)
    await commit({ events: [event(id)] }, adapter.store(owner));
  for (const relay of relays) relay.kick(world);
  expect(await published()).toEqual([]);
  endRequest();
  const sent = () => published().then((ids) => ids.length === 5 && ids);
  expect(await eventually('publishing all events', sent)).toEqual(['a', 'b', 'c', 'd', 'e']);
  await Promise.all(relays.map((relay) => relay.stop()));
});

test('Applications get the events of a world with a seed one at a time from the bus of an estate in memory, first published first', async () => {
  const { adapter, turns, world } = await opened();
  const beside = { worlds: adapter.worlds, turns, stopping: new AbortController().signal };
  const bus = await openBus(readConfiguration({}), createLogger('silent'), beside);
  const noted: string[] = [];
  const subscribed = (['crm', 'oms'] as const).map((application) =>
    bus.subscribe(application, { topics: ['t'] }, async ({ id }) => {
      noted.push(`${application} begins ${id}`);
      await new Promise(setImmediate);
      noted.push(`${application} ends ${id}`);
      return undefined;
    }),
  );
  const subscriptions = await Promise.all(subscribed);
  await bus.publish(['a', 'b'].map((id) => ({ topic: 't', key: id, headers: { world, id }, json: '{}' })));
  await Promise.all(subscriptions.map((subscription) => subscription.stop()));
  const inTurn = ['crm', 'oms'].map((application) => (id: string) => [`${application} begins ${id}`, `${application} ends ${id}`]);
  expect(noted).toEqual(['a', 'b'].flatMap((id) => inTurn.flatMap((of) => of(id))));
});

test.each<[string, (turns: Turns, world: `${string}~${string}`) => unknown]>([
  ['a request', (turns, world) => turns.request(world)],
  ['due work', (turns, world) => turns.take(world, 'due')],
  ['an announced delivery', (turns, world) => turns.announce(world)],
])('Work of %s that does not end delays other work for a limited time', async (_case, begin) => {
  const { turns, world } = await opened({ turns: { stuckMs: 10 } });
  await begin(turns, world);
  const endDue = await turns.take(world, 'due');
  const endRequest = await turns.request(world);
  endDue();
  endRequest();
});

test('A request begins after a limited time, although other work begins and ends', async () => {
  const { turns, world } = await opened({ turns: { requestMs: 10 } });
  turns.announce(world);
  let hasBegun = false;
  const request = turns.request(world).then(() => {
    hasBegun = true;
  });
  while (!hasBegun) {
    await Promise.race([request, turns.take(world, 'delivery').then((end) => end())]);
    await new Promise(setImmediate);
  }
});

test('A world without a seed has no turns', async () => {
  const { turns, world } = await opened({}, { ...EMPTY, beginning: { startsAt: 1_000 } } as typeof SEEDED);
  expect(turns.isOrdered(world)).toBe(false);
  await turns.take(world, 'due');
  await turns.take(world, 'due');
  await turns.request(world);
});
