import { randomUUID } from 'node:crypto';
import { EVENT_CONTENT_TYPE } from '../catalog/event-names.ts';
import { rehearsalOf, type World } from '../domain/world.ts';
import { type Observer, type Span, type Tracer, UNOBSERVED } from '../observability/observer.ts';
import type { Logger } from '../process/logger.ts';
import { pause } from '../process/waiting.ts';
import type { OutboxEntry, OutboxStore, SentEvent, WithheldEvent } from '../store/ports/outbox.ts';
import type { Bus } from './bus.ts';
import type { EstateEvent } from './envelope.ts';
import type { Divert } from './event-faults.ts';

const RETRY_MS = 1_000;
/** How often outboxes are looked for whose relay died. */
const SWEEP_MS = 1_000;

export interface RelayOptions {
  readonly store: OutboxStore;
  readonly bus: Bus;
  readonly log: Logger;
  /** What faults make of a batch; without it everything is sent as it is. */
  readonly divert?: Divert;
  readonly observer?: Observer | undefined;
}

/**
 * Carries an application's committed events from its outbox to the bus: one awaited batch at a time per world, acknowledged after
 * it was sent. `kick` is called after every commit; a relay that is already at work picks up what was added meanwhile.
 */
export function createRelay({ store, bus, log, divert = sentAsItIs, observer = UNOBSERVED }: RelayOptions) {
  const working = new Map<World, { again: boolean }>();
  const runs = new Set<Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let failing = false;

  async function run(world: World, state: { again: boolean }): Promise<void> {
    const token = randomUUID();
    try {
      await carry(world, token, state);
    } catch (error) {
      // Unsent events stay in the outbox. Another relay need not wait for this lease to end.
      if (signal.aborted) await store.drain(world, token, [], [], false);
      throw error;
    }
  }

  /** Until the outbox is empty, or, for a process that stops, until the batch on its way is sent. */
  async function carry(world: World, token: string, state: { again: boolean }): Promise<void> {
    do {
      state.again = false;
      let sent: readonly SentEvent[] = [];
      let held: readonly WithheldEvent[] = [];
      for (;;) {
        const batch = await store.drain(world, token, sent, held, !signal.aborted);
        if (batch.length === 0) break;
        const diverted = await divert(world, batch);
        await publish(world, diverted.send);
        const inBatch = new Set(batch);
        sent = diverted.send.map((entry) => (inBatch.has(entry) ? entry.id : entry));
        held = diverted.hold;
      }
    } while (state.again && !signal.aborted);
  }

  async function publish(world: World, batch: readonly OutboxEntry[]): Promise<void> {
    if (batch.length === 0) return;
    const rehearsal = rehearsalOf(world);
    const { tracer } = observer;
    const spans = tracer && batch.map((entry) => sendSpan(tracer, store.application, entry));
    const messages = batch.map(({ id, topic, key, json }, place) => {
      const traceparent = spans?.[place]?.traceparent;
      return {
        topic,
        key,
        json,
        headers: { id, world, rehearsal, 'content-type': EVENT_CONTENT_TYPE, ...(traceparent !== undefined && { traceparent }) },
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

  /** A broker may be away for hours, and every world tries once a second: the first failure is worth a line, and the end of them. */
  function noteFailure(world: World, error: unknown): void {
    const level = failing ? 'debug' : 'warn';
    failing = true;
    log[level]({ err: error, application: store.application, world }, 'events could not be published; they stay in the outbox');
  }

  function noteSuccess(): void {
    if (failing) log.info({ application: store.application }, 'events are published again');
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
        // A store that is away for an hour is said once, not with every look.
        if (failure !== lastFailure) log.warn({ err: error, application: store.application }, 'looking for unsent events failed');
        lastFailure = failure;
      });
  };
  const sweeping = setInterval(sweep, SWEEP_MS);
  sweeping.unref();

  const relay = {
    kick(world: World): void {
      const at = working.get(world);
      if (at) {
        at.again = true;
        return;
      }
      if (signal.aborted) return;
      const state = { again: false };
      working.set(world, state);
      const running = run(world, state)
        .catch((error: unknown) =>
          log.warn({ err: error, application: store.application, world }, 'relay stopped early; the next commit goes on'),
        )
        .finally(() => {
          working.delete(world);
          runs.delete(running);
          if (state.again) relay.kick(world);
        });
      runs.add(running);
    },
    /** What is on its way is sent and acknowledged; the rest stays in the outbox, for any relay to take at once. */
    async stop(): Promise<void> {
      stopping.abort();
      clearInterval(sweeping);
      await Promise.all(runs);
    },
  };
  // What a process before this one left behind need not wait.
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

const sentAsItIs: Divert = async (_world, batch) => ({ send: batch, hold: [] });

export type Relay = ReturnType<typeof createRelay>;
