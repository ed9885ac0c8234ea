import { afterAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createKafkaBus, type KafkaBus } from '../../shared/events/kafka/bus.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { eventually, succeeds } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type Broker, plainClient, skipWithoutDocker, startBroker, whyNoDocker } from './kafka.ts';

const TOPIC = 'uc.order.events';
const WORLD = 'r~1';
const PATIENCE_MS = 200_000;

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

if (whyNoDocker === undefined) describe('The bus over an unreliable Kafka', withTrouble);
else skipWithoutDocker('the bus over a Kafka that comes and goes');

function withTrouble(): void {
  let port: number;
  let broker: Broker;
  let buses: readonly KafkaBus[];
  const got: string[] = [];
  let sent = 0;

  /** Repeats until it succeeds, like the relay. */
  async function publish(bus: KafkaBus, ...versions: readonly number[]): Promise<void> {
    const headersOf = (version: number) => ({ id: `e${version}`, world: WORLD });
    const batch = versions.map((version) => ({ topic: TOPIC, key: 'ord_1', headers: headersOf(version), json: `{"version":${version}}` }));
    await eventually('it is published', () => succeeds(bus.publish(batch)), PATIENCE_MS);
    sent += versions.length;
  }

  const inOrder = (): readonly string[] => Array.from({ length: sent }, (_, index) => `e${index + 1}`);
  const allConsumed = (): Promise<unknown> => eventually('all is consumed', async () => new Set(got).size === sent, PATIENCE_MS);

  test('A bus waits for a missing broker, reports it, and starts when the broker appears', async () => {
    port = await freePort();
    const log = createLogger('silent');
    // Two processes that start together both try to create the topics.
    buses = ['one', 'two'].map((clientId) => createKafkaBus({ brokers: [`127.0.0.1:${port}`], clientId, log }));
    closing.push(...buses.map((bus) => bus.close));
    const [one, two] = buses as [KafkaBus, KafkaBus];
    await one.subscribe('crm', { topics: [TOPIC] }, async ({ id }) => {
      got.push(id);
    });
    await two.subscribe('oms', { topics: [TOPIC] }, async () => undefined);
    await eventually('they report the cause', async () => buses.every((bus) => bus.state().waitingFor?.includes('nothing listens there')));
    for (const bus of buses) expect(bus.state()).toMatchObject({ ready: false, waitingFor: expect.stringContaining('KAFKA_BROKERS') });
    const publishing = publish(one, 1, 2);
    broker = await startBroker(port);
    closing.push(broker.stop);
    await publishing;
    await allConsumed();
    await eventually('both are ready', async () => buses.every((bus) => bus.state().ready && !bus.state().degraded), PATIENCE_MS);
  });

  test('A bus is degraded but ready while the broker restarts, and then resumes publishing and consuming', async () => {
    const [one] = buses as [KafkaBus];
    await publish(one, 3);
    const restarted = broker.restart();
    await eventually('it is degraded', async () => one.publish([]).then(() => one.state().degraded !== undefined), PATIENCE_MS);
    expect(one.state().ready).toBe(true);
    await publish(one, 4, 5);
    await restarted;
    await publish(one, 6);
    await allConsumed();
    expect([...new Set(got)]).toEqual(inOrder());
    await eventually('it is well again', async () => buses.every((bus) => !bus.state().degraded), PATIENCE_MS);
  });

  test('A bus recreates deleted topics', async () => {
    const [one] = buses as [KafkaBus];
    const admin = plainClient(broker.brokers).admin();
    await admin.connect();
    await admin.deleteTopics({ topics: [TOPIC] });
    await publish(one, 7);
    await allConsumed();
    const { topics } = await admin.fetchTopicMetadata({ topics: [TOPIC] });
    await admin.disconnect();
    expect(topics[0]?.partitions).toHaveLength(6);
  });

  test('A bus uses an existing topic with an unexpected number of partitions, and reports the number', async () => {
    await broker.stop();
    const fresh = await startBroker();
    closing.push(fresh.stop);
    const admin = plainClient(fresh.brokers).admin();
    await admin.connect();
    await admin.createTopics({ waitForLeaders: true, topics: [{ topic: TOPIC, numPartitions: 1 }] });
    await admin.disconnect();
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
    const bus = createKafkaBus({ brokers: fresh.brokers, clientId: 'test', log });
    closing.push(bus.close);
    await eventually('it is logged', async () => lines.some((line) => line.includes('another number of partitions')), PATIENCE_MS);
    await eventually('it is ready', async () => bus.state().ready, PATIENCE_MS);
  });
}
