import { z } from 'zod';
import type { World } from '../store/ports.ts';
import { Progression } from './progression.ts';

/** Header that carries a request's context between the applications of the estate. */
/** Principal of what the simulation plane asks of an application, as a person outside the estate would. */
export const OUTSIDE_WORLD = 'outside-world';
/** Principal of a caller without credential and signature. */
export const ANONYMOUS = 'anonymous';
/** Principal of a sender who signed with the rehearsal's webhook secret. */
export const SIGNER = 'signer';

export const CONTEXT_HEADER = 'x-estate-context';
/** Header that proves that a request comes from inside the estate. */
export const TOKEN_HEADER = 'x-estate-token';

const Context = z.object({
  world: z.string().regex(/^[^~]+~[^~]+$/),
  now: z.number(),
  principal: z.string(),
  requestId: z.string(),
  parentId: z.string().optional(),
  correlationId: z.string(),
  traceparent: z.string().optional(),
  deadline: z.number(),
  faults: z.number(),
  progression: Progression.optional(),
  chain: z.array(z.string()),
});

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

export function encodeContext(context: Context): string {
  return Buffer.from(JSON.stringify(context)).toString('base64url');
}

/** @returns undefined when the header is not a context */
export function decodeContext(header: string): Context | undefined {
  try {
    const parsed = Context.safeParse(JSON.parse(Buffer.from(header, 'base64url').toString()));
    return parsed.success ? (parsed.data as Context) : undefined;
  } catch {
    return undefined;
  }
}

export const rehearsalOf = (world: World): string => world.slice(0, world.lastIndexOf('~'));

export const instant = (at: number): string => new Date(at).toISOString();
