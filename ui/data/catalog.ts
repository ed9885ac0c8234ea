import { apis as publicApis } from '../../shared/catalog/apis.ts';
import { applications as owners } from '../../shared/catalog/applications.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { WebhookName, webhookTypes } from '../../shared/catalog/control/webhooks.ts';
import { type ApiDefinition, changesSomething, isMutating } from '../../shared/catalog/define.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { declineCodes } from '../../shared/catalog/payment/objects.ts';

/**
 * What pages need of the catalog. The bundler evaluates each `catalog.ts` of this folder and keeps its values, so the schemas and
 * their library do not travel to the browser.
 */

/** Method and path of each control operation. */
export const operations = Object.fromEntries(Object.values(controlOperations).map(({ id, method, path }) => [id, { method, path }]));

/** Titles. */
export const applications: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(owners).map(([id, { title }]) => [id, title]),
);

/** Public and internal APIs. */
export const apis = Object.fromEntries(
  ([...Object.values(publicApis), ...Object.values(internalCalls)] as readonly ApiDefinition[]).map((api) => {
    const { id, name, application, audience, auth, method, path } = api;
    return [id, { name, application, audience, auth, method, path, takesKey: isMutating(api), hasDryRun: changesSomething(api) }];
  }),
);
export type Api = (typeof apis)[string];

/** Why a payment is declined, by code. */
export const declines: Readonly<Record<string, string>> = declineCodes;

/** The pattern of a webhook's name, and the events that it can take. */
export const webhookRules = { name: WebhookName.toJSONSchema().pattern ?? '', types: webhookTypes };

/** Meanings of events. */
export const events: Readonly<Record<string, string>> = Object.fromEntries(allEvents.map(({ name, meaning }) => [name, meaning]));

/** The application that publishes an event: the owner of its object. */
export const publishers = Object.fromEntries(
  allEvents.map(({ name, object }) => [name, objects.find(({ type }) => type === object)?.owner]),
);
