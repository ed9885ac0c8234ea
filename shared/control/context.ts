import type { Progression } from '../catalog/control/progression.ts';
import type { Ms } from '../domain/time.ts';
import type { World } from '../domain/world.ts';

/** Principal of calls that the control plane makes as a person outside the estate. */
export const OUTSIDE_WORLD = 'outside-world';
/** Principal of a caller without credential and signature. */
export const ANONYMOUS = 'anonymous';
/** Principal of a sender who signed with the rehearsal's webhook secret. */
export const SIGNER = 'signer';

/** The context of a request in all its calls. The gateway, or the clock's driver, makes it once. */
export interface Context {
  readonly world: World;
  /** `idSource` of the world that this one continues, if it was opened from a snapshot or forked. */
  readonly lineage?: string;
  /** The rehearsal's clock, frozen during a request. */
  readonly now: Ms;
  /** The text that the world's ids derive from, if its creator chose one. */
  readonly seed?: string;
  readonly principal: string;
  readonly requestId: string;
  readonly parentId?: string;
  readonly correlationId: string;
  /** W3C Trace Context. */
  readonly traceparent?: string;
  /** Wall time. */
  readonly deadline: Ms;
  /** Revision of the rehearsal's fault rules; 0 when there are none. */
  readonly faults: number;
  /** The last commit that changed reference data; absent while none has. Data that were read under it are current. */
  readonly reference?: string;
  /** The progression; absent while it is the default (see `progressionOf`). */
  readonly progression?: Progression;
  /** Set in a dry run: no application stores, publishes or schedules anything. */
  readonly dryRun?: true;
  /** The applications that wait for the answer. A call back to one of them is refused. */
  readonly chain: readonly string[];
}

/** The part of a context that the view of its world has. */
type ContextOfWorld = Pick<Context, 'world' | 'lineage' | 'now' | 'seed' | 'faults' | 'reference' | 'progression'>;

interface ContextInput extends Pick<Context, 'principal' | 'requestId' | 'parentId' | 'correlationId' | 'traceparent'> {
  /** Wall time until the deadline, in ms. */
  readonly withinMs: number;
}

/** The context of a request, an event or due work that begins now in a world. */
export function contextFor({ world, lineage, now, seed, faults, reference, progression }: ContextOfWorld, begun: ContextInput): Context {
  const { principal, requestId, parentId, correlationId, traceparent, withinMs } = begun;
  const deadline = Date.now() + withinMs;
  return {
    world,
    lineage,
    now,
    seed,
    principal,
    requestId,
    parentId,
    correlationId,
    traceparent,
    deadline,
    faults,
    reference,
    progression,
    chain: [],
  };
}
