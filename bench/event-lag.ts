import { randomUUID } from 'node:crypto';
import kafkajs from 'kafkajs';
import { topicOf } from '../shared/catalog/applications.ts';
import { TYPE_PREFIX } from '../shared/catalog/event-names.ts';
import { createKafkaBus } from '../shared/events/kafka/bus.ts';
import { createRelay } from '../shared/events/relay.ts';
import { createLogger } from '../shared/process/logger.ts';
import { createMemoryStore } from '../shared/store/memory/store.ts';
import type { Plan } from '../shared/store/ports/plan.ts';
import type { Benchmark, Figure, Settings } from './benchmark.ts';
import { compare, inTurn, quantile, type Rounds } from './rounds.ts';

const TOPIC = topicOf('order');
/** A separate topic, because consumers of the estate's topics would reject these records. */
const BARE_TOPIC = 'bench.bare';
const PARTITIONS = 6;
const EVERY_MS = 10;
const KEYS = 50;
const LONGEST_WAIT_MS = 30_000;
/** Events that applications of the estate consume, and events that none of them does. */
const [CONSUMED, GATHERED] = ['order-confirmed', 'order-created'];
/** Roughly the size of an order in bytes. */
const PADDING = 'x'.repeat(700);

/** The time from an application's commit to its event at a consumer, against a bare producer and consumer on the same broker. */
export const events: Benchmark = {
  name: 'events',
  title: 'Lag of an event from commit to consumer over Kafka, against bare kafkajs from send to consumer',
  run: async (settings) => {
    const brokers = process.env['KAFKA_BROKERS']?.split(',');
    if (!brokers) {
      settings.progress('events are left out: KAFKA_BROKERS names no broker');
      return [];
    }
    const group = `bench-${randomUUID()}-`;
    const [ours, gathered, reference] = await Promise.all([
      estatesOwn(brokers, `${group}consumed-`, CONSUMED),
      estatesOwn(brokers, `${group}gathered-`, GATHERED),
      bare(brokers, group),
    ]);
    try {
      return [...(await contest(settings, ours, reference)), ...(await lagOfGathered(settings, gathered))];
    } finally {
      await Promise.all([ours.close(), gathered.close(), reference.close()]);
    }
  },
};

/** A path for events: sends them and records their arrival. */
interface Way {
  readonly send: (id: string, key: string) => void;
  readonly arrived: ReadonlyMap<string, number>;
  readonly close: () => Promise<void>;
}

async function contest(settings: Settings, ours: Way, reference: Way): Promise<readonly Figure[]> {
  for (const warmUp of [ours, reference]) await lags(warmUp, 1);
  const { seconds } = settings;
  const taken = await inTurn(settings, 'events', { ours: () => lags(ours, seconds), reference: () => lags(reference, seconds) });
  return [
    { what: 'lag, p50', unit: 'ms', ...at(taken, 0.5) },
    { what: 'lag, p99', unit: 'ms', ...at(taken, 0.99), aim: { of: 'figure', atMost: 50 } },
  ];
}

async function lagOfGathered(settings: Settings, gathered: Way): Promise<readonly Figure[]> {
  await lags(gathered, 1);
  settings.progress('events without a subscriber in the estate');
  const taken = await lags(gathered, settings.seconds);
  const what = (share: string) => `lag of an event without a subscriber in the estate, ${share}`;
  return [
    { what: what('p50'), unit: 'ms', figure: quantile(taken, 0.5) },
    { what: what('p99'), unit: 'ms', figure: quantile(taken, 0.99) },
  ];
}

const at = (taken: Rounds<readonly number[]>, share: number) => compare(taken, (lagsOfRound) => quantile(lagsOfRound, share));

async function lags({ send, arrived }: Way, seconds: number): Promise<readonly number[]> {
  const sent = new Map<string, number>();
  const until = performance.now() + seconds * 1_000;
  for (let number = 0; performance.now() < until; number++) {
    const id = randomUUID();
    sent.set(id, performance.now());
    send(id, `key-${number % KEYS}`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  const deadline = performance.now() + LONGEST_WAIT_MS;
  while ([...sent.keys()].some((id) => !arrived.has(id))) {
    if (performance.now() > deadline) throw new Error('Not every event arrived.');
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  return [...sent].map(([id, when]) => (arrived.get(id) ?? Number.NaN) - when);
}

/** Commit, outbox, relay, Kafka, consumer, as between two applications. The store is in memory, so that Kafka dominates the result. */
async function estatesOwn(brokers: readonly string[], groupPrefix: string, type: string): Promise<Way> {
  const log = createLogger('warn');
  const adapter = createMemoryStore();
  const world = await adapter.worlds.open(
    'bench',
    { now: Date.now(), applications: {}, due: [] },
    { bearer: '', apiKey: '', webhookSecret: '' },
  );
  const store = adapter.store('oms');
  const bus = createKafkaBus({ brokers, clientId: 'bench', log, groupPrefix });
  const relay = createRelay({ store, bus, log });
  const arrived = new Map<string, number>();
  await bus.subscribe('crm', { topics: [TOPIC] }, async ({ world: of, id }) => {
    if (of === world) arrived.set(id, performance.now());
    return undefined;
  });
  while (!bus.state().ready) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  return {
    arrived,
    send: (id, key) => {
      const plan = { ...planOf({ id, key, type }), relay: { token: relay.token, holds: relay.holds(world) } };
      void store.commit(world, plan).then((committed) => relay.kick(world, committed.ok ? committed.batch : undefined));
    },
    close: async () => {
      await relay.stop();
      await bus.close();
    },
  };
}

function planOf({ id, key, type }: Readonly<Record<'id' | 'key' | 'type', string>>): Plan {
  const nothing = { expect: [], put: [], unique: [], index: [], move: [], guard: [], due: [] };
  const json = JSON.stringify({ id, type: `${TYPE_PREFIX}${type}`, partitionkey: key, data: PADDING });
  return {
    operation: id,
    last: true,
    now: Date.now(),
    ...nothing,
    events: [{ id, topic: TOPIC, key, json, subscribers: [], committedAt: Date.now() }],
  };
}

async function bare(brokers: readonly string[], groupPrefix: string): Promise<Way> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], clientId: 'bare', logLevel: kafkajs.logLevel.NOTHING, retry: { retries: 20 } });
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  const consumer = kafka.consumer({ groupId: `${groupPrefix}bare`, maxWaitTimeInMs: 500 });
  const arrived = new Map<string, number>();
  const admin = kafka.admin();
  await Promise.all([producer.connect(), consumer.connect(), admin.connect()]);
  await admin.createTopics({ waitForLeaders: false, topics: [{ topic: BARE_TOPIC, numPartitions: PARTITIONS }] });
  while (!(await admin.listTopics()).includes(BARE_TOPIC)) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  await admin.disconnect();
  await consumer.subscribe({ topics: [BARE_TOPIC] });
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  await consumer.run({
    eachMessage: async ({ message: { headers } }) => {
      const id = headers?.['bare']?.toString();
      if (id !== undefined) arrived.set(id, performance.now());
    },
  });
  await joined;
  return {
    arrived,
    send: (bareId, key) => void producer.send({ topic: BARE_TOPIC, messages: [{ key, value: PADDING, headers: { bare: bareId } }] }),
    close: async () => {
      await Promise.all([producer.disconnect(), consumer.disconnect()]);
    },
  };
}
