import { instant, NEVER } from '../../shared/domain/time.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { type DueItem, PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { OutboxEntry } from '../../shared/store/ports/outbox.ts';

/** The event that a fault keeps; undefined when what it keeps is a webhook. */
export function heldEvent({ kind, payload }: DueItem): EstateEvent | undefined {
  return kind === PUBLISH_WITHHELD_EVENT ? (JSON.parse((payload as OutboxEntry).json) as EstateEvent) : undefined;
}

/** What a fault keeps, as it is shown. */
export function withheld(item: DueItem) {
  const event = heldEvent(item);
  return {
    what: event ? ('event' as const) : ('webhook' as const),
    id: item.key,
    ...(event && { type: event.type, subject: event.subject }),
    fault: item.withheldBy ?? '',
    ...(item.at < NEVER && { until: instant(item.at) }),
  };
}
