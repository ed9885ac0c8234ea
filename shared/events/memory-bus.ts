import type { Application } from '../catalog/applications.ts';
import { READY } from '../runtime/readiness.ts';
import type { World } from '../store/ports.ts';
import type { Bus, BusMessage, Deliver } from './bus.ts';

interface Subscription {
  readonly application: Application;
  readonly topics: ReadonlySet<string>;
  readonly deliver: Deliver;
  /** Per key the tail of what is being delivered: the order per aggregate. */
  readonly tails: Map<string, Promise<void>>;
}

/** An in-process bus with the manners of a real one: copies, asynchronous, at least once, ordered per key. */
export function createMemoryBus(): Bus {
  const subscriptions = new Set<Subscription>();

  function enqueue(subscription: Subscription, message: BusMessage): void {
    const { tails, deliver } = subscription;
    const lane = `${message.topic}/${message.key}`;
    const tail = (tails.get(lane) ?? Promise.resolve())
      .then(() => deliver(message.headers['world'] as World, message.headers['id'] ?? '', message.json))
      .catch(() => undefined)
      .finally(() => {
        if (tails.get(lane) === tail) tails.delete(lane);
      });
    tails.set(lane, tail);
  }

  return {
    publish: async (batch) => {
      await new Promise((resolve) => setImmediate(resolve));
      for (const message of batch) {
        for (const subscription of subscriptions) {
          if (subscription.topics.has(message.topic)) enqueue(subscription, { ...message, headers: { ...message.headers } });
        }
      }
    },
    subscribe: async (application, topics, deliver) => {
      const subscription: Subscription = { application, topics: new Set(topics), deliver, tails: new Map() };
      subscriptions.add(subscription);
      return {
        stop: async () => {
          subscriptions.delete(subscription);
          await Promise.all(subscription.tails.values());
        },
      };
    },
    state: () => READY,
    close: async () => subscriptions.clear(),
  };
}
