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

/** What is sent of one topic and partition is one record for the broker, which refuses it from a megabyte on. */
const LARGEST_PORTION_BYTES = 500_000;
/** How long a publisher is kept waiting for the first connection, before it hears that there is none. */
const CONNECTION_WAIT_MS = 1_000;
const FLUSH_MS = 5_000;
const DISCONNECT_MS = 2_000;
const ACKNOWLEDGE_MS = 10_000;

/**
 * One producer per process. It is not idempotent, since that of kafkajs loses messages when sends that overlap time out; instead one
 * send is awaited before the next, so that nothing overtakes, and whoever publishes repeats what failed.
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
      // Here and not later: what is put into the queue between the last look and the end would wait for somebody else's message.
      sending = undefined;
    }
  }

  /** What several publishers wait to send goes out together. What the broker refuses for good must not take the others along. */
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
      // A broker that lost its topics gets them again.
      topics.lookAgain();
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
    /** The library's `disconnect` does not wait for what it was given to send. */
    async close(): Promise<void> {
      closing.abort();
      if (sending && !(await within(FLUSH_MS, sending))) log.warn('kafka: parting before everything was sent; it stays in the outbox');
      await within(
        DISCONNECT_MS,
        connecting.then(() => producer.disconnect()),
      );
    },
  };
}

export type Publisher = ReturnType<typeof createPublisher>;

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

/** As many of those that wait as go together. */
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
