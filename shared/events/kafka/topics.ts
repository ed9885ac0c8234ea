import type { Admin } from 'kafkajs';
import { deadLetterTopicOf, domains, topicOf } from '../../catalog/applications.ts';
import type { Logger } from '../../process/logger.ts';
import { createClient, type KafkaOptions } from './client.ts';

/** Limits the replicas of an application that consume a topic in parallel. Must not change: it maps keys to partitions. */
const PARTITIONS = 6;
/** Largest record. An event is larger than its object, which may be as large as a request body. */
const LARGEST_MESSAGE_BYTES = 4 * 1_048_576;
const TIMEOUT_MS = 10_000;

/** The number of partitions of each topic, by its name. */
type WantedTopics = ReadonlyMap<string, number>;

function wantedTopics(prefix: string): WantedTopics {
  const topics = domains.map((domain) => `${prefix}${topicOf(domain)}`);
  return new Map([
    ...topics.map((topic) => [topic, PARTITIONS] as const),
    ...topics.map((topic) => [deadLetterTopicOf(topic), 1] as const),
  ]);
}

/** Creates missing topics of the estate. Concurrent processes create each topic once. */
export function createTopics(options: KafkaOptions, log: Logger) {
  const wanted = wantedTopics(options.prefix ?? '');
  let ensured: Promise<void> | undefined;

  async function ensure(): Promise<void> {
    const admin = createClient(options, log).admin();
    try {
      await admin.connect();
      await createMissing(admin, wanted);
      await logDeviations(admin, { wanted, log });
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }

  return {
    /** Checks the topics at the broker once, and again after a failure or `recheck`. */
    ensure(): Promise<void> {
      ensured ??= ensure().catch((error: unknown) => {
        ensured = undefined;
        throw error;
      });
      return ensured;
    },
    recheck(): void {
      ensured = undefined;
    },
  };
}

export type Topics = ReturnType<typeof createTopics>;

async function createMissing(admin: Admin, wanted: WantedTopics): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = [...wanted].filter(([topic]) => !existing.has(topic));
  if (missing.length === 0) return;
  await admin.createTopics({
    timeout: TIMEOUT_MS,
    waitForLeaders: true,
    topics: missing.map(([topic, numPartitions]) => ({
      topic,
      numPartitions,
      // -1 is the default of the broker, which suits the size of its cluster.
      replicationFactor: -1,
      configEntries: [{ name: 'max.message.bytes', value: String(LARGEST_MESSAGE_BYTES) }],
    })),
  });
}

async function logDeviations(admin: Admin, { wanted, log }: { readonly wanted: WantedTopics; readonly log: Logger }): Promise<void> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [...wanted.keys()] });
  for (const { name, partitions } of topics) {
    const planned = wanted.get(name);
    if (partitions.length === planned) continue;
    log.info({ topic: name, partitions: partitions.length, planned }, 'kafka: using an existing topic with another number of partitions');
  }
}
