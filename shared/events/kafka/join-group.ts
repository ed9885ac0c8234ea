import type { Consumer, ConsumerEvents, EachBatchPayload } from 'kafkajs';
import type { Logger } from '../../process/logger.ts';
import { createClient, type KafkaOptions, RETRIES } from './client.ts';

/** How long a broker holds a fetch request while there are no records. The first record ends the wait. */
const LONGEST_FETCH_MS = 1_000;
/** A member that died keeps its partitions for this long. */
const SESSION_MS = 10_000;
const HEARTBEAT_MS = 3_000;
const REBALANCE_MS = 15_000;

export interface JoinOptions {
  readonly kafka: KafkaOptions;
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly log: Logger;
  readonly take: (payload: EachBatchPayload) => Promise<void>;
  /** The new member joined, or joined again after a rebalance. */
  readonly joined: () => void;
  /** The broker answered the member. */
  readonly heard: () => void;
  /** Whether the consumer is still in use: a discarded consumer may still report events. */
  readonly isCurrent: (consumer: Consumer) => boolean;
  /** Called before the consumer connects. */
  readonly created: (consumer: Consumer) => void;
}

/** Joins a group; resolves as a member. `ended` resolves with the error that ends it. @throws the error that kept it from joining */
export async function joinGroup(options: JoinOptions): Promise<{ readonly ended: Promise<unknown> }> {
  const { kafka, groupId, topics, log, take, joined, heard, isCurrent, created } = options;
  const consumer = createClient(kafka, log).consumer({
    groupId,
    allowAutoTopicCreation: false,
    sessionTimeout: SESSION_MS,
    heartbeatInterval: HEARTBEAT_MS,
    rebalanceTimeout: REBALANCE_MS,
    minBytes: 1,
    maxWaitTimeInMs: LONGEST_FETCH_MS,
    // The library must not restart the consumer: the subscription does that after every crash.
    retry: { ...RETRIES, restartOnFailure: async () => false },
  });
  const ended = Promise.withResolvers<unknown>();
  const membership = Promise.withResolvers<void>();
  // A crash may come before anything awaits the membership.
  membership.promise.catch(() => undefined);
  const { GROUP_JOIN, FETCH, HEARTBEAT, CRASH } = consumer.events;
  const listenWhileCurrent = (event: ConsumerEvents[keyof ConsumerEvents], listener: () => void): void => {
    consumer.on(event, () => {
      if (isCurrent(consumer)) listener();
    });
  };
  listenWhileCurrent(GROUP_JOIN, () => {
    joined();
    membership.resolve();
  });
  listenWhileCurrent(FETCH, heard);
  listenWhileCurrent(HEARTBEAT, heard);
  consumer.on(CRASH, ({ payload: { error } }) => {
    membership.reject(error);
    ended.resolve(error);
  });
  created(consumer);
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, partitionsConsumedConcurrently: topics.length, eachBatch: take });
  await membership.promise;
  return { ended: ended.promise };
}
