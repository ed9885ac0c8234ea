import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import { deadLetterTopicOf } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import { type DeadLetterCause, type DeliveredEvent, TYPE_HEADER } from '../bus.ts';
import type { OutgoingMessage } from './producer.ts';

/** A record as received from a broker. */
export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const WORLD = /^[^~]+~[^~]+$/;

export function recordOf({ topic, partition }: EachBatchPayload['batch'], { offset, key, value, headers }: KafkaMessage): KafkaRecord {
  const texts = Object.entries(headers ?? {}).flatMap(([name, given]) => {
    const last = Array.isArray(given) ? given.at(-1) : given;
    return last === undefined ? [] : [[name, last.toString()] as const];
  });
  return { topic, partition, offset, key: key?.toString() ?? null, value: value?.toString() ?? null, headers: Object.fromEntries(texts) };
}

/** The event in a record, or the reason why it is not an event of the estate. */
export function eventIn({ headers: { world, id, hop, [TYPE_HEADER]: type }, value }: KafkaRecord): DeliveredEvent | DeadLetterCause {
  if (world === undefined || id === undefined) return foreign('The header "world" or "id" is missing.');
  if (!WORLD.test(world)) return foreign('The header "world" does not name a world.');
  if (value === null) return foreign('The record has no value.');
  return { world: world as World, id, json: value, headers: { hop, type } };
}

const foreign = (reason: string): DeadLetterCause => ({ as: 'foreign', reason });

/** The unchanged record, with its position, the application that refused it, and the reason. */
export function deadLetter(record: KafkaRecord, application: string, { as, reason }: DeadLetterCause): OutgoingMessage {
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
