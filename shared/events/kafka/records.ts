import type { EachBatchPayload, KafkaMessage } from 'kafkajs';
import { deadLetterTopicOf } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { Refused } from '../bus.ts';
import type { OutgoingMessage } from './producer.ts';

/** A record as a broker handed it over. */
export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the bus delivers. */
export interface EventRecord {
  readonly world: World;
  readonly id: string;
  readonly json: string;
}

const WORLD = /^[^~]+~[^~]+$/;

export function recordOf({ topic, partition }: EachBatchPayload['batch'], { offset, key, value, headers }: KafkaMessage): KafkaRecord {
  const texts = Object.entries(headers ?? {}).flatMap(([name, given]) => {
    const last = Array.isArray(given) ? given.at(-1) : given;
    return last === undefined ? [] : [[name, last.toString()] as const];
  });
  return { topic, partition, offset, key: key?.toString() ?? null, value: value?.toString() ?? null, headers: Object.fromEntries(texts) };
}

/** @returns why not, when it cannot be an event of the estate */
export function eventIn({ headers: { world, id }, value }: KafkaRecord): EventRecord | Refused {
  if (world === undefined || id === undefined) return foreign('It has no header "world" or no header "id".');
  if (!WORLD.test(world)) return foreign('Its header "world" names no world.');
  if (value === null) return foreign('It has no value.');
  return { world: world as World, id, json: value };
}

const foreign = (reason: string): Refused => ({ as: 'foreign', reason });

/** The record as it was, with the place where it was found, who could do nothing with it, and why. */
export function deadLetter(record: KafkaRecord, application: string, { as, reason }: Refused): OutgoingMessage {
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
