import { carrierWebhook } from '../../../shared/catalog/fulfillment/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { DueHandler, Scope } from '../../../shared/contract/handler.ts';
import { instant } from '../../../shared/simulation/context.ts';
import { progressionOf } from '../../../shared/simulation/progression.ts';
import type { WebhookOutcome } from '../../../shared/simulation/webhook-sender.ts';
import { journeys, shipments, webhookEndpoints } from '../collections.ts';
import { planNext } from '../journey.ts';
import { RETRY_AFTER_MS } from '../timing.ts';
import { DELIVER_WEBHOOK, type Delivery } from '../webhook-delivery.ts';

const PATH = carrierWebhook.path;

/** One attempt to tell the receiver of a scan: only a 2xx ends it well, 410 ends all of them, anything else is repeated later. */
export const deliverWebhook: DueHandler = async ({ key, payload }, scope) => {
  const { work, log } = scope;
  const delivery = payload as Delivery;
  if (delivery.attempts > RETRY_AFTER_MS.length) throw givenUp(key, delivery);
  const outcome = (await work.get(webhookEndpoints, PATH))
    ? undefined
    : await scope.webhooks.send({ path: PATH, id: key, body: delivery.body });
  if (delivery.attempts === 0) await goOn(delivery.shipmentId, scope);
  if (!outcome || (outcome.status >= 200 && outcome.status < 300)) return;
  log.warn({ webhookId: key, attempt: delivery.attempts + 1, answer: answerOf(outcome) }, 'a webhook did not arrive');
  if (outcome.status === 410) work.put(webhookEndpoints, { id: PATH, goneSince: instant(work.now) });
  else tryAgain(key, delivery, { work, outcome });
};

const answerOf = (outcome: WebhookOutcome): string => ('error' in outcome ? outcome.error : String(outcome.status));

/** After the last attempt it comes up once more, only to be parked where everybody sees it. */
function tryAgain(key: string, delivery: Delivery, { work, outcome }: Pick<Scope, 'work'> & { readonly outcome: WebhookOutcome }): void {
  const asked = 'retryAfterSeconds' in outcome ? (outcome.retryAfterSeconds ?? 0) * 1_000 : 0;
  const planned = RETRY_AFTER_MS[delivery.attempts];
  const next: Delivery = { ...delivery, attempts: delivery.attempts + 1, lastAnswer: answerOf(outcome) };
  work.due(DELIVER_WEBHOOK, key, planned === undefined ? work.now : work.now + Math.max(planned, asked), next);
}

const givenUp = (key: string, { attempts, lastAnswer }: Delivery): Problem =>
  new Problem('dependency_error', `The webhook ${key} did not arrive in ${attempts} attempts; the last answer was ${lastAnswer}.`, {
    dependency: 'fms',
  });

/** A carrier that scans at once does so when its receiver had the chance to hear of the scan before. */
async function goOn(shipmentId: string, { work, context }: Scope): Promise<void> {
  if (progressionOf(context).carrier !== 'immediate') return;
  const shipment = await work.get(shipments, shipmentId);
  const journey = await work.get(journeys, shipmentId);
  if (shipment && journey?.open && journey.scanAt === undefined) await planNext(journey, { work, shipment, mode: 'immediate' });
}
