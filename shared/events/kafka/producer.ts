import { type Message, Partitioners } from 'kafkajs';
import type { Logger } from '../../process/logger.ts';
import { READY, type State } from '../../process/readiness.ts';
import { within } from '../../process/waiting.ts';
import { createClient, type KafkaOptions, RETRIES } from './client.ts';
import type { Topics } from './topics.ts';
import { isRefusal, keepTrying, troubleOf } from './trouble.ts';

export interface OutgoingMessage {
  readonly topic: string;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: string | null;
}

interface Portion {
  readonly messages: readonly OutgoingMessage[];
  readonly sent: () => void;
  readonly failed: (error: Error) => void;
}

/** The messages of one partition form one record batch. The broker refuses batches above a megabyte. */
const LARGEST_PORTION_BYTES = 500_000;
/** The longest wait of `publish` for the first connection. After it, `publish` fails. */
const CONNECTION_WAIT_MS = 1_000;
const FLUSH_MS = 5_000;
const DISCONNECT_MS = 2_000;
const ACKNOWLEDGE_MS = 10_000;

/**
 * One producer per process. It is not idempotent, because the idempotent producer of kafkajs loses messages when overlapping sends time out.
 * Instead, sends run one after the other, which keeps the order, and callers repeat failed messages.
 */
export function createPublisher(options: KafkaOptions, { topics, log }: { readonly topics: Topics; readonly log: Logger }) {
  const producer = createClient(options, log).producer({
    idempotent: false,
    allowAutoTopicCreation: false,
    maxInFlightRequests: 1,
    createPartitioner: Partitioners.DefaultPartitioner,
    retry: RETRIES,
  });
  const closing = new AbortController();
  const queue: Portion[] = [];
  let connected = false;
  let sending: Promise<void> | undefined;
  let trouble: string | undefined = `kafka: connecting to ${options.brokers.join(',')}`;

  const connecting = keepTrying({
    brokers: options.brokers,
    log,
    stopped: closing.signal,
    failed: (text) => {
      trouble = text;
    },
    attempt: async () => {
      await topics.ensure();
      await producer.connect();
      connected = true;
      trouble = undefined;
    },
  });

  async function sendQueued(): Promise<void> {
    try {
      for (let portion = takePortion(queue); portion.length > 0; portion = takePortion(queue)) await sendPortion(portion);
    } finally {
      // This runs in the same tick as the last check of the queue, so messages that are enqueued later start a new run.
      sending = undefined;
    }
  }

  /** Sends waiting portions together. After a final refusal, it sends each portion alone, so that one does not make the others fail. */
  async function sendPortion(portion: readonly Portion[]): Promise<void> {
    try {
      await send(portion.flatMap(({ messages }) => messages));
      trouble = undefined;
      for (const { sent } of portion) sent();
    } catch (error) {
      if (isRefusal(error) && portion.length > 1) {
        for (const one of portion) await sendPortion([one]);
        return;
      }
      trouble = troubleOf(error, options.brokers);
      // The broker may have lost its topics, so they are checked again.
      topics.recheck();
      for (const { failed } of portion) failed(new Error(trouble, { cause: error }));
    }
  }

  async function send(messages: readonly OutgoingMessage[]): Promise<void> {
    await topics.ensure();
    await producer.sendBatch({ acks: -1, timeout: ACKNOWLEDGE_MS, topicMessages: byTopic(messages) });
  }

  async function enqueue(messages: readonly OutgoingMessage[]): Promise<void> {
    if (closing.signal.aborted) throw new Error('kafka: the bus is closed.');
    const outcome = new Promise<void>((sent, failed) => queue.push({ messages, sent, failed }));
    sending ??= sendQueued();
    return outcome;
  }

  return {
    /** Resolves when all in-sync replicas have the messages. */
    async publish(messages: readonly OutgoingMessage[]): Promise<void> {
      if (!connected) await within(CONNECTION_WAIT_MS, connecting);
      if (!connected) throw new Error(trouble);
      for (const portion of inPortions(messages)) await enqueue(portion);
    },
    state: (): State => {
      if (!connected) return { ready: false, waitingFor: trouble };
      return trouble === undefined ? READY : { ready: true, degraded: trouble };
    },
    /** Finishes queued sends first: the library's `disconnect` does not wait for them. */
    async close(): Promise<void> {
      closing.abort();
      if (sending && !(await within(FLUSH_MS, sending)))
        log.warn('kafka: disconnecting before all events were sent; they stay in the outbox');
      await within(
        DISCONNECT_MS,
        connecting.then(() => producer.disconnect()),
      );
    },
  };
}

const bytesOf = ({ value, key }: OutgoingMessage): number => Buffer.byteLength(value ?? '') + Buffer.byteLength(key ?? '');

function* inPortions(messages: readonly OutgoingMessage[]): Generator<readonly OutgoingMessage[]> {
  let portion: OutgoingMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const more = bytesOf(message);
    if (portion.length > 0 && bytes + more > LARGEST_PORTION_BYTES) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(message);
    bytes += more;
  }
  if (portion.length > 0) yield portion;
}

/** Removes as many portions from the queue as fit into one send. */
function takePortion(queue: Portion[]): readonly Portion[] {
  let bytes = 0;
  const beyond = queue.findIndex(({ messages }, index) => {
    bytes += messages.reduce((sum, message) => sum + bytesOf(message), 0);
    return index > 0 && bytes > LARGEST_PORTION_BYTES;
  });
  return queue.splice(0, beyond === -1 ? queue.length : beyond);
}

function byTopic(messages: readonly OutgoingMessage[]): { topic: string; messages: Message[] }[] {
  return [...Map.groupBy(messages, ({ topic }) => topic)].map(([topic, ofTopic]) => ({
    topic,
    messages: ofTopic.map(({ key, value, headers }) => ({ key, value, headers })),
  }));
}
