import type { Application } from '../catalog/applications.ts';
import type { World } from '../domain/world.ts';
import type { Logger } from '../process/logger.ts';
import { pause } from '../process/waiting.ts';
import { DELIVER_AGAIN, dueKey } from '../store/ports/due-work.ts';
import type { LedgerStore } from '../store/ports/ledger.ts';
import type { EventReader, StoredEvent } from '../store/ports/objects.ts';
import { deliveryKey, partsOfDelivery } from '../store/ports/outbox.ts';
import { type RehearsalStore, WorldGone } from '../store/ports/rehearsals.ts';
import { isStoreUnavailable } from '../store/store-unavailable.ts';
import type { Bus } from './bus.ts';
import type { MemoryBus } from './memory-bus.ts';
import { messageOf } from './relay.ts';

/** Wall time between two attempts to read a store that does not answer. */
const RETRY_MS = 1_000;
/** Deliveries that are read concurrently. */
const CHUNK = 100;

export interface ResumingBusOptions {
  readonly bus: MemoryBus;
  /** Outlives the process. */
  readonly worlds: LedgerStore & EventReader & Pick<RehearsalStore, 'list'>;
  readonly log: Logger;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
}

/**
 * A bus in memory beside a store that outlives the process. The messages of an earlier process died with it, but the store lists their
 * deliveries. They are delivered first. Until then nothing is published, so the events of an object keep their order.
 */
export function createResumingBus({ bus, worlds, log, stopping }: ResumingBusOptions): Bus {
  const resumed = Promise.withResolvers<void>();
  // The publisher of a message gets the error.
  resumed.promise.catch(() => undefined);
  const giveUp = (): void => resumed.reject(new Error('The process stops before it has resumed the events of an earlier one.'));
  stopping.addEventListener('abort', giveUp, { once: true });

  async function deliverLeft(world: World): Promise<void> {
    const left = await undelivered(worlds, world);
    for (const { application, event } of left) bus.deliver(application, messageOf(world, event));
    if (left.length > 0) log.info({ world, deliveries: left.length }, 'resuming deliveries of an earlier process');
  }

  /** A store that does not answer delays the start. Any other failure concerns one world, and the others continue. */
  async function insist<T>(work: () => Promise<T>, world?: World): Promise<T | undefined> {
    while (!stopping.aborted) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof WorldGone) return undefined;
        if (!isStoreUnavailable(error)) {
          log.error({ err: error, world }, 'resuming deliveries of an earlier process failed');
          return undefined;
        }
      }
      await pause(RETRY_MS, stopping);
    }
    return undefined;
  }

  async function resumeAll(): Promise<void> {
    for (const { current } of (await insist(() => worlds.list())) ?? []) {
      const world = current?.world;
      if (world) await insist(() => deliverLeft(world), world);
    }
    resumed.resolve();
  }

  return {
    ...bus,
    publish: async (batch) => {
      await resumed.promise;
      await bus.publish(batch);
    },
    resume: () => void resumeAll(),
  };
}

interface Undelivered {
  readonly application: Application;
  readonly event: StoredEvent;
}

/** Deliveries of published events that no due work retries, sorted by publication. */
async function undelivered(worlds: LedgerStore & EventReader, world: World): Promise<readonly Undelivered[]> {
  const { pending } = await worlds.ledger(world);
  const found: Undelivered[] = [];
  for (let from = 0; from < pending.length; from += CHUNK) {
    const deliveries = pending.slice(from, from + CHUNK).map(partsOfDelivery);
    const retries = await worlds.scheduled(
      world,
      deliveries.map(({ application, eventId }) => dueKey(application, DELIVER_AGAIN, eventId)),
    );
    const isRetried = new Set(retries.map(({ application, key }) => deliveryKey(application, key)));
    const events = await Promise.all(
      deliveries.map(({ eventId }) => worlds.eventsAbout(world, { by: 'id', value: eventId }, 0, 1).then(({ events }) => events[0])),
    );
    for (const [place, { application, eventId }] of deliveries.entries()) {
      const event = events[place];
      // An event that is not published yet is still in the outbox, or a fault withholds it.
      if (event && !isRetried.has(deliveryKey(application, eventId))) found.push({ application, event });
    }
  }
  return found.sort((one, other) => one.event.order - other.event.order);
}
