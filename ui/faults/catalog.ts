import { apis as publicApis } from '../../shared/catalog/apis.ts';
import { applications as owners } from '../../shared/catalog/applications.ts';
import { FaultName, faultKinds } from '../../shared/catalog/control/faults.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { TrackingStatus } from '../../shared/catalog/fulfillment/shipments.ts';
import { changesOf } from '../../shared/contract/drift/drift.ts';

/** What a fault can be set on, and the pattern of its name. The bundler evaluates this module, as `data/catalog.ts`. */
export const faultRules = {
  name: FaultName.toJSONSchema().pattern ?? '',
  kinds: faultKinds,
  events: allEvents.map(({ name }) => name),
  scans: TrackingStatus.options,
  /** What clients may get in place of an answer or an event: by API, application and event, and for registered webhooks. */
  changes: {
    api: Object.fromEntries(Object.keys(publicApis).map((api) => [api, changesOf({ api })])),
    application: Object.fromEntries(Object.keys(owners).map((application) => [application, changesOf({ application })])),
    event: Object.fromEntries(allEvents.map(({ name }) => [name, changesOf({ event: name })])),
    webhook: changesOf({ webhook: 'registered' }),
  },
};
