import { setImmediate } from 'node:timers/promises';
import type { Application } from '../catalog/applications.ts';
import type { World } from '../domain/world.ts';
import { READY } from '../process/readiness.ts';
import { type Bus, type BusMessage, type Deliver, TYPE_HEADER, type WantedEvents } from './bus.ts';
import { createDeliveryLanes, type DeliveryLanes } from './delivery-lanes.ts';

interface Subscription extends WantedEvents {
  readonly application: Application;
  readonly deliver: Deliver;
  readonly lanes: DeliveryLanes;
}

export interface MemoryBus extends Bus {
  /** Delivers a message to one application. */
  deliver(application: Application, message: BusMessage): void;
}

/** An in-process bus that behaves like a real one: it copies messages and delivers them asynchronously, at least once, ordered per key. */
export function createMemoryBus(): MemoryBus {
  const subscriptions = new Set<Subscription>();

  function enqueue({ lanes, deliver }: Subscription, { topic, key, headers, json }: BusMessage): void {
    const { world, id = '', hop, [TYPE_HEADER]: type } = headers;
    lanes.add({
      lane: `${topic}/${key}`,
      deliver: async () => {
        await deliver({ world: world as World, id, json, headers: { hop, type } });
      },
    });
  }

  return {
    publish: async (batch) => {
      await setImmediate();
      for (const message of batch) {
        for (const subscription of subscriptions) if (wants(subscription, message)) enqueue(subscription, message);
      }
    },
    deliver: (application, message) => {
      for (const subscription of subscriptions) if (subscription.application === application) enqueue(subscription, message);
    },
    subscribe: async (application, wanted, deliver) => {
      const lanes = createDeliveryLanes({
        concurrency: Number.POSITIVE_INFINITY,
        capacity: Number.POSITIVE_INFINITY,
        failed: () => undefined,
      });
      const subscription: Subscription = { ...wanted, application, deliver, lanes };
      subscriptions.add(subscription);
      return {
        stop: async () => {
          subscriptions.delete(subscription);
          await lanes.stop('all');
        },
      };
    },
    state: () => READY,
    close: async () => {
      const left = [...subscriptions];
      subscriptions.clear();
      await Promise.all(left.map(({ lanes }) => lanes.stop('running')));
    },
  };
}

function wants({ topics, isForOthers }: WantedEvents, { topic, headers }: BusMessage): boolean {
  const type = headers[TYPE_HEADER];
  return topics.includes(topic) && !(type !== undefined && isForOthers?.(type));
}
