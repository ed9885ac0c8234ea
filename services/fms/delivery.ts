import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { fulfillmentOrders, type StoredFulfillmentOrder, type Tracking, trackings } from './collections.ts';
import { giveUpDeliveryDue, restockDue } from './due-work.ts';
import { GIVE_UP_MS } from './timing.ts';
import { isNews, type TrackingScan, verbOf } from './tracking-rules.ts';

type Copies = Pick<StoredFulfillmentOrder, 'shipments'>;

/** Books a carrier's scan: our copy of the parcel, and the fulfillment order. One that is repeated or late changes nothing. */
export function scanned(
  work: UnitOfWork,
  found: StoredFulfillmentOrder,
  { tracking, scan }: { tracking: Tracking; scan: TrackingScan },
): void {
  const copy = found.shipments.find(({ id }) => id === tracking.id);
  if (!copy || !isNews(copy.state, tracking, scan)) return;
  const deliveryAttempts = tracking.deliveryAttempts + (scan.status === 'delivery-attempted' ? 1 : 0);
  const trackingNumber = copy.trackingNumber ?? scan.trackingNumber;
  const numbered = trackingNumber !== undefined && { trackingNumber };
  work.put(trackings, { ...tracking, ...numbered, newestScanAt: scan.occurredAt, deliveryAttempts });
  // What is scanned has a label, whoever made it.
  const next = { ...copy, ...numbered, state: scan.status, labelStatus: 'ready' as const };
  const shipments = found.shipments.map((one) => (one.id === tracking.id ? next : one));
  follow(work, found, { shipments, status: scan.status, attempts: deliveryAttempts });
}

function follow(
  work: UnitOfWork,
  found: StoredFulfillmentOrder,
  { shipments, status, attempts }: Copies & { status: TrackingScan['status']; attempts: number },
): void {
  const verb = verbOf(found, status, attempts);
  switch (verb) {
    case 'return-to-sender':
      returned(work, found, { shipments });
      return;
    case 'deliver':
    case 'redeliver':
      work.cancel(giveUpDeliveryDue, found.id);
      work.transition(fulfillmentOrders, found, verb, { shipments, failureReason: undefined });
      return;
    case 'fail-delivery':
      failed(work, found, { verb, shipments, lost: status === 'lost' });
      return;
    case 'note':
      // Given up by time, which says nothing of where its goods are; now the parcel does.
      if (status === 'returned-to-sender' && found.state === 'returned-to-sender') restockBeforeReply(work, found);
      if (found.state === 'failed-delivery') failed(work, found, { verb, shipments, lost: status === 'lost' });
      else work.transition(fulfillmentOrders, found, 'note', { shipments });
  }
}

/** While nobody took it, each scan begins the week anew; what is lost waits for nothing but being found. */
function failed(
  work: UnitOfWork,
  found: StoredFulfillmentOrder,
  { verb, shipments, lost }: Copies & { verb: 'fail-delivery' | 'note'; lost: boolean },
): void {
  if (lost) work.cancel(giveUpDeliveryDue, found.id);
  else work.schedule(giveUpDeliveryDue, found.id, work.now + GIVE_UP_MS, {});
  work.transition(fulfillmentOrders, found, verb, { shipments, failureReason: lost ? 'lost' : 'delivery-attempts' });
}

/** It is back: its goods are on hand again before anybody reads of it, or as soon as that can be had. */
function returned(work: UnitOfWork, found: StoredFulfillmentOrder, patch: Copies): void {
  work.cancel(giveUpDeliveryDue, found.id);
  restockBeforeReply(work, found);
  work.transition(fulfillmentOrders, found, 'return-to-sender', patch);
}

function restockBeforeReply(work: UnitOfWork, { id }: StoredFulfillmentOrder): void {
  work.schedule(restockDue, id, work.now, {}, { beforeReply: true });
}
