import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { carrierWebhook } from '../../shared/catalog/fulfillment/apis.ts';
import { absentApplication, Problem } from '../../shared/catalog/problems.ts';
import type { ActiveFault, StrikeOptions } from '../../shared/control/faults.ts';
import { WEBHOOK_RETRY_MS, type WebhookOutcome, webhookWithheldUntil } from '../../shared/control/webhook-sender.ts';
import { instant } from '../../shared/domain/time.ts';
import { type ParsedDueItem, parsePayload } from '../../shared/work/due-work.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import { journeys, shipments, webhookEndpoints } from './collections.ts';
import { type Delivery, deliverWebhookDue, planNext } from './scans.ts';

const PATH = carrierWebhook.path;

/** Makes one attempt at a webhook. A 2xx is success, 410 ends all deliveries to the receiver, any other answer is repeated later. */
export const deliverWebhook = handleDue(deliverWebhookDue)(async ({ key, payload: delivery }, scope) => {
  const { work } = scope;
  const gone = await work.get(webhookEndpoints, PATH);
  const overtaken = gone ? [] : await overtakenBy(key, delivery, scope);
  const fault =
    gone || delivery.held ? undefined : await strike(delivery, scope, { overtakes: overtaken.length > 0, struck: { webhookId: key } });
  const withheldUntil = webhookWithheldUntil(fault, work.now);
  if (delivery.attempts === 0 && !delivery.held) await resumeJourney(delivery.shipmentId, scope);
  if (fault && withheldUntil !== undefined) {
    work.schedule(deliverWebhookDue, key, withheldUntil, { ...delivery, held: true }, { withheldBy: fault.name });
    return;
  }
  if (!gone) await attemptDelivery(key, delivery, scope, fault);
  for (const { key: late, payload: kept, correlationId } of overtaken)
    work.schedule(deliverWebhookDue, late, work.now, kept, { correlationId });
});

async function attemptDelivery(key: string, delivery: Delivery, { work, webhooks, log }: Scope, fault?: ActiveFault): Promise<void> {
  const outcome = await webhooks.send({ path: PATH, id: key, body: delivery.body }, fault);
  if (outcome.status >= 200 && outcome.status < 300) return;
  log.warn({ webhookId: key, attempt: delivery.attempts + 1, answer: answerOf(outcome) }, 'sending a webhook failed');
  if (outcome.status === 410) work.put(webhookEndpoints, { id: PATH, goneSince: instant(work.now) });
  else scheduleRetry(key, delivery, { work, outcome });
}

const strike = ({ body }: Delivery, { webhooks }: Scope, options: StrikeOptions): Promise<ActiveFault | undefined> =>
  webhooks.strike({ webhook: 'carrier', status: body.data.status }, options);

/** Deliveries of earlier scans of the same parcel that a fault withholds until this delivery is made. */
async function overtakenBy(key: string, { shipmentId }: Delivery, { webhooks }: Scope): Promise<readonly ParsedDueItem<Delivery>[]> {
  const { kind, payload } = deliverWebhookDue;
  const waiting = (await webhooks.overtakable()).map((item) => ({ ...item, payload: parsePayload(kind, payload, item.payload) }));
  return waiting.filter((job) => job.key !== key && job.payload.shipmentId === shipmentId);
}

const answerOf = (outcome: WebhookOutcome): string => ('error' in outcome ? `none (${outcome.error})` : String(outcome.status));

/** The last attempt fails the work, which is parked. @throws Problem after the last attempt */
function scheduleRetry(
  key: string,
  delivery: Delivery,
  { work, outcome }: Pick<Scope, 'work'> & { readonly outcome: WebhookOutcome },
): void {
  const asked = 'retryAfterSeconds' in outcome ? (outcome.retryAfterSeconds ?? 0) * 1_000 : 0;
  const failed = deliveryFailed(key, delivery.attempts + 1, outcome);
  const planned = WEBHOOK_RETRY_MS[delivery.attempts];
  if (planned === undefined) throw failed;
  const next: Delivery = { ...delivery, attempts: delivery.attempts + 1 };
  const isLastAttempt = next.attempts === WEBHOOK_RETRY_MS.length;
  work.schedule(deliverWebhookDue, key, work.now + Math.max(planned, asked), next, { awaits: absentApplication(failed), isLastAttempt });
}

/** No answer or a 5xx means that the receiver is unavailable. */
const deliveryFailed = (key: string, attempts: number, outcome: WebhookOutcome): Problem =>
  new Problem('dependency_error', `The webhook ${key} did not arrive in ${attempts} attempts; the last answer was ${answerOf(outcome)}.`, {
    dependency: 'fms',
    ...((outcome.status === 0 || outcome.status >= 500) && { undecided: true }),
  });

/** With progression `immediate`, the next scan follows the first attempt at the webhook of the previous one. */
async function resumeJourney(shipmentId: string, { work, context }: Scope): Promise<void> {
  if (progressionOf(context).carrier !== 'immediate') return;
  const shipment = await work.get(shipments, shipmentId);
  const journey = await work.get(journeys, shipmentId);
  if (shipment && journey?.open && journey.scanAt === undefined) await planNext(journey, { work, shipment, mode: 'immediate' });
}
