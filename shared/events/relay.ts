import { EVENT_CONTENT_TYPE } from '../catalog/event-names.ts';
import { eventHead } from '../domain/event-head.ts';
import { randomToken } from '../domain/ids.ts';
import { rehearsalOf, type World } from '../domain/world.ts';
import { type Observer, type Span, type Tracer, UNOBSERVED } from '../observability/observer.ts';
import type { Logger } from '../process/logger.ts';
import { pause } from '../process/waiting.ts';
import type { Batch, OutboxEntry, OutboxStore } from '../store/ports/outbox.ts';
import { isStoreAway } from '../store/store-away.ts';
import { type Bus, TYPE_HEADER } from './bus.ts';
import type { EstateEvent } from './envelope.ts';
import type { Divert } from './event-faults.ts';

const RETRY_MS = 1_000;
/** Interval of the search for outboxes whose relay died. */
const SWEEP_MS = 1_000;

export interface RelayOptions {
  readonly store: OutboxStore;
  readonly bus: Bus;
  readonly log: Logger;
  /** Applies faults to a batch. Default: everything is sent unchanged. */
  readonly divert?: Divert;
  readonly observer?: Observer | undefined;
}

/**
 * Moves committed events of an application from its outbox to the bus: one batch at a time per world, acknowledged after it is sent. `kick`
 * is called after every commit. A relay that is already running also picks up events that were added meanwhile.
 */
export function createRelay({ store, bus, log, divert = sendUnchanged, observer = UNOBSERVED }: RelayOptions) {
  const token = randomToken();
  /** `again`: there may be further events. */
  const working = new Map<World, { again: boolean }>();
  const runs = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let failing = false;

  async function run(world: World, state: { again: boolean }, first: Batch | undefined): Promise<void> {
    try {
      await emptyOutbox(world, state, first);
    } catch (error) {
      // Unsent events stay in the outbox. Releasing the lease lets another relay continue at once.
      if (signal.aborted) await store.drain(world, { token, isStopping: true });
      throw error;
    }
  }

  /** Runs until the outbox is empty, or, when stopping, until the current batch is sent. */
  async function emptyOutbox(world: World, state: { again: boolean }, first: Batch | undefined): Promise<void> {
    let batch = first ?? (await nextBatch(world));
    for (;;) {
      while (batch) batch = await send(world, batch);
      if (!state.again || signal.aborted) return;
      state.again = false;
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

  async function publish(world: World, batch: readonly OutboxEntry[]): Promise<void> {
    if (batch.length === 0) return;
    const rehearsal = rehearsalOf(world);
    const { tracer } = observer;
    const spans = tracer && batch.map((entry) => sendSpan(tracer, store.application, entry));
    const messages = batch.map(({ id, topic, key, json, hop }, place) => {
      const traceparent = spans?.[place]?.traceparent;
      const { type } = eventHead(json);
      return {
        topic,
        key,
        json,
        headers: {
          ...{ id, world, rehearsal, 'content-type': EVENT_CONTENT_TYPE },
          ...(traceparent !== undefined && { traceparent }),
          ...(type !== undefined && { [TYPE_HEADER]: type }),
          ...(hop !== undefined && { hop }),
        },
      };
    });
    for (;;) {
      try {
        await bus.publish(messages);
        observer.published(batch);
        noteSuccess();
        for (const span of spans ?? []) span.end();
        return;
      } catch (error) {
        observer.publishingFailed();
        noteFailure(world, error);
        if (signal.aborted) {
          for (const span of spans ?? []) span.end('unsent');
          throw error;
        }
        await pause(RETRY_MS, signal);
      }
    }
  }

  /** A broker may be down for hours, and every world retries once a second: only the first failure and the recovery are logged. */
  function noteFailure(world: World, error: unknown): void {
    const level = failing ? 'debug' : 'warn';
    failing = true;
    log[level]({ err: error, application: store.application, world }, 'publishing events failed; they stay in the outbox');
  }

  function noteSuccess(): void {
    if (failing) log.info({ application: store.application }, 'publishing events succeeded again');
    failing = false;
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
        // Consecutive failures with the same message are logged once.
        if (failure !== lastFailure)
          log[isStoreAway(error) ? 'debug' : 'warn']({ err: error, application: store.application }, 'searching for unsent events failed');
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
      const at = working.get(world);
      if (at) {
        // The batch is not taken: a running one whose lease has ended may have the same events. They are asked for after it.
        at.again = true;
        return;
      }
      if (signal.aborted && !batch) return;
      const state = { again: false };
      working.set(world, state);
      const running = run(world, state, batch)
        .catch((error: unknown) =>
          log.warn({ err: error, application: store.application, world }, 'relaying events failed; the next commit continues'),
        )
        .finally(() => {
          working.delete(world);
          runs.delete(running);
          if (state.again) relay.kick(world);
        });
      runs.add(running);
    },
    /** Sends and acknowledges the current batch. The rest stays in the outbox, free for another relay. */
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(sweeping);
      await Promise.all(runs);
    },
  };
  // An earlier process may have left events behind.
  sweep();
  return relay;
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

const sendUnchanged: Divert = async (_world, { entries }) => ({ send: entries, withhold: [] });

export type Relay = ReturnType<typeof createRelay>;
