import type { Application } from '../../catalog/applications.ts';
import { READY, type State } from '../../process/readiness.ts';
import type { Bus, Deliver, WantedEvents } from '../bus.ts';
import type { KafkaOptions } from './client.ts';
import { createPublisher } from './producer.ts';
import { createSubscription, type Subscription } from './subscription.ts';
import { createTopics } from './topics.ts';

export interface KafkaBus extends Bus {
  /** Totals of all applications of this process since the bus was created. */
  counts(): KafkaCounts;
}

export interface KafkaCounts {
  /** Records on event topics that are not events of the estate. */
  readonly foreign: number;
  readonly deadLetters: number;
  /** Deliveries that failed and are retried. */
  readonly redeliveries: number;
}

/**
 * A consumer outside the estate gets an event within about 50 ms of its commit. A relay holds the events under the lease of their commit,
 * which lasts many times as long.
 */
export const LINGER_MS = 40;

/** The bus on Kafka. It connects in the background, without a time limit; `state` reports the progress. */
export function createKafkaBus(kafka: KafkaOptions): KafkaBus {
  const log = kafka.log.child({ part: 'kafka' });
  const counts = { foreign: 0, deadLetters: 0, redeliveries: 0 };
  const topics = createTopics(kafka, log);
  const publisher = createPublisher(kafka, { topics, log });
  const subscriptions = new Set<Subscription>();
  const prefixed = (topic: string): string => `${kafka.prefix ?? ''}${topic}`;

  async function subscribe(application: Application, wanted: WantedEvents, deliver: Deliver) {
    const subscription = createSubscription({
      kafka,
      application,
      ...wanted,
      topics: wanted.topics.map(prefixed),
      deliver,
      ensured: topics,
      publish: publisher.publish,
      counts,
      log: log.child({ application }),
    });
    subscriptions.add(subscription);
    return {
      stop: async () => {
        await subscription.stop();
        subscriptions.delete(subscription);
      },
    };
  }

  return {
    publish: (batch) =>
      publisher.publish(batch.map(({ topic, key, headers, json }) => ({ topic: prefixed(topic), key, headers, value: json }))),
    lingerMs: LINGER_MS,
    subscribe,
    state: () => together([publisher.state(), ...[...subscriptions].map((subscription) => subscription.state())]),
    counts: () => ({ ...counts }),
    close: async () => {
      await Promise.all([...subscriptions].map((subscription) => subscription.stop()));
      await publisher.close();
    },
  };
}

/** Joins states, with each text once: all applications that cannot reach a broker report the same problem. */
function together(states: readonly State[]): State {
  const waitingFor = distinct(states.filter(({ ready }) => !ready).map((state) => state.waitingFor));
  const degraded = distinct(states.map((state) => state.degraded));
  const ready = states.every((state) => state.ready);
  if (ready && degraded === undefined) return READY;
  return { ready, waitingFor, degraded };
}

function distinct(texts: readonly (string | undefined)[]): string | undefined {
  const unique = new Set(texts.filter((text) => text !== undefined));
  return unique.size === 0 ? undefined : [...unique].join('; ');
}
