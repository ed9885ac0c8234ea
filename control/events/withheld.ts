import { instant, NEVER } from '../../shared/domain/time.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { type DueItem, PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { OutboxEntry } from '../../shared/store/ports/outbox.ts';

/** @returns undefined when the item withholds a webhook */
export function withheldEvent({ kind, payload }: DueItem): EstateEvent | undefined {
  return kind === PUBLISH_WITHHELD_EVENT ? (JSON.parse((payload as OutboxEntry).json) as EstateEvent) : undefined;
}

/** A withheld event or webhook as operations answer it. */
export function describeWithheld(item: DueItem) {
  const event = withheldEvent(item);
  return {
    what: event ? ('event' as const) : ('webhook' as const),
    id: item.key,
    type: event?.type,
    subject: event?.subject,
    fault: item.withheldBy ?? '',
    until: item.at < NEVER ? instant(item.at) : undefined,
  };
}
