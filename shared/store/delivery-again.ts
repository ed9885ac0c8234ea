import type { Application } from '../catalog/applications.ts';
import { DELIVER_AGAIN } from './ports/due-work.ts';
import type { OutboxEntry } from './ports/outbox.ts';

/** The due work that retries a parked delivery `<application>|<event id>`. */
export function deliveryAgain(delivery: string, event: OutboxEntry) {
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
