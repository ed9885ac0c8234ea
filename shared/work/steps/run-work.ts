import { nameOf } from '../../catalog/event-names.ts';
import { absentApplication, Problem } from '../../catalog/problems.ts';
import type { Context } from '../../control/context.ts';
import { digest, randomToken } from '../../domain/ids.ts';
import { errorMessage } from '../../domain/text.ts';
import type { EstateEvent } from '../../events/envelope.ts';
import { DELIVER_AGAIN, type DueItem, dueKey, PUBLISH_WITHHELD_EVENT } from '../../store/ports/due-work.ts';
import { deliveryKey, type OutboxEntry } from '../../store/ports/outbox.ts';
import type { Plan } from '../../store/ports/plan.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { RunningItem } from '../due-work.ts';
import type { PlacedDelivery } from '../elsewhere.ts';
import type { BoundDueWork, EventHandler } from '../handler.ts';
import type { CommittingJob, Delivery, LeasedItem, UnitJob, WithFigures } from '../job.ts';
import { RunScope } from '../scope.ts';
import { finish } from '../unit/commit.ts';
import type { DueBeforeReply } from '../unit/schedule.ts';
import { whyUnchanged } from './answer.ts';
import type { Step } from './step.ts';

export const consumeEvent =
  (parts: ApplicationParts) =>
  async (job: FencedDelivery & CommittingJob): Promise<void> => {
    const { event, handler } = job;
    const scope = new RunScope(parts, job);
    const result = await handler(event, scope);
    await finish(scope.work);
    job.notes.unchanged = whyUnchanged(job, result);
  };

const NO_CHANGE = { expect: [], put: [], unique: [], index: [], move: [], guard: [], events: [], due: [] } as const;

/** Runs due work that every application has: it publishes withheld events, and consumes parked deliveries again. */
export function runEventWork(parts: ApplicationParts, consume: (delivery: Delivery) => Promise<void>): Step<LeasedItem, LeasedItem, void> {
  const { application, store, log, relay, workDeadlineMs } = parts;

  /** An event returns to the outbox. Its deliveries are pending since its own commit. */
  async function publishWithheld(job: LeasedItem, item: DueItem): Promise<void> {
    const entry = { ...(item.payload as OutboxEntry), subscribers: [], struck: true } as const;
    await endItem(job, [entry]);
    relay.kick(job.context.world);
  }

  /** A delivery is retried once, then parked. While another application is unavailable, the clock's driver postpones it again. */
  async function deliverAgain(job: LeasedItem, item: DueItem): Promise<void> {
    const { notes } = job;
    const { world } = job.context;
    const event = JSON.parse((item.payload as OutboxEntry).json) as EstateEvent;
    const context: Context = {
      ...job.context,
      principal: `event:${application}`,
      correlationId: event.correlationid,
      deadline: Date.now() + workDeadlineMs,
    };
    try {
      await consume({ event, context, notes });
    } catch (error) {
      // A delivery that another attempt has consumed is neither postponed nor parked.
      const delivery = deliveryKey(application, item.key);
      if (absentApplication(error) !== undefined && (await store.isPending(world, delivery))) throw error;
      // Ending work that awaited an application would remove it from the parked work, so the driver parks it.
      if (item.awaits !== undefined && (await store.isPending(world, delivery))) throw asRefusal(error);
      log.warn({ err: error, event: event.type, id: item.key, world, correlationId: event.correlationid }, 'consuming it again failed');
      await store.park(world, delivery, errorMessage(error));
    }
    await endItem(job, []);
  }

  /** The driver parks the work of a problem, with its detail as the reason. */
  const asRefusal = (error: unknown): Problem => (error instanceof Problem ? error : new Problem('internal_error', errorMessage(error)));

  /** The commit that removes the item from the schedule. */
  async function endItem({ item: { kind, key }, token, context: { world, now } }: LeasedItem, events: Plan['events']): Promise<void> {
    const fence = { kind: 'due', key: dueKey(application, kind, key), token } as const;
    await store.commit(world, { ...NO_CHANGE, operation: randomToken(), last: true, now, fence, events });
  }

  const byKind = new Map([
    [PUBLISH_WITHHELD_EVENT, publishWithheld],
    [DELIVER_AGAIN, deliverAgain],
  ]);

  return async (job, rest) => {
    const { kind, key } = job.item;
    const run = byKind.get(kind);
    if (!run) return rest(job);
    const { world } = job.context;
    const item = await store.due(world, { kind, key, token: job.token });
    return item ? run(job, item) : store.releaseDue(world, { kind, key, token: job.token });
  };
}

export const runItem =
  (parts: ApplicationParts) =>
  async (job: FencedItem & CommittingJob): Promise<void> => {
    const scope = new RunScope(parts, job);
    await job.handler(job.item, scope);
    await finish(scope.work);
  };

interface FencedDelivery extends Delivery, UnitJob {
  readonly handler: EventHandler;
}

/** Fences the commits with the delivery, which the last one removes from the ledger: an event that arrives twice has one effect. */
export const fenceDelivery =
  ({ service, application }: ApplicationParts): Step<PlacedDelivery, FencedDelivery, void> =>
  async (job, rest) => {
    const { id, type } = job.event;
    const handler = job.instead ?? service.events[nameOf(type)];
    if (!handler) throw new Error(`${application} does not consume ${type}.`);
    const unit = {
      fence: { kind: 'delivery', key: deliveryKey(application, id) },
      key: digest('event', application, id),
      since: job.context.now,
      causation: id,
    } as const;
    return rest({ ...job, handler, unit });
  };

export interface FencedItem extends LeasedItem, UnitJob {
  readonly item: RunningItem;
  readonly handler: BoundDueWork['run'];
}

/** Fences the commits with the lease of the item, which the last one removes from the schedule. */
export const fenceItem =
  ({ service, application, store, workDeadlineMs }: ApplicationParts): Step<LeasedItem & WithFigures, FencedItem, void> =>
  async (job, rest) => {
    const { token } = job;
    const { kind, key } = job.item;
    const { world } = job.context;
    const handler = service.due[kind]?.run;
    if (!handler) throw new Error(`${application} has no due work of kind ${kind}.`);
    const item = job.committed ? committedItem(application, job.committed) : await store.due(world, { kind, key, token });
    // Cancelled, replaced or taken over before it began. It counts as running until its lease is released.
    if (!item) return store.releaseDue(world, { kind, key, token });
    const name = dueKey(application, kind, key);
    const context = {
      ...job.context,
      deadline: Date.now() + workDeadlineMs,
      correlationId: item.correlationId,
      traceparent: job.context.traceparent ?? item.traceparent,
    };
    const unit = {
      fence: { kind: 'due', key: name, token },
      key: digest('due', name, item.occasion ?? String(item.seq)),
      since: item.at,
    } as const;
    return rest({ ...job, context, item, handler, unit });
  };

/** The item as the store would return it. */
const committedItem = (
  application: RunningItem['application'],
  { kind, key, at, attempts = 0, correlationId, traceparent, hop, occasion, payload }: DueBeforeReply,
): RunningItem => {
  const content = { correlationId, traceparent, hop, occasion, payload: JSON.parse(payload) as unknown };
  return { application, kind, key, at, attempts, ...content };
};
