/** Entry point of the package `unified-commerce-estate`: a client of a running estate. */

export { PathRefused } from '../shared/transport/path.ts';
export type { ApiInput, ApiOutput, BusinessObject, EventName, ObjectType, TypedApiId } from './call-types.ts';
export { ConnectionError, ControlError, createEstateClient, type EstateClient, type EstateClientOptions } from './estate-client.ts';
export type { EstateEvent } from './estate-event.ts';
export {
  ApiRefusal,
  DEMO_CREDENTIALS,
  type EstateAccess,
  type EstateCredentials,
  EstateRehearsal,
  type EventFilter,
  VerificationFailed,
} from './estate-rehearsal.ts';
export type { HardenRun } from './harden/run.ts';
export { type HardenChoices, HardenFailed, type HardenStory, harden } from './harden.ts';
export type { Answer, DryRun, ProblemBody, Refusal, Reply, StepReply } from './reply.ts';
export { ExpectationFailed, type FaultRule, type OwnScenario as Scenario, type Stage, type Step } from './scenario.ts';
