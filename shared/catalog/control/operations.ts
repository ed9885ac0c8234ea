import { byId } from '../by-id.ts';
import { clockOperations } from './operations/clock.ts';
import { disputeOperations } from './operations/disputes.ts';
import { eventsOperations } from './operations/events.ts';
import { explanationsOperations } from './operations/explanations.ts';
import { faultsOperations } from './operations/faults.ts';
import { journalOperations } from './operations/journal.ts';
import { objectsOperations } from './operations/objects.ts';
import { outsideWorldOperations } from './operations/outside-world.ts';
import { playsOperations } from './operations/plays.ts';
import { progressionOperations } from './operations/progression.ts';
import { rehearsalsOperations } from './operations/rehearsals.ts';
import { runsOperations } from './operations/runs.ts';
import { sequencesOperations } from './operations/sequences.ts';
import { snapshotsOperations } from './operations/snapshots.ts';
import { storyOperations } from './operations/story.ts';
import { streamOperations } from './operations/stream.ts';
import { swapsOperations } from './operations/swaps.ts';
import { timelinesOperations } from './operations/timelines.ts';
import { topologyOperations } from './operations/topology.ts';
import { tracesOperations } from './operations/traces.ts';
import { verificationOperations } from './operations/verification.ts';
import { webhooksOperations } from './operations/webhooks.ts';

/** All operations. The OpenAPI document lists them in this order. */
export const controlOperations = byId([
  ...rehearsalsOperations,
  ...snapshotsOperations,
  ...clockOperations,
  ...eventsOperations,
  ...webhooksOperations,
  ...swapsOperations,
  ...topologyOperations,
  ...objectsOperations,
  ...explanationsOperations,
  ...timelinesOperations,
  ...playsOperations,
  ...progressionOperations,
  ...outsideWorldOperations,
  ...disputeOperations,
  ...faultsOperations,
  ...journalOperations,
  ...sequencesOperations,
  ...storyOperations,
  ...tracesOperations,
  ...verificationOperations,
  ...runsOperations,
  ...streamOperations,
]);

export type ControlId = keyof typeof controlOperations;
/** Operations whose answer is a stream. */
export type StreamId = {
  [Id in ControlId]: (typeof controlOperations)[Id] extends { readonly frames: unknown } ? Id : never;
}[ControlId];
/** Operations with one answer. */
export type CalledId = Exclude<ControlId, StreamId>;
