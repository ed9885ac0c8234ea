import { randomToken } from '../domain/ids.ts';
import type { World } from '../domain/world.ts';
import { type Observer, UNOBSERVED } from '../observability/observer.ts';
import type { Logger } from '../process/logger.ts';
import type { Batch, OutboxStore } from '../store/ports/outbox.ts';
import { isStoreAway } from '../store/store-away.ts';
import type { Bus } from './bus.ts';
import type { Divert } from './event-faults.ts';
import { createPublishing } from './publishing.ts';

/** Wall time between two searches for outboxes whose relay died. */
const SWEEP_MS = 1_000;

export interface RelayOptions {
  readonly store: OutboxStore;
  readonly bus: Bus;
  readonly log: Logger;
  /** Applies faults to a batch. Default: everything is sent unchanged. */
  readonly divert?: Divert;
  readonly observer?: Observer;
}

/** A run empties the outbox of one world. */
interface OutboxRun {
  /** Whether a commit may have added events since the last batch was read. */
  mayHaveMore: boolean;
}

/**
 * Moves committed events of an application from its outbox to the bus: one batch at a time per world, acknowledged after it is sent. `kick`
 * is called after every commit. A running relay picks up new events.
 */
export function createRelay({ store, bus, log, divert = sendUnchanged, observer = UNOBSERVED }: RelayOptions) {
  const token = randomToken();
  const runs = new Map<World, OutboxRun>();
  const ending = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const publish = createPublishing({ application: store.application, bus, log, observer, stopping: signal });

  async function run(world: World, outboxRun: OutboxRun, first: Batch | undefined): Promise<void> {
    try {
      await emptyOutbox(world, outboxRun, first);
    } catch (error) {
      // Unsent events stay in the outbox. Releasing the lease lets another relay continue without waiting.
      if (signal.aborted) await store.drain(world, { token, isStopping: true });
      throw error;
    }
  }

  /** Runs until the outbox is empty, or, when stopping, until the current batch is sent. */
  async function emptyOutbox(world: World, outboxRun: OutboxRun, first: Batch | undefined): Promise<void> {
    let batch = first ?? (await nextBatch(world));
    for (;;) {
      while (batch) batch = await send(world, batch);
      if (!outboxRun.mayHaveMore || signal.aborted) return;
      outboxRun.mayHaveMore = false;
      batch = await nextBatch(world);
    }
  }

  const nextBatch = (world: World): Promise<Batch | undefined> => store.drain(world, { token, isStopping: signal.aborted });

  /** @returns the next batch */
  async function send(world: World, batch: Batch): Promise<Batch | undefined> {
    const diverted = await divert(world, batch);
    await publish(world, diverted.send);
    const inBatch = new Set(batch.entries);
    const sent = diverted.send.map((entry) => (inBatch.has(entry) ? entry.id : entry));
    return store.drain(world, { token, sent, withheld: diverted.withhold, isStopping: signal.aborted });
  }

  let lastFailure: string | undefined;
  const sweep = (): void => {
    store
      .unsent()
      .then((worlds) => {
        lastFailure = undefined;
        for (const world of worlds) relay.kick(world);
      })
      .catch((error: unknown) => {
        const failure = error instanceof Error ? error.message : String(error);
        const level = isStoreAway(error) ? 'debug' : 'warn';
        // Consecutive failures with the same message are logged once.
        if (failure !== lastFailure) log[level]({ err: error, application: store.application }, 'searching for unsent events failed');
        lastFailure = failure;
      });
  };
  const sweeping = setInterval(sweep, SWEEP_MS);
  sweeping.unref();

  const relay = {
    /** Leases outboxes. */
    token,
    /** @param batch the next events, when the commit has leased the outbox */
    kick(world: World, batch?: Batch): void {
      const running = runs.get(world);
      if (running) {
        // This batch is not used: a running batch whose lease has expired may have the same events. The events are read again after it.
        running.mayHaveMore = true;
        return;
      }
      if (signal.aborted && !batch) return;
      const outboxRun = { mayHaveMore: false };
      runs.set(world, outboxRun);
      const ended = run(world, outboxRun, batch)
        .catch((error: unknown) =>
          log.warn({ err: error, application: store.application, world }, 'relaying events failed; the next commit continues'),
        )
        .finally(() => {
          runs.delete(world);
          ending.delete(ended);
          if (outboxRun.mayHaveMore) relay.kick(world);
        });
      ending.add(ended);
    },
    /** Sends and acknowledges the current batch. The rest stays in the outbox, free for another relay. */
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(sweeping);
      await Promise.all(ending);
    },
  };
  // An earlier process may have left unsent events.
  sweep();
  return relay;
}

const sendUnchanged: Divert = async (_world, { entries }) => ({ send: entries, withhold: [] });

export type Relay = ReturnType<typeof createRelay>;
