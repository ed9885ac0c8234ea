import { LRUCache } from 'lru-cache';
import { EVENT_CONTENT_TYPE, nameOf } from '../catalog/event-names.ts';
import { subscribersOf } from '../catalog/subscriptions.ts';
import { eventHead } from '../domain/event-head.ts';
import { randomToken } from '../domain/ids.ts';
import { errorMessage } from '../domain/text.ts';
import { rehearsalOf, type World } from '../domain/world.ts';
import { type Observer, UNOBSERVED } from '../observability/observer.ts';
import { sendSpan } from '../observability/spans.ts';
import type { Logger } from '../process/logger.ts';
import { pause } from '../process/waiting.ts';
import { SETTLING_MS, type Settling } from '../store/ports/due-work.ts';
import { jsonForClients } from '../store/ports/objects.ts';
import { BATCH_SIZE, type Batch, type OutboxEntry, type OutboxStore, type RelayProgress } from '../store/ports/outbox.ts';
import type { Plan } from '../store/ports/plan.ts';
import type { Turns } from '../store/ports/turns.ts';
import { isStoreUnavailable } from '../store/store-unavailable.ts';
import { type Bus, type BusMessage, CHANGED_BY_HEADER, TYPE_HEADER } from './bus.ts';
import type { EstateEvent } from './envelope.ts';
import type { Divert } from './event-faults.ts';

/** Wall time between two searches for outboxes whose relay died. */
const SWEEP_MS = 1_000;
const MOST_AWAITED = 1_000;

interface RelayOptions {
  readonly store: OutboxStore;
  readonly bus: Bus;
  readonly log: Logger;
  /** Applies faults to a batch. Default: everything is sent unchanged. */
  readonly divert?: Divert;
  readonly observer?: Observer;
  readonly settling?: Settling;
  /** Decides when the events of worlds with a seed are sent. */
  readonly turns?: Turns | undefined;
}

/** A run empties the outbox of one world. */
interface OutboxRun {
  /** Whether a commit may have added events since the last batch was read. */
  mayHaveMore: boolean;
  /** Whether an application waits for such events. */
  isAwaited?: boolean;
  /** The batch that waits for further events. */
  lingering?: Lingering | undefined;
}

interface Lingering {
  batch: Batch;
  readonly end: () => void;
}

/**
 * Moves committed events of an application from its outbox to the bus: one batch at a time per world, acknowledged after it is sent. `kick`
 * is called after every commit. A running relay picks up new events.
 */
export function createRelay({ store, bus, log, divert = sendUnchanged, observer = UNOBSERVED, settling, turns }: RelayOptions) {
  const token = randomToken();
  const runs = new Map<World, OutboxRun>();
  const ending = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const leaveTurns = turns?.addRelay(store.application, (world) => begin(world));
  /** A client or an application waits for events of these worlds. */
  const awaited = new LRUCache<World, true>({ max: MOST_AWAITED, ttl: SETTLING_MS, ttlAutopurge: true });
  const leaveSettling = bus.lingerMs === undefined ? undefined : settling?.watchSettling(hurry);
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

  function begin(world: World, batch?: Batch): Promise<void> {
    const outboxRun: OutboxRun = { mayHaveMore: false };
    runs.set(world, outboxRun);
    const ended = run(world, outboxRun, batch)
      .catch((error: unknown) =>
        log.warn({ err: error, application: store.application, world }, 'relaying events failed; the next commit continues'),
      )
      .finally(() => {
        runs.delete(world);
        ending.delete(ended);
        if (outboxRun.isAwaited) hurryOther(world);
        if (outboxRun.mayHaveMore) relay.kick(world);
      });
    ending.add(ended);
    return ended;
  }

  /** Runs until the outbox is empty, or, when stopping, until the current batch is sent. */
  async function emptyOutbox(world: World, outboxRun: OutboxRun, first: Batch | undefined): Promise<void> {
    let batch = first ?? (await drain(world, outboxRun));
    for (;;) {
      while (batch) {
        const gathered = await gather(world, outboxRun, batch);
        batch = gathered && (await send(world, outboxRun, gathered));
      }
      if (!outboxRun.mayHaveMore || signal.aborted) return;
      batch = await drain(world, outboxRun);
    }
  }

  /** @returns the next batch, with all events that were committed before this call */
  async function drain(
    world: World,
    outboxRun: OutboxRun,
    progress?: Omit<RelayProgress, 'token' | 'isStopping'>,
  ): Promise<Batch | undefined> {
    const { isAwaited = false } = outboxRun;
    outboxRun.mayHaveMore = false;
    outboxRun.isAwaited = false;
    const batch = await store.drain(world, { token, ...progress, isStopping: signal.aborted });
    if (!batch && !progress && isAwaited) hurryOther(world);
    return batch;
  }

  /** Another relay has the lease, and may gather events. Without the announcement, it sends them a moment later. */
  function hurryOther(world: World): void {
    settling?.announceSettling(world).catch(() => undefined);
  }

  function hurry(world: World): void {
    awaited.set(world, true);
    runs.get(world)?.lingering?.end();
  }

  /**
   * Waits for further events while nobody waits for the batch.
   * @returns the batch with the events that were added; undefined when another relay has sent it
   */
  async function gather(world: World, outboxRun: OutboxRun, batch: Batch): Promise<Batch | undefined> {
    const leftMs = lingerOf(world, batch);
    if (leftMs <= 0) return batch;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const lingering: Lingering = { batch, end };
    outboxRun.lingering = lingering;
    const timer = setTimeout(end, leftMs);
    await ended;
    clearTimeout(timer);
    outboxRun.lingering = undefined;
    if (!outboxRun.mayHaveMore || signal.aborted) return lingering.batch;
    const all = await drain(world, outboxRun);
    // The new fault is for the later events.
    return all && all.faults > 0 ? lingering.batch : all;
  }

  /** The wall time that a batch may wait. */
  function lingerOf(world: World, { entries, faults }: Batch): number {
    const { lingerMs = 0 } = bus;
    if (lingerMs === 0 || signal.aborted || faults > 0 || turns?.isOrdered(world) || entries.length >= BATCH_SIZE) return 0;
    if (awaited.has(world) || entries.some(hasSubscriber)) return 0;
    const [{ committedAt = 0 } = {}] = entries;
    return Math.min(lingerMs, committedAt + lingerMs - Date.now());
  }

  /** Adds events to a lingering batch. @returns false when the batch does not continue it, or when a fault was set that is for later events */
  function addTo(world: World, lingering: Lingering, batch: Batch): boolean {
    const { entries: held } = lingering.batch;
    if (batch.faults > 0 || batch.entries[0]?.id !== held[0]?.id || batch.entries.length <= held.length) return false;
    lingering.batch = batch;
    if (lingerOf(world, batch) <= 0) lingering.end();
    return true;
  }

  /** @returns the next batch */
  async function send(world: World, outboxRun: OutboxRun, batch: Batch): Promise<Batch | undefined> {
    const diverted = await divert(world, batch);
    await publish(
      world,
      diverted.send.filter((entry) => jsonForClients(entry) !== undefined),
    );
    const inBatch = new Set(batch.entries);
    const sent = diverted.send.map((entry) => (inBatch.has(entry) ? entry.id : entry));
    return drain(world, outboxRun, { sent, withheld: diverted.withhold });
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
        const failure = errorMessage(error);
        const level = isStoreUnavailable(error) ? 'debug' : 'warn';
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
      if (turns?.isOrdered(world)) {
        turns.wakeRelay(world, store.application);
        return;
      }
      const running = runs.get(world);
      if (running?.lingering && batch && addTo(world, running.lingering, batch)) return;
      if (running) {
        running.lingering?.end();
        // This batch is not used: a running batch whose lease has expired may have the same events. The events are read again after it.
        running.mayHaveMore = true;
        return;
      }
      if (signal.aborted && !batch) return;
      void begin(world, batch);
    },
    /** Events that wait for others, while a commit may add some: a list, empty without any; undefined while events are sent. */
    holds(world: World): readonly OutboxEntry[] | undefined {
      if (!bus.lingerMs) return undefined;
      const running = runs.get(world);
      return running ? running.lingering?.batch.entries : [];
    },
    /** Called after a commit that named this relay. */
    committed(world: World, { relay: named, events }: Pick<Plan, 'relay' | 'events'>, { batch }: { readonly batch?: Batch }): void {
      if (batch) relay.kick(world, batch);
      if (batch || !named || !bus.lingerMs || !events.some(({ subscribers }) => subscribers.length > 0)) return;
      const running = runs.get(world);
      if (!running) hurryOther(world);
      else {
        running.mayHaveMore = true;
        running.isAwaited = true;
      }
    },
    /** Sends and acknowledges the current batch. The rest stays in the outbox, free for another relay. */
    async stop(): Promise<void> {
      stopping.abort();
      for (const { lingering } of runs.values()) lingering?.end();
      clearInterval(sweeping);
      leaveTurns?.();
      leaveSettling?.();
      await Promise.all(ending);
    },
  };
  // An earlier process may have left unsent events.
  sweep();
  return relay;
}

const hasSubscriber = ({ json }: OutboxEntry): boolean => {
  const { type } = eventHead(json);
  return type === undefined || subscribersOf(nameOf(type)).length > 0;
};

const sendUnchanged: Divert = async (_world, { entries }) => ({ send: entries, withhold: [] });

export type Relay = ReturnType<typeof createRelay>;

/** Wall time between two attempts to publish a batch. */
const RETRY_MS = 1_000;

interface PublishingOptions {
  readonly application: string;
  readonly bus: Bus;
  readonly log: Logger;
  readonly observer: Observer;
  /** Aborted when the relay stops. */
  readonly stopping: AbortSignal;
}

/** Publishes events of a world, in this order. @throws Error when the relay stops before the bus has accepted them */
type Publish = (world: World, events: readonly OutboxEntry[]) => Promise<void>;

/** Publishes until the bus accepts the events, because a broker may be down for hours. */
function createPublishing({ application, bus, log, observer, stopping }: PublishingOptions): Publish {
  let isFailing = false;

  /** Logs only the first failure and the recovery, because every world retries once a second. */
  function noteFailure(world: World, error: unknown): void {
    const level = isFailing ? 'debug' : 'warn';
    isFailing = true;
    log[level]({ err: error, application, world }, 'publishing events failed; they stay in the outbox');
  }

  function noteSuccess(): void {
    if (isFailing) log.info({ application }, 'publishing events succeeded again');
    isFailing = false;
  }

  return async (world, events) => {
    if (events.length === 0) return;
    const { tracer } = observer;
    const spans = tracer
      ? events.map(({ topic, key, json }) => tracer.start(sendSpan(application, topic, key, JSON.parse(json) as EstateEvent)))
      : [];
    const messages = events.map((event, place) => messageOf(world, event, spans[place]?.traceparent));
    for (;;) {
      try {
        await bus.publish(messages);
        observer.published(events);
        noteSuccess();
        for (const span of spans) span.end();
        return;
      } catch (error) {
        observer.publishingFailed();
        noteFailure(world, error);
        if (stopping.aborted) {
          for (const span of spans) span.end('unsent');
          throw error;
        }
        await pause(RETRY_MS, stopping);
      }
    }
  };
}

export function messageOf(
  world: World,
  entry: Pick<OutboxEntry, 'id' | 'topic' | 'key' | 'json' | 'hop' | 'outside' | 'changedBy'>,
  traceparent?: string,
): BusMessage {
  const { id, topic, key, json, hop, changedBy } = entry;
  const { type } = eventHead(json);
  return {
    topic,
    key,
    json: jsonForClients(entry) ?? json,
    headers: {
      id,
      world,
      rehearsal: rehearsalOf(world),
      'content-type': EVENT_CONTENT_TYPE,
      ...(traceparent !== undefined && { traceparent }),
      ...(type !== undefined && { [TYPE_HEADER]: type }),
      ...(hop !== undefined && { hop }),
      ...(changedBy !== undefined && { [CHANGED_BY_HEADER]: changedBy }),
    },
  };
}
