import { Kafka, logLevel } from 'kafkajs';
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import { LOGGING_FILES, SERVING, SINGLE_BROKER } from '../../testcontainers/broker-container.ts';
import { explained, lastWords } from '../../testcontainers/start-failure.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { skipTests } from '../support/skipped.ts';

const IMAGE = 'apache/kafka:4.1.0';
const START_MS = 180_000;
const PATIENCE_MS = 30_000;

/** Why tests with a real broker cannot run here; undefined when they can. */
export const whyNoDocker = await getContainerRuntimeClient().then(
  () => undefined,
  (error: unknown) => `there is no container engine (${error instanceof Error ? error.message : String(error)})`,
);

export const skipWithoutDocker = (what: string): void => skipTests(what, whyNoDocker, 'a container engine');

export interface Broker {
  readonly brokers: readonly string[];
  /** Restarts the broker's process on its stored data. */
  restart(): Promise<void>;
  /** Stops it from answering while its connections stay. */
  pause(): Promise<void>;
  unpause(): Promise<void>;
  stop(): Promise<void>;
}

/** One broker for the tests of a file: TEST_KAFKA_BROKERS if set, otherwise a new one. */
export async function sharedBroker(): Promise<Pick<Broker, 'brokers' | 'stop'>> {
  const running = process.env['TEST_KAFKA_BROKERS'];
  return running === undefined ? startBroker() : { brokers: running.split(','), stop: async () => undefined };
}

/** @param port of this machine, for clients that need it before the broker exists */
export async function startBroker(port?: number): Promise<Broker> {
  const at = port ?? (await freePort());
  const words = lastWords();
  const broker = new GenericContainer(IMAGE)
    .withExposedPorts({ container: at, host: at })
    .withEnvironment(settings(at))
    .withCopyContentToContainer(LOGGING_FILES)
    .withCommand(['sh', '-c', RUN])
    .withLogConsumer((stream) => words.follow(stream))
    .withWaitStrategy(Wait.forLogMessage(SERVING))
    .withStartupTimeout(START_MS);
  const container = await explained({ image: IMAGE, what: `A broker at port ${at}`, timeoutMs: START_MS, words }, () => broker.start());
  const engine = (await getContainerRuntimeClient()).container.getById(container.getId());
  const brokers = [`127.0.0.1:${at}`];
  let stopped: Promise<void> | undefined;
  await answering(brokers);
  return {
    brokers,
    restart: async () => {
      await engine.restart({ t: 10 });
      await answering(brokers);
    },
    pause: () => engine.pause(),
    unpause: () => engine.unpause(),
    stop: () => {
      stopped ??= container.stop({ timeout: 0 }).then(() => undefined);
      return stopped;
    },
  };
}

const STORAGE = '/tmp/kafka-logs';
/** The image's start script formats the storage. A restarted container skips this and keeps its data. */
const RUN = `
  if [ -f ${STORAGE}/meta.properties ]; then exec /opt/kafka/bin/kafka-run-class.sh kafka.Kafka /opt/kafka/config/server.properties; fi
  exec /etc/kafka/docker/run
`;

/** One node that is broker and controller. */
const settings = (port: number): Record<string, string> => ({
  ...SINGLE_BROKER,
  KAFKA_LOG_DIRS: STORAGE,
  KAFKA_LISTENERS: `OUTSIDE://:${port},CONTROLLER://:29093`,
  KAFKA_ADVERTISED_LISTENERS: `OUTSIDE://127.0.0.1:${port}`,
  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT',
  KAFKA_INTER_BROKER_LISTENER_NAME: 'OUTSIDE',
  KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:29093',
});

/** A client without code of the estate. */
export const plainClient = (brokers: readonly string[]): Kafka =>
  new Kafka({
    brokers: [...brokers],
    clientId: 'plain',
    logLevel: logLevel.NOTHING,
    retry: { retries: 20, initialRetryTime: 100, maxRetryTime: 500 },
  });

interface PlainRecord {
  readonly key: string | undefined;
  readonly value: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Records of a topic, as read by a plain client as soon as this number of them is there. */
export async function recordsOn(brokers: readonly string[], topic: string, isMeant: (record: PlainRecord) => boolean, count: number) {
  const groupId = `records-${process.pid}-${performance.now()}`;
  const consumer = plainClient(brokers).consumer({ groupId, maxWaitTimeInMs: 200 });
  const found: PlainRecord[] = [];
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ message: { key, value, headers = {} } }) => {
        const texts = Object.fromEntries(Object.entries(headers).map(([name, given]) => [name, String(given)]));
        const record = { key: key?.toString(), value: value?.toString(), headers: texts };
        if (isMeant(record)) found.push(record);
      },
    });
    await eventually(`${count} records are on ${topic}`, async () => found.length >= count, PATIENCE_MS);
    return found;
  } finally {
    await consumer.disconnect();
  }
}

/** Waits for an answer, because the broker listens before it answers. */
async function answering(brokers: readonly string[]): Promise<void> {
  const answers = async (): Promise<boolean> => {
    const admin = plainClient(brokers).admin();
    try {
      await admin.connect();
      await admin.listTopics();
      return true;
    } catch {
      return false;
    } finally {
      await admin.disconnect();
    }
  };
  await eventually('the broker answers', answers, START_MS);
}
