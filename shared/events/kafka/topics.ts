import type { Admin } from 'kafkajs';
import { deadLetterTopicOf, domains, topicOf } from '../../catalog/applications.ts';
import type { Logger } from '../../process/logger.ts';
import { createClient, type KafkaOptions } from './client.ts';

/** As many replicas of an application can consume one topic side by side. Never changed: it decides where a key's order is kept. */
const PARTITIONS = 6;
/** An object may be as large as the body of a request, and is not the whole event. */
const LARGEST_MESSAGE_BYTES = 4 * 1_048_576;
const TIMEOUT_MS = 10_000;

const eventTopics = domains.map(topicOf);
const wanted: ReadonlyMap<string, number> = new Map([
  ...eventTopics.map((topic) => [topic, PARTITIONS] as const),
  ...eventTopics.map((topic) => [deadLetterTopicOf(topic), 1] as const),
]);

/** Creates the topics of the estate that are not there yet. However many processes do so at once, each topic is created once. */
export function createTopics(options: KafkaOptions, log: Logger) {
  let ensured: Promise<void> | undefined;

  async function ensure(): Promise<void> {
    const admin = createClient(options, log).admin();
    try {
      await admin.connect();
      await createMissing(admin);
      await sayWhatDiffers(admin, log);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }

  return {
    /** Asks the broker once; after a failure, or when told to look again, once more. */
    ensure(): Promise<void> {
      ensured ??= ensure().catch((error: unknown) => {
        ensured = undefined;
        throw error;
      });
      return ensured;
    },
    lookAgain(): void {
      ensured = undefined;
    },
  };
}

export type Topics = ReturnType<typeof createTopics>;

async function createMissing(admin: Admin): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = [...wanted].filter(([topic]) => !existing.has(topic));
  if (missing.length === 0) return;
  await admin.createTopics({
    timeout: TIMEOUT_MS,
    waitForLeaders: true,
    topics: missing.map(([topic, numPartitions]) => ({
      topic,
      numPartitions,
      // The broker's own default: it knows how many brokers there are.
      replicationFactor: -1,
      configEntries: [{ name: 'max.message.bytes', value: String(LARGEST_MESSAGE_BYTES) }],
    })),
  });
}

async function sayWhatDiffers(admin: Admin, log: Logger): Promise<void> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [...wanted.keys()] });
  for (const { name, partitions } of topics) {
    const planned = wanted.get(name);
    if (partitions.length === planned) continue;
    log.info(
      { topic: name, partitions: partitions.length, planned },
      'kafka: a topic was there with another number of partitions; it is used',
    );
  }
}
