import type { Application } from '../catalog/applications.ts';
import { DELIVER_AGAIN } from './ports/due-work.ts';
import type { OutboxEntry } from './ports/outbox.ts';

/** An event as a retried delivery keeps it. */
export type RetriedEvent = Pick<OutboxEntry, 'id' | 'json' | 'hop'>;

/** The due work that retries a delivery `<application>|<event id>`. */
export function deliveryAgain(delivery: string, event: RetriedEvent) {
  const { correlationid } = JSON.parse(event.json) as { readonly correlationid: string };
  return {
    application: delivery.slice(0, delivery.indexOf('|')) as Application,
    kind: DELIVER_AGAIN,
    key: event.id,
    correlationId: correlationid,
    hop: event.hop,
    payload: JSON.stringify(event),
  };
}
