/** Entry point of `unified-commerce-estate/testcontainers`. */
export { ControlError, type EstateClient } from '../rehearsal/estate-client.ts';
export type { EstateEvent } from '../rehearsal/estate-event.ts';
export {
  ApiRefusal,
  type EstateCredentials,
  EstateRehearsal,
  type EventFilter,
  VerificationFailed,
} from '../rehearsal/estate-rehearsal.ts';
export type { HardenRun } from '../rehearsal/harden/run.ts';
export { type HardenChoices, HardenFailed, type HardenStory } from '../rehearsal/harden.ts';
export type { DryRun, Reply } from '../rehearsal/reply.ts';
export { EstateContainer, type LogLevel, StartedEstateContainer } from './estate-container.ts';
export { type EnsembleMember, EstateEnsemble, StartedEstateEnsemble } from './estate-ensemble.ts';
export { EstateStartError } from './start-failure.ts';
export type { StartedEstate, TouchpointAccess } from './started-estate.ts';
