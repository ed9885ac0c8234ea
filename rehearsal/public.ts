/** What `unified-commerce-estate` is for whoever imports it: a client of an estate that runs, wherever it runs. */
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
