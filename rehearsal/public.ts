/** Entry point of the package `unified-commerce-estate`: a client of a running estate. */
export { ControlError, createEstateClient, type EstateClient, type EstateClientOptions, type Reply } from './estate-client.ts';
export {
  ApiRefusal,
  DEMO_CREDENTIALS,
  type EstateAccess,
  type EstateCredentials,
  type EstateEvent,
  EstateRehearsal,
  type EventFilter,
  VerificationFailed,
} from './estate-rehearsal.ts';
export { ExpectationFailed, type FaultRule, type OwnScenario as Scenario, type Stage, type Step } from './scenario.ts';
export type { ProblemBody, StepReply } from './step-reply.ts';
