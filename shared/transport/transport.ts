import type { Application } from '../catalog/applications.ts';
import type { Method } from '../catalog/define.ts';
import { Problem } from '../catalog/problems.ts';
import type { Context } from '../control/context.ts';

export interface OutgoingCall {
  readonly application: Application;
  readonly method: Method;
  /** The path with the query. */
  readonly path: string;
  /** The context for the other application. */
  readonly context: Context;
  readonly idempotencyKey?: string | undefined;
  /** The value of the header. */
  readonly ifMatch?: string | undefined;
  /** JSON; GET requests have none. */
  readonly body?: string | undefined;
  /** Wall time. */
  readonly timeoutMs: number;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** The header, unparsed. */
  readonly retryAfter: string | undefined;
}

/** Path at every application that runs due work. Only the clock's driver calls it. */
export const DUE_PATH = '/_work/due';

/** Path at every application that keeps what its real system reports. Only the control plane calls it. */
export const REPORT_PATH = '/_work/report';

/** A change that a real system reports without being called. */
export interface ReportedObject {
  readonly type: string;
  /** Fits the schema of the type. */
  readonly data: unknown;
}

/** Carries calls from one application of the estate to another. */
export interface Transport {
  urlOf(application: Application, path: string): string;
  /** @throws Problem `dependency_timeout`, `dependency_unavailable` or `dependency_error` when no reply comes */
  send(call: OutgoingCall): Promise<Reply>;
}

export const timedOut = (dependency: Application): Problem =>
  new Problem('dependency_timeout', `${dependency} did not answer in time; whether it did the work is unknown.`, { dependency });

/** The call did nothing. */
export const unreachable = (dependency: Application): Problem =>
  new Problem('dependency_unavailable', `${dependency} cannot be reached.`, { dependency, retryAfter: 1 });

export const brokenOff = (dependency: Application): Problem =>
  new Problem('dependency_error', `${dependency} broke off without an answer; whether it did the work is unknown.`, {
    dependency,
    undecided: true,
  });
