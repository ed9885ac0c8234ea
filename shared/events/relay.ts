import { EVENT_CONTENT_TYPE } from '../catalog/event-names.ts';
import { eventHead } from '../domain/event-head.ts';
import { randomToken } from '../domain/ids.ts';
import { errorMessage } from '../domain/text.ts';
import { rehearsalOf, type World } from '../domain/world.ts';
import { type Observer, type Span, type Tracer, UNOBSERVED } from '../observability/observer.ts';
import type { Logger } from '../process/logger.ts';
import { pause } from '../process/waiting.ts';
import { jsonForClients } from '../store/ports/objects.ts';
import type { Batch, OutboxEntry, OutboxStore } from '../store/ports/outbox.ts';
import type { Turns } from '../store/ports/turns.ts';
import { isStoreUnavailable } from '../store/store-unavailable.ts';
import { type Bus, type BusMessage, CHANGED_BY_HEADER, TYPE_HEADER } from './bus.ts';
import type { EstateEvent } from './envelope.ts';
import type { Divert } from './event-faults.ts';

/** Wall time between two searches for outboxes whose relay died. */
const SWEEP_MS = 1_000;

interface RelayOptions {
  readonly store: OutboxStore;
  readonly bus: Bus;
  readonly log: Logger;
  /** Applies faults to a batch. Default: everything is sent unchanged. */
  readonly divert?: Divert;
  readonly observer?: Observer;
  /** Decides when the events of worlds with a seed are sent. */
  readonly turns?: Turns | undefined;
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
export function createRelay({ store, bus, log, divert = sendUnchanged, observer = UNOBSERVED, turns }: RelayOptions) {
  const token = randomToken();
  const runs = new Map<World, OutboxRun>();
  const ending = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const leaveTurns = turns?.addRelay(store.application, (world) => begin(world));
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
    return ended;
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
    await publish(
      world,
      diverted.send.filter((entry) => jsonForClients(entry) !== undefined),
    );
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
      if (running) {
        // This batch is not used: a running batch whose lease has expired may have the same events. The events are read again after it.
        running.mayHaveMore = true;
        return;
      }
      if (signal.aborted && !batch) return;
      void begin(world, batch);
    },
    /** Sends and acknowledges the current batch. The rest stays in the outbox, free for another relay. */
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(sweeping);
      leaveTurns?.();
      await Promise.all(ending);
    },
  };
  // An earlier process may have left unsent events.
  sweep();
  return relay;
}

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
    const spans = tracer ? events.map((event) => sendSpan(tracer, application, event)) : [];
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

function sendSpan(tracer: Tracer, application: string, { id, topic, key, json }: OutboxEntry): Span {
  const { type, source, subject, traceparent } = JSON.parse(json) as EstateEvent;
  return tracer.start({
    kind: 'producer',
    name: `send ${topic}`,
    parent: traceparent,
    attributes: {
      'messaging.system': 'kafka',
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.client.id': application,
      'messaging.destination.name': topic,
      'messaging.message.id': id,
      'messaging.kafka.message.key': key,
      'cloudevents.event_id': id,
      'cloudevents.event_source': source,
      'cloudevents.event_type': type,
      'cloudevents.event_subject': subject,
    },
  });
}
