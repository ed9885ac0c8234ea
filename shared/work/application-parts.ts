import type { Agent } from 'undici';
import type { Context } from '../control/context.ts';
import { createFaults } from '../control/faults.ts';
import type { Relay } from '../events/relay.ts';
import { type Observer, UNOBSERVED } from '../observability/observer.ts';
import type { Logger } from '../process/logger.ts';
import type { ControlStore, Store } from '../store/ports/estate-store.ts';
import type { Directory } from '../store/ports/rehearsals.ts';
import type { Transport } from '../transport/transport.ts';
import { createFigures } from './figures.ts';
import type { AnyService } from './handler.ts';
import { createReferenceData } from './reference-data.ts';
import { createParsedObjects } from './unit/loaded-objects.ts';

/** Wall time for due work and consumed events. */
export const WORK_DEADLINE_MS = 15_000;
const LEASE_MARGIN_MS = 5_000;

export interface PipelineOptions {
  readonly service: AnyService;
  readonly store: Store;
  readonly control: ControlStore;
  readonly directory: Directory;
  /** Carries calls to other applications. */
  readonly transport: Transport;
  /** Address and connections for webhooks of this application. Without a gateway they do not arrive. */
  readonly gatewayUrl: () => string;
  readonly agent: Agent;
  readonly log: Logger;
  readonly observer?: Observer;
  /** Whether responses with undeclared members are refused instead of filtered, and changes of objects that were read fail. */
  readonly strictResponses: boolean;
  /** Wall time beyond the deadline after which an unfinished claim may be taken over. Due work before a reply has the same lease. */
  readonly leaseMarginMs?: number;
  /** Wall time that due work has. */
  readonly workDeadlineMs?: number;
  /** Notified after a commit that left events in the outbox. */
  readonly relay: Pick<Relay, 'token' | 'kick' | 'holds' | 'committed'>;
  /** Aborted when the process stops. Requests that a fault delays then continue. */
  readonly stopping: AbortSignal;
}

/** The parts that the steps of an application share. Made once per application and process. */
export function createParts({
  observer = UNOBSERVED,
  leaseMarginMs = LEASE_MARGIN_MS,
  workDeadlineMs = WORK_DEADLINE_MS,
  ...options
}: PipelineOptions) {
  return {
    ...options,
    application: options.service.application,
    observer,
    workDeadlineMs,
    faults: createFaults(options.control),
    figuresOf: createFigures(options.store),
    reference: createReferenceData(),
    parse: createParsedObjects({ frozen: options.strictResponses }),
    /** Wall time of the leases on claims and on due work before a reply. */
    leaseMs: ({ deadline }: Context): number => Math.max(0, deadline - Date.now()) + leaseMarginMs,
  };
}

export type ApplicationParts = ReturnType<typeof createParts>;
