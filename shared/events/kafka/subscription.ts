import type { Consumer, ConsumerEvents, EachBatchPayload } from 'kafkajs';
import type { Logger } from '../../process/logger.ts';
import { READY, type State } from '../../process/readiness.ts';
import { pause, within } from '../../process/waiting.ts';
import { createClient, type KafkaOptions, RETRIES } from './client.ts';
import { type ConsumptionOptions, createConsumption } from './consumption.ts';
import type { Topics } from './topics.ts';
import { keepTrying, troubleOf } from './trouble.ts';

const RESTART_PAUSE_MS = 1_000;
/** A broker that is silent for this long counts as degraded. */
const QUIET_MS = 15_000;
/** A member that receives nothing for this long joins again. */
const DEAF_MS = 60_000;
const DEAFNESS_CHECK_MS = 1_000;
const STOP_MS = 3_000;

interface SubscriptionOptions extends Omit<ConsumptionOptions, 'stopping' | 'consumer'> {
  readonly kafka: KafkaOptions;
  readonly topics: readonly string[];
  readonly ensured: Topics;
}

/** Keeps one application a member of its consumer group until it is stopped. */
export function createSubscription({ kafka, topics, ensured, ...consuming }: SubscriptionOptions) {
  const { application, log } = consuming;
  const groupId = `${kafka.prefix ?? ''}${kafka.groupPrefix ?? 'uc-'}${application}`;
  const stopping = new AbortController();
  let consumer: Consumer | undefined;
  let hasJoined = false;
  let lastSign = Date.now();
  let trouble: string | undefined = `kafka: ${application} is joining the group ${groupId}`;
  const consumption = createConsumption({ ...consuming, stopping: stopping.signal, consumer: () => consumer });

  function heard(): void {
    lastSign = Date.now();
    trouble = undefined;
  }

  async function join(): Promise<{ readonly ended: Promise<unknown> }> {
    await ensured.ensure();
    try {
      return await joinGroup({
        kafka,
        groupId,
        topics,
        log,
        take: consumption.take,
        joined: () => {
          consumption.forgetProgress();
          hasJoined = true;
          heard();
        },
        heard,
        isCurrent: (one) => consumer === one,
        created: (one) => {
          consumer = one;
        },
      });
    } catch (error) {
      await leave();
      ensured.recheck();
      throw error;
    }
  }

  async function leave(): Promise<void> {
    const leaving = consumer;
    consumer = undefined;
    if (!leaving) return;
    const left = leaving.disconnect().catch(() => undefined);
    await within(STOP_MS, left);
  }

  async function stayMember(): Promise<void> {
    while (!stopping.signal.aborted) {
      let membership: { readonly ended: Promise<unknown> } | undefined;
      await keepTrying({
        brokers: kafka.brokers,
        log,
        stopped: stopping.signal,
        failed: (text) => {
          trouble = text;
        },
        attempt: async () => {
          membership = await join();
        },
      });
      if (!membership) return;
      const watched = { ended: membership.ended, lastSign: () => lastSign };
      const reason = await endOfMembership(watched, { deafMs: DEAF_MS, everyMs: DEAFNESS_CHECK_MS, stopping: stopping.signal });
      if (stopping.signal.aborted) return;
      trouble = troubleOf(reason, kafka.brokers);
      log.warn(`${trouble}; ${application} joins its group again`);
      log.debug({ err: reason }, 'kafka: membership ended');
      await leave();
      await pause(RESTART_PAUSE_MS, stopping.signal);
    }
  }

  const member = stayMember();

  return {
    state(): State {
      if (!hasJoined) return { ready: false, waitingFor: trouble };
      const quiet = Date.now() - lastSign > QUIET_MS ? `kafka: ${application} has received nothing from the broker for a while` : undefined;
      const degraded = trouble ?? quiet;
      return degraded === undefined ? READY : { ready: true, degraded };
    },
    /** Takes no more records, finishes the running deliveries, commits, and leaves the group. */
    async stop(): Promise<void> {
      stopping.abort();
      await consumption.stop();
      await within(STOP_MS, consumption.commit());
      await leave();
      await within(STOP_MS, member);
    },
  };
}

export type Subscription = ReturnType<typeof createSubscription>;

/** How long a broker holds a fetch request while there are no records. The first record ends the wait. */
const LONGEST_FETCH_MS = 1_000;
/** A member that died keeps its partitions for this long. */
const SESSION_MS = 10_000;
const HEARTBEAT_MS = 3_000;
const REBALANCE_MS = 15_000;

interface JoinOptions {
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
async function joinGroup(options: JoinOptions): Promise<{ readonly ended: Promise<unknown> }> {
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

interface Membership {
  /** Resolves with the reason when the broker or the library ends the membership. */
  readonly ended: Promise<unknown>;
  /** Wall time of the last message from the broker. */
  readonly lastSign: () => number;
}

interface Watch {
  /** Longest time without a message from the broker. */
  readonly deafMs: number;
  /** Interval of the check. */
  readonly everyMs: number;
  readonly stopping: AbortSignal;
}

/** Resolves with the reason when a membership has ended, the broker is silent, or stopping. Leaves no timer or listener behind. */
export async function endOfMembership({ ended, lastSign }: Membership, { deafMs, everyMs, stopping }: Watch): Promise<unknown> {
  const watching = new AbortController();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const onStop = (): void => stop();
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', onStop);

  async function silence(): Promise<Error | undefined> {
    while (!watching.signal.aborted) {
      if (Date.now() - lastSign() >= deafMs) return new Error(`no sign of the broker for ${deafMs / 1_000} seconds`);
      await pause(everyMs, watching.signal);
    }
    return undefined;
  }

  try {
    return await Promise.race([ended, silence(), stopped]);
  } finally {
    watching.abort();
    stopping.removeEventListener('abort', onStop);
  }
}
