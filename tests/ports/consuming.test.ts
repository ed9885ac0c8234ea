import { expect, test } from '@jest/globals';
import { allEvents } from '../../shared/catalog/events.ts';
import { Retailer } from '../../shared/catalog/retailer.ts';
import { consumedBy, subscriptionOf } from '../../shared/catalog/subscriptions.ts';
import { Swap } from '../../shared/catalog/swap.ts';
import { type SeededSwaps, seedOfRetailer } from '../../shared/elsewhere/swap/stored-swap.ts';
import type { Bus, Deliver, WantedEvents } from '../../shared/events/bus.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { startConsumer } from '../../shared/runtime/consumer.ts';
import type { PlugElsewhere } from '../../shared/work/elsewhere.ts';
import { unchanged } from '../../shared/work/handler.ts';
import { aPlan } from './a-plan.ts';
import { pipelineOf } from './one-pipeline.ts';

const versioned = (aggregateversion: number, id = `evt_${aggregateversion}`): EstateEvent =>
  ({
    id,
    type: 'com.unified-commerce.order-confirmed',
    subject: 'order/ord_1',
    aggregateversion,
    correlationid: 'c',
    data: { object: {} },
  }) as EstateEvent;

test('Events are consumed in any order of their versions, even two of one version, and a duplicate changes nothing', async () => {
  const seen: number[] = [];
  const { adapter, world, consume } = await pipelineOf({
    events: { 'order-confirmed': async ({ aggregateversion }) => void seen.push(aggregateversion) },
  });
  for (const event of [versioned(3), versioned(1), versioned(2), versioned(3, 'evt_3b')]) {
    const planned = { id: event.id, topic: 't', key: 'ord_1', json: JSON.stringify(event), subscribers: ['crm'] as const };
    await adapter.store('oms').commit(world, aPlan({ events: [planned] }));
    await consume(event);
  }
  expect(seen).toEqual([3, 1, 2, 3]);
  await consume(versioned(1));
  expect((await adapter.worlds.ledger(world)).pending).toEqual([]);
});

/** Plugs real systems in that note the events which they get. */
function notedPlug() {
  const noted: string[] = [];
  const plug: PlugElsewhere = async ({ application }) => {
    noted.push(`plugged into ${application}`);
    return {
      answer: (job, rest) => rest(job),
      deliver: (job, rest) => rest({ ...job, instead: async ({ id }) => unchanged(`${noted.push(id)}`) }),
      report: async () => undefined,
    };
  };
  return { noted, plug };
}

test.each<{ readonly swapped: SeededSwaps; readonly expected: readonly string[] }>([
  { swapped: {}, expected: ['ours', 'ours'] },
  { swapped: { crm: { ...Swap.parse({ url: 'https://crm.test' }), isDefault: false } }, expected: ['plugged into crm', 'evt_1', 'evt_2'] },
])(
  'Real systems are plugged into an application once, for the first event in a world that has one: $expected',
  async ({ swapped, expected }) => {
    const { noted, plug } = notedPlug();
    const seed = { objects: [seedOfRetailer(Retailer.parse({}), swapped)] };
    const events = { 'order-confirmed': async () => void noted.push('ours') };
    const { adapter, world, consume } = await pipelineOf({ events }, { seed, plug });
    for (const event of [versioned(1), versioned(2)]) {
      const planned = { id: event.id, topic: 't', key: 'ord_1', json: JSON.stringify(event), subscribers: ['crm'] as const };
      await adapter.store('oms').commit(world, aPlan({ events: [planned] }));
    }
    await Promise.all([versioned(1), versioned(2)].map(consume));
    expect(noted).toEqual(expected);
  },
);

/** The event types that the CRM subscribes to, and its consumer of a message. */
async function subscribing(): Promise<{ readonly wanted: WantedEvents; readonly deliver: (json: string) => ReturnType<Deliver> }> {
  const events = Object.fromEntries(consumedBy('crm').map(({ name }) => [name, async () => undefined]));
  const { adapter, world, service, pipeline } = await pipelineOf({ events });
  const subscribed = Promise.withResolvers<{ readonly wanted: WantedEvents; readonly deliver: Deliver }>();
  const bus: Bus = {
    ...createMemoryBus(),
    subscribe: async (_application, wanted, deliver) => {
      subscribed.resolve({ wanted, deliver });
      return { stop: async () => undefined };
    },
  };
  await startConsumer({ service, store: adapter.store('crm'), bus, directory: adapter.worlds, pipeline, log: createLogger('silent') });
  const { wanted, deliver } = await subscribed.promise;
  return { wanted, deliver: (json) => deliver({ world, id: 'evt_1', json, headers: {} }) };
}

const [known] = consumedBy('crm').map(({ name }) => `com.unified-commerce.${name}`);
const forOthers = allEvents.map(({ name }) => name).find((name) => !subscriptionOf(name, 'crm'));

test('The bus skips a message whose header names an event that only other applications consume', async () => {
  const { wanted } = await subscribing();
  const passedOver = [`com.unified-commerce.${forOthers}`, known, 'com.example.other'].map((type) => wanted.isForOthers?.(type ?? ''));
  expect(passedOver).toEqual([true, false, false]);
});

test('A message is parsed at its delivery, and ignored when only other applications consume it', async () => {
  const { deliver } = await subscribing();
  expect(await deliver('{')).toMatchObject({ as: 'foreign' });
  expect(await deliver('{"type":"com.example.other"}')).toMatchObject({ as: 'foreign' });
  expect(await deliver(`{"type":"com.unified-commerce.${forOthers}"}`)).toBeUndefined();
});

const members = (count: number, name = 'm'): string => Array.from({ length: count }, (_, n) => `"${name}${n}":0`).join();
const kinds = Array.from({ length: 600 }, (_, n) => `{${members(10, `k${n}_`)}}`).join();

test.each([
  ['more than 64 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['more than 1,000 members in one object', `{${members(1_001)}}`],
  ['more than 5,000 kinds of objects', `[${kinds}]`],
])('A message with %s is foreign, and not parsed', async (_what, data) => {
  const { deliver } = await subscribing();
  const json = `{"type":"com.unified-commerce.${forOthers}","data":${data}}`;
  expect(await deliver(json)).toMatchObject({ as: 'foreign', reason: expect.stringContaining('64 levels') });
});
