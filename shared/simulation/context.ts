import type { Progression } from '../catalog/simulation/progression.ts';
import type { World } from '../domain/world.ts';

/** Principal of what the simulation plane asks of an application, as a person outside the estate would. */
export const OUTSIDE_WORLD = 'outside-world';
/** Principal of a caller without credential and signature. */
export const ANONYMOUS = 'anonymous';
/** Principal of a sender who signed with the rehearsal's webhook secret. */
export const SIGNER = 'signer';

/**
 * What a request carries through all its calls; made once at the edge.
 * `now` is the rehearsal's clock in epoch milliseconds and does not move during a request; `deadline` is wall time;
 * `faults` is the revision of the rehearsal's fault rules, 0 when there are none; `chain` names the applications that
 * wait for the answer, so that a call that would come back to one of them is refused.
 */
export interface Context {
  readonly world: World;
  readonly now: number;
  readonly principal: string;
  readonly requestId: string;
  readonly parentId?: string | undefined;
  readonly correlationId: string;
  readonly traceparent?: string | undefined;
  readonly deadline: number;
  readonly faults: number;
  readonly chain: readonly string[];
  /** What moves by itself; absent while it is as every rehearsal starts (see `progressionOf`). */
  readonly progression?: Progression | undefined;
}
