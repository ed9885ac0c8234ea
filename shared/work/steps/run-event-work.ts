import { absentApplication } from '../../catalog/problems.ts';
import type { Context } from '../../control/context.ts';
import { randomToken } from '../../domain/ids.ts';
import type { EstateEvent } from '../../events/envelope.ts';
import { deliveryKey } from '../../store/ports/deliveries.ts';
import { DELIVER_AGAIN, type DueItem, dueKey, PUBLISH_WITHHELD_EVENT } from '../../store/ports/due-work.ts';
import type { OutboxEntry } from '../../store/ports/outbox.ts';
import type { Plan } from '../../store/ports/plan.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { Delivery, LeasedItem } from '../job.ts';
import type { Step } from './step.ts';

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
      log.warn({ err: error, event: event.type, id: item.key, world, correlationId: event.correlationid }, 'consuming it again failed');
      await store.park(world, delivery, error instanceof Error ? error.message : String(error));
    }
    await endItem(job, []);
  }

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
