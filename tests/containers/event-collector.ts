import { randomUUID } from 'node:crypto';
import { type Admin, type Consumer, Kafka, logLevel } from 'kafkajs';
import { eventually } from '../support/eventually.ts';

export interface CollectedRecord {
  readonly topic: string;
  readonly key: string;
  readonly contentType: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events without a schema
  readonly event: any;
}

/** Reads the estate's events as any program can: with a plain Kafka client and the names of the topics. */
export async function collectEvents(brokers: readonly string[]) {
  const kafka = new Kafka({ brokers: [...brokers], clientId: 'a-test-suite', logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => /^uc\..*\.events$/.test(topic));
  const consumer = kafka.consumer({ groupId: `a-test-suite-${randomUUID()}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  const records: CollectedRecord[] = [];
  const next = new Map<string, bigint>();
  await consumer.run({
    eachMessage: async ({ topic, partition, message }) => {
      records.push({
        topic,
        key: String(message.key),
        contentType: String(message.headers?.['content-type']),
        event: JSON.parse(String(message.value)),
      });
      next.set(`${topic}/${partition}`, BigInt(message.offset) + 1n);
    },
  });
  return {
    topics,
    /** All records of a rehearsal that are on the topics now. */
    async of(rehearsal: string): Promise<readonly CollectedRecord[]> {
      await eventually('the client reads to the end of each topic', () => isAtEnd({ admin, topics, next }), 60_000);
      return records.filter(({ event }) => event.rehearsal === rehearsal);
    },
    stop: () => disconnect(consumer, admin),
  };
}

interface Position {
  readonly admin: Admin;
  readonly topics: readonly string[];
  readonly next: ReadonlyMap<string, bigint>;
}

async function isAtEnd({ admin, topics, next }: Position): Promise<boolean> {
  for (const topic of topics) {
    for (const { partition, high } of await admin.fetchTopicOffsets(topic)) {
      if ((next.get(`${topic}/${partition}`) ?? 0n) < BigInt(high)) return false;
    }
  }
  return true;
}

async function disconnect(consumer: Consumer, admin: Admin): Promise<void> {
  await consumer.disconnect();
  await admin.disconnect();
}
