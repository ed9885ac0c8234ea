import { nameOf } from '../../catalog/event-names.ts';
import { digest } from '../../domain/ids.ts';
import { deliveryKey } from '../../store/ports/deliveries.ts';
import type { ApplicationParts } from '../application-parts.ts';
import type { EventHandler } from '../handler.ts';
import type { Delivery, UnitJob } from '../job.ts';
import type { Step } from './step.ts';

export interface FencedDelivery extends Delivery, UnitJob {
  readonly handler: EventHandler;
}

/** Fences the commits with the delivery, which the last one removes from the ledger: an event that arrives twice has one effect. */
export const fenceDelivery =
  ({ service, application }: ApplicationParts): Step<Delivery, FencedDelivery, void> =>
  async (job, rest) => {
    const { id, type } = job.event;
    const handler = service.events[nameOf(type)];
    if (!handler) throw new Error(`${application} does not consume ${type}.`);
    const unit = {
      fence: { kind: 'delivery', key: deliveryKey(application, id) },
      key: digest('event', application, id),
      since: job.context.now,
      causation: id,
    } as const;
    return rest({ ...job, handler, unit });
  };
