import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import { type Application, deadLetterTopicOf } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { Logger } from '../../process/logger.ts';
import { within } from '../../process/waiting.ts';
import { CHANGED_BY_HEADER, type DeadLetterCause, type Deliver, type DeliveredEvent, TYPE_HEADER, type WantedEvents } from '../bus.ts';
import { createDeliveryLanes } from '../delivery-lanes.ts';
import { PartitionProgress } from '../partition-progress.ts';
import { ReportLimit } from './client.ts';
import type { OutgoingMessage } from './producer.ts';

/** Events that an application processes at the same time. */
const CONCURRENCY = 32;
/** Events taken from the broker and not yet processed. */
const CAPACITY = 500;
/** After a kill, the events of this wall time are delivered again; their effects are not repeated. */
const COMMIT_EVERY_MS = 2_000;
/** Interval of heartbeats while a batch waits for room. */
const HEARTBEAT_MS = 1_000;
const REPORT_EVERY_MS = 60_000;

export interface ConsumptionOptions extends Pick<WantedEvents, 'isForOthers'> {
  readonly application: Application;
  readonly deliver: Deliver;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  readonly counts: { foreign: number; deadLetters: number; redeliveries: number };
  readonly log: Logger;
  readonly stopping: AbortSignal;
  /** The consumer that commits offsets; undefined while the application is not a member of its group. */
  readonly consumer: () => Consumer | undefined;
}

/** Processes the records of the assigned partitions, and commits their offsets. */
export function createConsumption({ application, isForOthers, deliver, publish, counts, log, stopping, consumer }: ConsumptionOptions) {
  const reports = new ReportLimit(REPORT_EVERY_MS);
  const partitions = new Map<string, { readonly topic: string; readonly partition: number; readonly progress: PartitionProgress }>();
  let committing: Promise<void> = Promise.resolve();

  const lanes = createDeliveryLanes({
    concurrency: CONCURRENCY,
    capacity: CAPACITY,
    failed: (error) => {
      counts.redeliveries += 1;
      if (reports.isDue('failing')) log.warn({ err: error }, 'delivering events failed; they are delivered again');
    },
  });

  /** Every subscriber receives a record that is not an event of the estate, and refuses it. */
  function isWanted(record: KafkaRecord): boolean {
    if (record.headers[CHANGED_BY_HEADER] !== undefined) return false;
    const event = eventIn(record);
    return 'as' in event || event.headers.type === undefined || !isForOthers?.(event.headers.type);
  }

  /** Delivers a record once. For a refused record, only the dead letter is sent again if the broker does not accept it. */
  function deliveryOf(record: KafkaRecord): () => Promise<void> {
    let cause: DeadLetterCause | undefined;
    return async () => {
      if (!cause) {
        cause = await deliverRecord(record);
        if (!cause) return;
        if (cause.as === 'foreign') noteForeign(record, cause);
      }
      await publish([deadLetter(record, application, cause)]);
      counts.deadLetters += 1;
    };
  }

  async function deliverRecord(record: KafkaRecord): Promise<DeadLetterCause | undefined> {
    const event = eventIn(record);
    return 'as' in event ? event : deliver(event);
  }

  function noteForeign({ topic, partition, offset }: KafkaRecord, { reason }: DeadLetterCause): void {
    counts.foreign += 1;
    if (!reports.isDue(topic)) return;
    log.warn({ topic, partition, offset, reason, soFar: counts.foreign }, 'a record on an event topic is not an event of the estate');
  }

  function progressOf(batch: EachBatchPayload['batch']): PartitionProgress {
    const { topic, partition } = batch;
    const first = Number(batch.firstOffset() ?? 0);
    const known = partitions.get(`${topic}/${partition}`);
    // Offsets of a topic that was deleted and created again begin at 0.
    if (known && known.progress.next <= first) return known.progress;
    const progress = new PartitionProgress(first);
    partitions.set(`${topic}/${partition}`, { topic, partition, progress });
    return progress;
  }

  async function take({ batch, resolveOffset, heartbeat, isRunning, isStale }: EachBatchPayload): Promise<void> {
    const progress = progressOf(batch);
    for (const message of batch.messages) {
      while (!lanes.hasRoom() && !stopping.aborted) {
        await within(HEARTBEAT_MS, lanes.room());
        await heartbeat();
      }
      if (stopping.aborted || !isRunning() || isStale()) return;
      const record = recordOf(batch, message);
      const offset = Number(message.offset);
      if (isWanted(record)) {
        progress.taken(offset);
        lanes.add({
          lane: `${batch.topic}/${batch.partition}/${record.key}`,
          deliver: deliveryOf(record),
          done: () => progress.delivered(offset),
        });
      } else progress.passed(offset);
      resolveOffset(message.offset);
    }
    progress.passed(Number(batch.lastOffset()));
    resolveOffset(batch.lastOffset());
  }

  async function commitProgress(): Promise<void> {
    const member = consumer();
    const due = [...partitions.values()].flatMap(({ topic, partition, progress }) => {
      const offset = progress.uncommitted();
      return offset === undefined ? [] : [{ topic, partition, progress, offset }];
    });
    if (due.length === 0 || !member) return;
    await member.commitOffsets(due.map(({ topic, partition, offset }) => ({ topic, partition, offset: String(offset) })));
    for (const { progress, offset } of due) progress.committed(offset);
  }

  /** Commits one after the other. */
  function commit(): Promise<void> {
    committing = committing.then(commitProgress).catch((error: unknown) => {
      // Records behind the last commit are delivered again; their effects are not repeated.
      log.debug({ err: error }, 'kafka: committing offsets failed');
    });
    return committing;
  }

  const committer = setInterval(() => void commit(), COMMIT_EVERY_MS);
  committer.unref();

  return {
    take,
    commit,
    /** Forgets the positions in the partitions. After a rebalance the broker returns where to continue. */
    forgetProgress: (): void => partitions.clear(),
    /** Takes no more records, and finishes the running deliveries. */
    async stop(): Promise<void> {
      clearInterval(committer);
      await lanes.stop('running');
    },
  };
}

/** A record as received from a broker. */
interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const WORLD = /^[^~]+~[^~]+$/;

function recordOf({ topic, partition }: EachBatchPayload['batch'], { offset, key, value, headers }: KafkaMessage): KafkaRecord {
  const texts = Object.entries(headers ?? {}).flatMap(([name, given]) => {
    const last = Array.isArray(given) ? given.at(-1) : given;
    return last === undefined ? [] : [[name, last.toString()] as const];
  });
  return { topic, partition, offset, key: key?.toString() ?? null, value: value?.toString() ?? null, headers: Object.fromEntries(texts) };
}

/** The event in a record, or the reason why it is not an event of the estate. */
function eventIn({ headers: { world, id, hop, [TYPE_HEADER]: type }, value }: KafkaRecord): DeliveredEvent | DeadLetterCause {
  if (world === undefined || id === undefined) return foreign('The header "world" or "id" is missing.');
  if (!WORLD.test(world)) return foreign('The header "world" does not name a world.');
  if (value === null) return foreign('The record has no value.');
  return { world: world as World, id, json: value, headers: { hop, type } };
}

const foreign = (reason: string): DeadLetterCause => ({ as: 'foreign', reason });

/** The unchanged record, with its position, the application that refused it, and the reason. */
function deadLetter(record: KafkaRecord, application: string, { as, reason }: DeadLetterCause): OutgoingMessage {
  const { topic, partition, offset, key, value, headers } = record;
  return {
    topic: deadLetterTopicOf(topic),
    key,
    value,
    headers: {
      ...headers,
      'dead-letter-as': as,
      'dead-letter-topic': topic,
      'dead-letter-partition': String(partition),
      'dead-letter-offset': offset,
      'dead-letter-application': application,
      'dead-letter-error': reason,
    },
  };
}
