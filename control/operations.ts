import { byId } from '../shared/catalog/by-id.ts';
import type { ControlId } from '../shared/catalog/control/operations.ts';
import type { BoundOperation } from './operate.ts';
import * as clock from './operations/clock.ts';
import * as disputes from './operations/disputes.ts';
import * as events from './operations/events.ts';
import * as explanations from './operations/explanations.ts';
import * as faults from './operations/faults.ts';
import * as journal from './operations/journal.ts';
import * as objects from './operations/objects.ts';
import * as outsideWorld from './operations/outside-world.ts';
import * as plays from './operations/plays.ts';
import * as progression from './operations/progression.ts';
import * as rehearsals from './operations/rehearsals.ts';
import * as runs from './operations/runs.ts';
import * as snapshots from './operations/snapshots.ts';
import * as story from './operations/story.ts';
import * as stream from './operations/stream.ts';
import * as swaps from './operations/swaps.ts';
import * as timelines from './operations/timelines.ts';
import * as topology from './operations/topology.ts';
import * as traces from './operations/traces.ts';
import * as verification from './operations/verification.ts';
import * as webhooks from './operations/webhooks.ts';

const exported = {
  ...clock,
  ...disputes,
  ...events,
  ...explanations,
  ...faults,
  ...journal,
  ...objects,
  ...outsideWorld,
  ...plays,
  ...progression,
  ...rehearsals,
  ...runs,
  ...snapshots,
  ...story,
  ...stream,
  ...swaps,
  ...timelines,
  ...topology,
  ...traces,
  ...verification,
  ...webhooks,
};
type Bound = Extract<(typeof exported)[keyof typeof exported], { readonly id: ControlId }>;

/** The operations by id; a missing one does not compile. */
export const operations: { readonly [Id in ControlId]: BoundOperation<Id> } = byId(
  Object.values(exported).filter((one): one is Bound => 'id' in one),
);
