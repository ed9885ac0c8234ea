import * as declared from '../../shared/catalog/control/operations/webhooks.ts';
import { CARRIER, WebhookName } from '../../shared/catalog/control/webhooks.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { operate } from '../operate.ts';

const named = operate(declared.putWebhook)(({ params: { name }, body }, { view, webhooks }) => webhooks.put(view, name, body));

/** The name stands first in the request, so it is validated before the body. */
export const putWebhook: typeof named = {
  ...named,
  prepare: (sent) => {
    checkName(sent.params['name'] ?? '');
    return named.prepare(sent);
  },
};

export const listWebhooks = operate(declared.listWebhooks)(async (_input, { view, webhooks }) => ({ items: await webhooks.list(view) }));

export const readWebhook = operate(declared.readWebhook)(({ params: { name } }, { view, webhooks }) => webhooks.read(view, name));

export const deleteWebhook = operate(declared.deleteWebhook)(async ({ params: { name } }, { view, webhooks }) => {
  await webhooks.remove(view, name);
  return null;
});

export const rotateWebhookSecret = operate(declared.rotateWebhookSecret)(({ params: { name }, body }, { view, webhooks }) =>
  webhooks.rotate(view, name, durationMs(body.keepOldFor)),
);

export const listWebhookDeliveries = operate(declared.listWebhookDeliveries)(({ params: { name }, query }, { view, webhooks }) =>
  webhooks.deliveries(view, name, query),
);

export const redeliverWebhook = operate(declared.redeliverWebhook)(({ params: { name, id } }, { view, webhooks }) =>
  webhooks.redeliver(view, name, id),
);

/** @throws Problem validation_failed */
function checkName(name: string): void {
  if (WebhookName.safeParse(name).success) return;
  const remedy =
    name === CARRIER
      ? 'Faults use this name for the webhooks of the carrier: choose another one.'
      : 'A webhook’s name has lower-case letters, digits and hyphens, does not begin with a hyphen, and has at most 40 characters.';
  throw invalid('{name}', 'invalid_name', remedy);
}
