import { setImmediate } from 'node:timers/promises';
import type { Application } from '../catalog/applications.ts';
import type { World } from '../domain/world.ts';
import { READY } from '../process/readiness.ts';
import type { Turns } from '../store/ports/turns.ts';
import { type Bus, type BusMessage, CHANGED_BY_HEADER, type Deliver, TYPE_HEADER, type WantedEvents } from './bus.ts';
import { createDeliveryLanes, type DeliveryLanes } from './delivery-lanes.ts';

interface Subscription extends WantedEvents {
  readonly application: Application;
  readonly deliver: Deliver;
  readonly lanes: DeliveryLanes;
  /** First attempts in worlds with a seed. */
  readonly attempts: Set<Promise<void>>;
}

const UNLIMITED = { concurrency: Number.POSITIVE_INFINITY, capacity: Number.POSITIVE_INFINITY, failed: () => undefined };

export interface MemoryBus extends Bus {
  /** Delivers a message to one application. */
  deliver(application: Application, message: BusMessage): void;
}

/**
 * An in-process bus that behaves like a real one: it copies messages and delivers them asynchronously, at least once, ordered per key.
 * @param turns decides when deliveries of worlds with a seed run, each world one at a time
 */
export function createMemoryBus(turns?: Turns): MemoryBus {
  const subscriptions = new Set<Subscription>();
  /** A lane for each world with a seed, over all applications. */
  const worldLanes = createDeliveryLanes(UNLIMITED);

  function enqueue(subscription: Subscription, { topic, key, headers, json }: BusMessage): void {
    const { id = '', hop, [TYPE_HEADER]: type } = headers;
    const world = headers['world'] as World;
    const deliver = async (): Promise<void> => {
      await subscription.deliver({ world, id, json, headers: { hop, type } });
    };
    if (turns?.isOrdered(world)) enqueueInTurn(turns, world, { subscription, deliver });
    else subscription.lanes.add({ lane: `${topic}/${key}`, deliver });
  }

  function enqueueInTurn(turns: Turns, world: World, { subscription, deliver }: InTurn): void {
    const endAnnouncement = turns.announce(world);
    const { promise, resolve } = Promise.withResolvers<void>();
    subscription.attempts.add(promise);
    worldLanes.add({
      lane: world,
      deliver: async () => {
        const endTurn = await turns.take(world, 'delivery');
        try {
          await deliver();
        } finally {
          // A failed delivery is tried again later, and other work does not wait for it.
          endAnnouncement();
          endTurn();
          subscription.attempts.delete(promise);
          resolve();
        }
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
      const lanes = createDeliveryLanes(UNLIMITED);
      const subscription: Subscription = { ...wanted, application, deliver, lanes, attempts: new Set() };
      subscriptions.add(subscription);
      return {
        stop: async () => {
          subscriptions.delete(subscription);
          await Promise.all([lanes.stop('all'), ...subscription.attempts]);
        },
      };
    },
    state: () => READY,
    close: async () => {
      const left = [...subscriptions];
      subscriptions.clear();
      await Promise.all([worldLanes, ...left.map(({ lanes }) => lanes)].map((lanes) => lanes.stop('running')));
    },
  };
}

interface InTurn {
  readonly subscription: Subscription;
  readonly deliver: () => Promise<void>;
}

function wants({ topics, isForOthers }: WantedEvents, { topic, headers }: BusMessage): boolean {
  const type = headers[TYPE_HEADER];
  return topics.includes(topic) && headers[CHANGED_BY_HEADER] === undefined && !(type !== undefined && isForOthers?.(type));
}
