import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { BusMessage, Deliver } from '../../shared/events/bus.ts';
import { createKafkaBus, type KafkaBus } from '../../shared/events/kafka/bus.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { busSuite } from '../ports/bus-suite.ts';
import { eventually } from '../support/eventually.ts';
import { type Broker, plainClient, recordsOn, sharedBroker, skipWithoutDocker, whyNoDocker } from './kafka.ts';

const TOPIC = 'uc.order.events';
const PATIENCE_MS = 30_000;

let groups = 0;
const nextGroup = (): string => `test-${process.pid}-${Date.now()}-${++groups}-`;
let worlds = 0;
const nextWorld = (): string => `k${process.pid}-${Date.now()}~${++worlds}`;

const message = (world: string, id: string, key = 'k', topic = TOPIC): BusMessage => ({
  topic,
  key,
  headers: { id, world },
  json: JSON.stringify({ id }),
});

if (whyNoDocker === undefined) withBroker(await sharedBroker());
else skipWithoutDocker('the bus over Kafka');

function withBroker({ brokers, stop }: Pick<Broker, 'brokers' | 'stop'>): void {
  const opened: KafkaBus[] = [];
  afterAll(stop);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((bus) => bus.close()));
  });

  function open(groupPrefix = nextGroup()): KafkaBus {
    const bus = createKafkaBus({ brokers, clientId: 'test', log: createLogger('silent'), groupPrefix });
    opened.push(bus);
    return bus;
  }

  /** A member that has joined its group, and its deliveries of one world. */
  async function member(world: string, how: { groupPrefix?: string; deliver?: Deliver; topic?: string } = {}) {
    const { groupPrefix, deliver, topic = TOPIC } = how;
    const bus = open(groupPrefix);
    const got: string[] = [];
    const subscription = await bus.subscribe('crm', { topics: [topic] }, async (event) => {
      if (event.world !== world) return;
      const refused = await deliver?.(event);
      got.push(event.id);
      return refused;
    });
    await eventually('it has joined', async () => bus.state().ready, PATIENCE_MS);
    return { bus, got, stop: subscription.stop };
  }

  /** Records of a world on a topic, as read by a plain Kafka client. */
  const readPlainly = (topic: string, world: string, count: number) =>
    recordsOn(brokers, topic, ({ value, headers }) => headers['world'] === world || value?.includes(world) === true, count);

  busSuite('kafka', async () => open());

  describe('The bus over Kafka', () => {
    test('Two members of a group share the work, and the events of each key stay in order', async () => {
      const world = nextWorld();
      const groupPrefix = nextGroup();
      const members = [await member(world, { groupPrefix }), await member(world, { groupPrefix })];
      const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
      for (let version = 1; version <= 10; version++) {
        await members[0]?.bus.publish(keys.map((key) => message(world, `${key}:${version}`, key)));
      }
      const all = (): string[] => members.flatMap(({ got }) => got);
      await eventually('all are consumed', async () => new Set(all()).size === 400, PATIENCE_MS);
      for (const key of keys) {
        const versions = [...new Set(all().filter((id) => id.startsWith(`${key}:`)))].map((id) => Number(id.split(':')[1]));
        expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      }
      for (const { got } of members) expect(got.length).toBeGreaterThan(0);
    });

    test('A failed delivery is not committed, so that the next process receives it again', async () => {
      const world = nextWorld();
      const groupPrefix = nextGroup();
      let tries = 0;
      const deliver: Deliver = async ({ id }) => {
        if (id !== 'away') return;
        tries += 1;
        throw new Error('the store is away');
      };
      const first = await member(world, { groupPrefix, deliver });
      await first.bus.publish([message(world, 'away', 'a'), message(world, 'behind', 'a')]);
      for (const key of ['b', 'c', 'd', 'e', 'f', 'g']) await first.bus.publish([message(world, key, key)]);
      await eventually('the others are consumed', async () => first.got.length === 6, PATIENCE_MS);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(tries).toBeGreaterThan(1);
      // The pause doubles, so that retries do not overload a store that is available again.
      expect(tries).toBeLessThan(8);
      await first.bus.close();
      const second = await member(world, { groupPrefix });
      await eventually('the next process receives them', async () => second.got.includes('behind'), PATIENCE_MS);
      expect(second.got.indexOf('away')).toBeLessThan(second.got.indexOf('behind'));
    });

    test('A consumer resumes at its last offset after a stop, and loses no event', async () => {
      const world = nextWorld();
      const groupPrefix = nextGroup();
      // Older records on a topic may share keys, and later ones wait and hold the offset back.
      const topic = 'uc.loyalty.events';
      const ids = Array.from({ length: 300 }, (_, index) => `e${index}`);
      const deliver = (): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), 5));
      const first = await member(world, { groupPrefix, topic, deliver });
      const publishing = Promise.all(ids.map((id) => first.bus.publish([message(world, id, id, topic)])));
      await eventually('it has consumed some', async () => first.got.length > 20, PATIENCE_MS);
      await first.stop();
      await publishing;
      const before = first.got.length;
      const second = await member(world, { groupPrefix, topic });
      await eventually('all are consumed', async () => new Set([...first.got, ...second.got]).size === 300, PATIENCE_MS);
      expect(first.got).toHaveLength(before);
      // While stopping, the first member finished its running deliveries and committed its offset.
      expect(second.got.filter((id) => first.got.includes(id))).toEqual([]);
    });

    test('A bus completes started sends before it closes', async () => {
      const world = nextWorld();
      const { bus } = await member(world);
      const sending = Array.from({ length: 50 }, (_, index) => bus.publish([message(world, `e${index}`, `k${index}`)]));
      await bus.close();
      await Promise.all(sending);
      expect(await readPlainly(TOPIC, world, 50)).toHaveLength(50);
    });

    test('Foreign records move to the dead-letter topic, and the records behind them are consumed', async () => {
      const world = nextWorld();
      const { bus, got } = await member(world);
      const producer = plainClient(brokers).producer();
      await producer.connect();
      const messages = [
        { key: 'a', value: `hello from ${world}` },
        { key: 'a', value: `hello from ${world}`, headers: { id: 'x', world: 'no world' } },
        { key: 'a', value: null, headers: { id: 'x', world } },
        { key: null, value: `no key, ${world}` },
      ];
      await producer.send({ topic: TOPIC, messages });
      await producer.disconnect();
      await bus.publish([message(world, 'behind', 'a')]);
      await eventually('what is behind is consumed', async () => got.includes('behind'), PATIENCE_MS);
      await eventually('they are counted', async () => bus.counts().foreign >= 4 && bus.counts().deadLetters >= 4, PATIENCE_MS);
      const letters = await readPlainly(`${TOPIC}.dlq`, world, 4);
      expect(letters.map(({ headers }) => headers['dead-letter-error']).sort()).toEqual([
        'The header "world" does not name a world.',
        'The header "world" or "id" is missing.',
        'The header "world" or "id" is missing.',
        'The record has no value.',
      ]);
      const number = expect.stringMatching(/^\d+$/);
      const foreign = { 'dead-letter-as': 'foreign', 'dead-letter-topic': TOPIC, 'dead-letter-application': 'crm' };
      for (const { headers } of letters)
        expect(headers).toMatchObject({ ...foreign, 'dead-letter-offset': number, 'dead-letter-partition': number });
    });

    test('A parked delivery is copied unchanged to the dead-letter topic, with the reason', async () => {
      const world = nextWorld();
      const { bus, got } = await member(world, {
        deliver: async ({ id }) => (id === 'poison' ? { as: 'parked', reason: 'There is no SKU ☠.' } : undefined),
      });
      const rehearsal = world.split('~')[0] ?? '';
      await bus.publish([{ ...message(world, 'poison'), headers: { id: 'poison', world, rehearsal } }, message(world, 'behind')]);
      await eventually('what is behind is consumed', async () => got.includes('behind'), PATIENCE_MS);
      const [letter, ...more] = await readPlainly(`${TOPIC}.dlq`, world, 1);
      expect(more).toEqual([]);
      expect(letter).toMatchObject({
        key: 'k',
        value: '{"id":"poison"}',
        headers: { id: 'poison', world, rehearsal, 'dead-letter-as': 'parked', 'dead-letter-error': 'There is no SKU ☠.' },
      });
    });

    test('A bus accepts a batch of events of the maximum request size', async () => {
      const world = nextWorld();
      const { bus, got } = await member(world);
      const large = (id: string): BusMessage => ({ ...message(world, id), json: JSON.stringify({ id, padding: 'x'.repeat(1_048_576) }) });
      await bus.publish([large('e1'), message(world, 'e2'), large('e3'), large('e4')]);
      await eventually('all are consumed', async () => got.length >= 4, PATIENCE_MS);
      expect([...new Set(got)]).toEqual(['e1', 'e2', 'e3', 'e4']);
    });

    test('The topics have the planned number of partitions', async () => {
      const admin = plainClient(brokers).admin();
      await admin.connect();
      const { topics } = await admin.fetchTopicMetadata();
      await admin.disconnect();
      const partitions = Object.fromEntries(topics.map(({ name, partitions: of }) => [name, of.length]));
      expect(partitions).toMatchObject({ 'uc.order.events': 6, 'uc.payment.events': 6, 'uc.order.events.dlq': 1, 'uc.loyalty.events': 6 });
    });
  });
}
