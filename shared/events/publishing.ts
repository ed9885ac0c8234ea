import { EVENT_CONTENT_TYPE } from '../catalog/event-names.ts';
import { eventHead } from '../domain/event-head.ts';
import { rehearsalOf, type World } from '../domain/world.ts';
import type { Observer, Span, Tracer } from '../observability/observer.ts';
import type { Logger } from '../process/logger.ts';
import { pause } from '../process/waiting.ts';
import type { OutboxEntry } from '../store/ports/outbox.ts';
import { type Bus, type BusMessage, TYPE_HEADER } from './bus.ts';
import type { EstateEvent } from './envelope.ts';

/** Wall time between two attempts to publish a batch. */
const RETRY_MS = 1_000;

export interface PublishingOptions {
  readonly application: string;
  readonly bus: Bus;
  readonly log: Logger;
  readonly observer: Observer;
  /** Aborted when the relay stops. */
  readonly stopping: AbortSignal;
}

/** Publishes events of a world, in this order. @throws Error when the relay stops before the bus has accepted them */
export type Publish = (world: World, events: readonly OutboxEntry[]) => Promise<void>;

/** Publishes until the bus accepts the events, because a broker may be down for hours. */
export function createPublishing({ application, bus, log, observer, stopping }: PublishingOptions): Publish {
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

function messageOf(world: World, { id, topic, key, json, hop }: OutboxEntry, traceparent: string | undefined): BusMessage {
  const { type } = eventHead(json);
  return {
    topic,
    key,
    json,
    headers: {
      id,
      world,
      rehearsal: rehearsalOf(world),
      'content-type': EVENT_CONTENT_TYPE,
      ...(traceparent !== undefined && { traceparent }),
      ...(type !== undefined && { [TYPE_HEADER]: type }),
      ...(hop !== undefined && { hop }),
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
