import type { Consumer, ConsumerEvents, EachBatchPayload } from 'kafkajs';
import { LRUCache } from 'lru-cache';
import type { Application } from '../../catalog/applications.ts';
import type { Logger } from '../../process/logger.ts';
import { READY, type State } from '../../process/readiness.ts';
import { pause, within } from '../../process/waiting.ts';
import type { Deliver, Refused } from '../bus.ts';
import { createDeliveryLanes } from '../delivery-lanes.ts';
import { PartitionProgress } from '../partition-progress.ts';
import { createClient, type KafkaOptions, RETRIES } from './client.ts';
import { endOfMembership } from './membership.ts';
import type { OutgoingMessage } from './producer.ts';
import { deadLetter, eventIn, type KafkaRecord, recordOf } from './records.ts';
import type { Topics } from './topics.ts';
import { keepTrying, troubleOf } from './trouble.ts';

/** How many events an application works on at the same time. */
const CONCURRENCY = 32;
/** How many it has taken from the broker and not yet done. */
const CAPACITY = 500;
const COMMIT_EVERY_MS = 500;
/** How long a broker holds a request for records while there are none; with the first record it answers at once. */
const LONGEST_FETCH_MS = 500;
/** A member that died holds its partitions for this long. */
const SESSION_MS = 10_000;
const HEARTBEAT_MS = 1_000;
const REBALANCE_MS = 15_000;
const RESTART_PAUSE_MS = 1_000;
/** A broker that says nothing for so long is in trouble; a member that hears nothing for longer begins anew. */
const QUIET_MS = 15_000;
const DEAF_MS = 60_000;
const STOP_MS = 3_000;
const SAY_AGAIN_AFTER_MS = 60_000;

export interface SubscriptionOptions {
  readonly kafka: KafkaOptions;
  readonly application: Application;
  readonly topics: readonly string[];
  readonly deliver: Deliver;
  readonly ensured: Topics;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  readonly counts: { foreign: number; deadLetters: number; redeliveries: number };
  readonly log: Logger;
}

/** One application's membership of its consumer group, for as long as it is not stopped. */
export function createSubscription(options: SubscriptionOptions) {
  const { kafka, application, topics, deliver, counts, log } = options;
  const groupId = `${kafka.groupPrefix ?? 'uc-'}${application}`;
  const stopping = new AbortController();
  const said = new LRUCache<string, true>({ max: topics.length + 1, ttl: SAY_AGAIN_AFTER_MS });
  const partitions = new Map<string, { readonly topic: string; readonly partition: number; readonly progress: PartitionProgress }>();
  let consumer: Consumer | undefined;
  let hasJoined = false;
  let lastSign = Date.now();
  let trouble: string | undefined = `kafka: ${application} is joining the group ${groupId}`;
  let committing: Promise<void> = Promise.resolve();

  const lanes = createDeliveryLanes({
    concurrency: CONCURRENCY,
    capacity: CAPACITY,
    failed: (error) => {
      counts.redeliveries += 1;
      sayOnceAMinute('failing', () => log.warn({ err: error }, 'events could not be handed over; they come again'));
    },
  });

  function sayOnceAMinute(what: string, say: () => void): void {
    if (said.has(what)) return;
    said.set(what, true);
    say();
  }

  async function handOver(record: KafkaRecord): Promise<Refused | undefined> {
    const event = eventIn(record);
    return 'as' in event ? event : deliver(event.world, event.id, event.json);
  }

  /** Delivered once, and then, if it was refused, put aside: a broker that does not take the dead letter is no reason to deliver again. */
  function deliveryOf(record: KafkaRecord): () => Promise<void> {
    let refused: Refused | undefined;
    return async () => {
      if (!refused) {
        refused = await handOver(record);
        if (!refused) return;
        if (refused.as === 'foreign') noteForeign(record, refused);
      }
      await options.publish([deadLetter(record, application, refused)]);
      counts.deadLetters += 1;
    };
  }

  function noteForeign({ topic, partition, offset }: KafkaRecord, { reason }: Refused): void {
    counts.foreign += 1;
    sayOnceAMinute(topic, () =>
      log.warn({ topic, partition, offset, reason, soFar: counts.foreign }, 'a record on a topic of ours is no event of the estate'),
    );
  }

  function progressOf(batch: EachBatchPayload['batch']): PartitionProgress {
    const { topic, partition } = batch;
    const first = Number(batch.firstOffset() ?? 0);
    const known = partitions.get(`${topic}/${partition}`);
    // A topic that was made anew begins at 0 again.
    if (known && known.progress.next <= first) return known.progress;
    const progress = new PartitionProgress(first);
    partitions.set(`${topic}/${partition}`, { topic, partition, progress });
    return progress;
  }

  async function take({ batch, resolveOffset, heartbeat, isRunning, isStale }: EachBatchPayload): Promise<void> {
    const progress = progressOf(batch);
    for (const message of batch.messages) {
      while (!lanes.hasRoom() && !stopping.signal.aborted) {
        await within(HEARTBEAT_MS, lanes.room());
        await heartbeat();
      }
      if (stopping.signal.aborted || !isRunning() || isStale()) return;
      const record = recordOf(batch, message);
      const offset = Number(message.offset);
      progress.taken(offset);
      lanes.add({
        lane: `${batch.topic}/${batch.partition}/${record.key}`,
        deliver: deliveryOf(record),
        done: () => progress.delivered(offset),
      });
      resolveOffset(message.offset);
    }
    progress.passed(Number(batch.lastOffset()));
    resolveOffset(batch.lastOffset());
  }

  async function commit(): Promise<void> {
    const due = [...partitions.values()].flatMap(({ topic, partition, progress }) => {
      const offset = progress.uncommitted();
      return offset === undefined ? [] : [{ topic, partition, progress, offset }];
    });
    if (due.length === 0 || !consumer) return;
    await consumer.commitOffsets(due.map(({ topic, partition, offset }) => ({ topic, partition, offset: String(offset) })));
    for (const { progress, offset } of due) progress.committed(offset);
  }

  function commitNow(): Promise<void> {
    committing = committing.then(commit).catch((error: unknown) => {
      // What was not committed comes again, and has no effect again.
      log.debug({ err: error }, 'kafka: how far the group is could not be noted');
    });
    return committing;
  }

  /** Resolves when it is a member. `ended` tells the reason when it no longer is. */
  async function join(): Promise<{ readonly ended: Promise<unknown> }> {
    await options.ensured.ensure();
    const joining = createClient(kafka, log).consumer({
      groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: SESSION_MS,
      heartbeatInterval: HEARTBEAT_MS,
      rebalanceTimeout: REBALANCE_MS,
      minBytes: 1,
      maxWaitTimeInMs: LONGEST_FETCH_MS,
      // Whether to begin again after a crash is decided here, for every kind of crash alike.
      retry: { ...RETRIES, restartOnFailure: async () => false },
    });
    const ended = Promise.withResolvers<unknown>();
    const joined = Promise.withResolvers<void>();
    // It may crash before anybody waits for it to have joined.
    joined.promise.catch(() => undefined);
    const { GROUP_JOIN, FETCH, HEARTBEAT, CRASH } = joining.events;
    const sign = (): void => {
      lastSign = Date.now();
      trouble = undefined;
    };
    const listenWhileMember = (event: ConsumerEvents[keyof ConsumerEvents], listener: () => void): void => {
      joining.on(event, () => {
        // One that was left may still hear of what it began.
        if (consumer === joining) listener();
      });
    };
    listenWhileMember(GROUP_JOIN, () => {
      // Others may have gone on where this member was; the broker says from where on each partition is now read.
      partitions.clear();
      hasJoined = true;
      sign();
      joined.resolve();
    });
    listenWhileMember(FETCH, sign);
    listenWhileMember(HEARTBEAT, sign);
    joining.on(CRASH, ({ payload: { error } }) => {
      joined.reject(error);
      ended.resolve(error);
    });
    consumer = joining;
    try {
      await joining.connect();
      await joining.subscribe({ topics: [...topics], fromBeginning: true });
      await joining.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: topics.length,
        eachBatch: take,
      });
      await joined.promise;
    } catch (error) {
      await part();
      options.ensured.lookAgain();
      throw error;
    }
    return { ended: ended.promise };
  }

  async function part(): Promise<void> {
    const parting = consumer;
    consumer = undefined;
    if (parting)
      await within(
        STOP_MS,
        parting.disconnect().catch(() => undefined),
      );
  }

  async function beMember(): Promise<void> {
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
      const reason = await endOfMembership(watched, { deafMs: DEAF_MS, everyMs: HEARTBEAT_MS, stopping: stopping.signal });
      if (stopping.signal.aborted) return;
      trouble = troubleOf(reason, kafka.brokers);
      log.warn(`${trouble}; ${application} joins its group again`);
      log.debug({ err: reason }, 'kafka: why a membership ended');
      await part();
      await pause(RESTART_PAUSE_MS, stopping.signal);
    }
  }

  const member = beMember();
  const committer = setInterval(() => void commitNow(), COMMIT_EVERY_MS);
  committer.unref();

  return {
    state(): State {
      if (!hasJoined) return { ready: false, waitingFor: trouble };
      const quiet = Date.now() - lastSign > QUIET_MS ? `kafka: ${application} has heard nothing of the broker for a while` : undefined;
      const degraded = trouble ?? quiet;
      return degraded === undefined ? READY : { ready: true, degraded };
    },
    /** Takes nothing more, finishes what runs, notes how far it came, and leaves the group. */
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(committer);
      await lanes.stop('running');
      await within(STOP_MS, commitNow());
      await part();
      await within(STOP_MS, member);
    },
  };
}

export type Subscription = ReturnType<typeof createSubscription>;
