import { randomUUID } from 'node:crypto';
import { type Application, topicOf } from '../catalog/applications.ts';
import { nameOf } from '../catalog/event-names.ts';
import { allEvents } from '../catalog/events.ts';
import { objects } from '../catalog/objects.ts';
import { absentApplication, isProblem, Problem } from '../catalog/problems.ts';
import { consumedBy, subscriptionOf } from '../catalog/subscriptions.ts';
import { contextFor } from '../control/context.ts';
import { CONSUME } from '../control/journal.ts';
import { exceededLimit, JSON_KINDS, JSON_LEVELS, JSON_MEMBERS } from '../domain/json-limits.ts';
import { errorMessage } from '../domain/text.ts';
import type { Bus, DeadLetterCause, DeliveredEvent } from '../events/bus.ts';
import type { EstateEvent } from '../events/envelope.ts';
import { type Observer, traceIds, UNOBSERVED } from '../observability/observer.ts';
import type { Logger } from '../process/logger.ts';
import { pause } from '../process/waiting.ts';
import { BACKOFF_MS } from '../store/ports/due-work.ts';
import type { Store } from '../store/ports/estate-store.ts';
import { deliveryKey } from '../store/ports/outbox.ts';
import type { Directory, WorldView } from '../store/ports/rehearsals.ts';
import { WORK_DEADLINE_MS } from '../work/application-parts.ts';
import type { AnyService } from '../work/handler.ts';
import { type Delivery, type JournaledJob, newJournalNotes } from '../work/job.ts';
import type { Pipeline } from '../work/pipeline.ts';

/** After this many failures a delivery no longer delays others. It is postponed while another application is unavailable, otherwise parked. */
const MOST_ATTEMPTS = 5;
const [FIRST_RETRY_MS = 0] = BACKOFF_MS;
const FIRST_PAUSE_MS = 100;

interface ConsumerOptions {
  readonly service: AnyService;
  readonly store: Store;
  readonly bus: Bus;
  readonly directory: Directory;
  readonly pipeline: Pipeline;
  readonly log: Logger;
  readonly observer?: Observer;
}

/**
 * Subscribes an application to its events of the catalog. The effect and the end of the delivery are one commit, so an event that arrives
 * twice has one effect. Events of a world that was reset or deleted are dropped.
 */
export async function startConsumer(options: ConsumerOptions): Promise<{ stop(): Promise<void> } | undefined> {
  const { service, bus } = options;
  const consumed = consumedBy(service.application);
  for (const { name } of consumed) {
    if (!service.events[name]) throw new Error(`${service.application} is listed as subscriber of ${name} and has no handler for it.`);
  }
  if (consumed.length === 0) return undefined;
  const topics = new Set(
    consumed.flatMap(({ object }) => objects.filter(({ type }) => type === object).map(({ domain }) => topicOf(domain))),
  );
  const wanted = { topics: [...topics], isForOthers: (type: string) => isForOthers(type, service.application) };
  return bus.subscribe(service.application, wanted, (event) => consume(options, event));
}

const knownTypes: ReadonlySet<string> = new Set(allEvents.map(({ name }) => name));

/** Whether an event of the estate has other subscribers than this application. */
const isForOthers = (type: string, application: Application): boolean =>
  knownTypes.has(nameOf(type)) && subscriptionOf(nameOf(type), application) === undefined;

/** No event of the estate exceeds them. */
const LIMITS = { levels: JSON_LEVELS, named: JSON_MEMBERS, kinds: JSON_KINDS };

const FOREIGN: DeadLetterCause = {
  as: 'foreign',
  reason: `It is not JSON of at most ${JSON_LEVELS} levels, ${JSON_MEMBERS} members in one object and ${JSON_KINDS} different names or sequences of members, or the estate has no event of its type.`,
};

/** @returns undefined for anything else than an event of the estate: other programs may write to a shared bus */
function readEvent(json: string): EstateEvent | undefined {
  if (exceededLimit(json, LIMITS) !== undefined) return undefined;
  try {
    const event = JSON.parse(json) as Partial<EstateEvent> | null;
    return typeof event?.type === 'string' && knownTypes.has(nameOf(event.type)) ? (event as EstateEvent) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Consumes an event, with several attempts.
 * @returns the reason of a final refusal; undefined when it was consumed or has no subscriber here
 * @throws Problem when the store is unavailable or full
 */
async function consume(
  options: ConsumerOptions,
  { world, id, json, headers: { hop } }: DeliveredEvent,
): Promise<DeadLetterCause | undefined> {
  const { service, directory, store, pipeline, log, observer = UNOBSERVED } = options;
  const event = readEvent(json);
  if (!event) return FOREIGN;
  if (!subscriptionOf(nameOf(event.type), service.application)) return;
  const view = await directory.current(world);
  if (!view) return;
  const delivery = deliveryKey(service.application, id);
  // A real system may be slow, and events of other rehearsals must not wait for it: the clock of the rehearsal delivers to it.
  if (await pipeline.isSwapped(world)) {
    await store.postpone(world, delivery, { event: { id, json, hop }, at: view.now, awaits: service.application });
    return;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      const requestId = await arrivalId(view, directory, `${id}.${service.application}`);
      await pipeline.event(deliveryOf(service.application, { event, hop, requestId }, view));
      return;
    } catch (error) {
      // A delivery that the ledger does not list is already consumed: the bus delivers at least once.
      if (isProblem(error, 'contention') && !(await store.isPending(world, delivery))) return;
      const about = { event: event.type, id, attempt, world, correlationId: event.correlationid, ...traceIds(event.traceparent) };
      log.warn({ err: error, ...about }, 'consuming an event failed');
      // The event is valid: the bus redelivers it until the store is back.
      if (isOfStore(error)) throw error;
      if (attempt >= MOST_ATTEMPTS) {
        const awaits = absentApplication(error);
        if (awaits !== undefined) {
          await store.postpone(world, delivery, { event: { id, json, hop }, at: view.now + FIRST_RETRY_MS, awaits });
          return;
        }
        const reason = errorMessage(error);
        await store.park(world, delivery, reason);
        observer.parked(nameOf(event.type));
        return { as: 'parked', reason };
      }
      await pause(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

/** The store does not answer, or has no room for the effects of the event, here or at a called application. */
const isOfStore = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'store_full' || (error.status === 503 && error.context['dependency'] === 'store'));

/** Each arrival of an event is a separate hop. */
async function arrivalId({ world, seed }: WorldView, directory: Directory, delivery: string): Promise<string> {
  return `${delivery}.${seed === undefined ? randomUUID().slice(0, 8) : await directory.nextNumber(world, delivery)}`;
}

interface Arrival {
  readonly event: EstateEvent;
  /** The hop that emitted it. */
  readonly hop: string | undefined;
  readonly requestId: string;
}

/** One attempt at a delivery, in a separate context. */
function deliveryOf(application: Application, { event, hop, requestId }: Arrival, view: WorldView): Delivery & JournaledJob {
  const name = nameOf(event.type);
  return {
    event,
    context: contextFor(view, {
      principal: `event:${application}`,
      requestId,
      parentId: hop,
      correlationId: event.correlationid,
      traceparent: event.traceparent,
      withinMs: WORK_DEADLINE_MS,
    }),
    notes: newJournalNotes({ requestId }),
    path: event.subject,
    hop: { api: `event:${name}`, method: CONSUME, path: event.subject, started: performance.now(), answersData: false },
  };
}
