import type { Application } from '../../catalog/applications.ts';
import { READY, type State } from '../../process/readiness.ts';
import type { Bus, BusMessage, Deliver } from '../bus.ts';
import type { KafkaOptions } from './client.ts';
import { createPublisher, type OutgoingMessage } from './producer.ts';
import { createSubscription, type Subscription } from './subscription.ts';
import { createTopics } from './topics.ts';

export interface KafkaBus extends Bus {
  /** Since it was created, over all applications of this process. */
  counts(): KafkaCounts;
}

export interface KafkaCounts {
  /** Records on the topics of the estate that are none of its events. */
  readonly foreign: number;
  readonly deadLetters: number;
  /** Deliveries that are to be tried again, since something that they need is away. */
  readonly redeliveries: number;
}

/** The bus over Kafka. It connects in the background and for as long as it takes; `state` tells how far it is. */
export function createKafkaBus(kafka: KafkaOptions): KafkaBus {
  const log = kafka.log.child({ part: 'kafka' });
  const counts = { foreign: 0, deadLetters: 0, redeliveries: 0 };
  const topics = createTopics(kafka, log);
  const publisher = createPublisher(kafka, { topics, log });
  const subscriptions = new Set<Subscription>();

  async function subscribe(application: Application, subscribed: readonly string[], deliver: Deliver) {
    const subscription = createSubscription({
      kafka,
      application,
      topics: subscribed,
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
    publish: (batch) => publisher.publish(batch.map(outgoing)),
    subscribe,
    state: () => together([publisher.state(), ...[...subscriptions].map((subscription) => subscription.state())]),
    counts: () => ({ ...counts }),
    close: async () => {
      await Promise.all([...subscriptions].map((subscription) => subscription.stop()));
      await publisher.close();
    },
  };
}

const outgoing = ({ topic, key, headers, json }: BusMessage): OutgoingMessage => ({ topic, key, headers, value: json });

/** Each thing that is wrong once: thirteen applications that cannot reach one broker have one trouble. */
function together(states: readonly State[]): State {
  const waitingFor = distinct(states.filter(({ ready }) => !ready).map((state) => state.waitingFor));
  const degraded = distinct(states.map((state) => state.degraded));
  const ready = states.every((state) => state.ready);
  if (ready && degraded === undefined) return READY;
  return { ready, waitingFor, degraded };
}

function distinct(texts: readonly (string | undefined)[]): string | undefined {
  const said = new Set(texts.filter((text) => text !== undefined));
  return said.size === 0 ? undefined : [...said].join('; ');
}
