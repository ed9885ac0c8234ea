import { apis } from '../shared/catalog/apis.ts';
import { applications } from '../shared/catalog/applications.ts';
import { FaultName, faultKinds } from '../shared/catalog/control/faults.ts';
import { controlOperations } from '../shared/catalog/control/operations.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { allEvents } from '../shared/catalog/events.ts';
import { flows } from '../shared/catalog/flows.ts';
import { TrackingStatus } from '../shared/catalog/fulfillment/shipments.ts';
import { internalCalls } from '../shared/catalog/internal-calls.ts';
import { objects } from '../shared/catalog/objects.ts';

/** What the page needs of the catalog: it imports only types, so that the catalog does not travel to the browser. */
export const vocabulary = () => ({
  operations: Object.fromEntries(Object.values(controlOperations).map(({ id, method, path }) => [id, { method, path }])),
  applications: Object.fromEntries(Object.entries(applications).map(([id, { title }]) => [id, title])),
  flows: flows.map(({ number, title, onFailure }) => ({ number, title, onFailure })),
  apis: Object.fromEntries(
    ([...Object.values(apis), ...Object.values(internalCalls)] as readonly ApiDefinition[]).map(
      ({ id, name, application, audience, auth, method, path }) => [id, { name, application, audience, auth, method, path }],
    ),
  ),
  /** What faults can be set on. */
  faults: {
    name: FaultName.toJSONSchema().pattern ?? '',
    kinds: faultKinds,
    events: allEvents.map(({ name }) => name),
    scans: TrackingStatus.options,
  },
  events: Object.fromEntries(allEvents.map(({ name, meaning }) => [name, meaning])),
  /** The application that publishes an event: the owner of its object. */
  publishers: Object.fromEntries(allEvents.map(({ name, object }) => [name, objects.find(({ type }) => type === object)?.owner])),
});
export type Vocabulary = ReturnType<typeof vocabulary>;
