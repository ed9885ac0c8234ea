import type { SwappableApplication } from '../catalog/swap.ts';
import { ESTATE_CALL_PREFIX } from '../domain/redaction.ts';
import type { Ms } from '../domain/time.ts';
import { rehearsalOf, type World } from '../domain/world.ts';
import { createSigning, signedParts, valueIn } from './signed-text.ts';

/** Header with the permission of a real system to call the estate back. */
export const ESTATE_CALL_HEADER = 'x-estate-call';

/** Permits the real system of an application to make the calls of this application. */
export type EstateCall = CallInAnswer | LaterCall;

/** Permits calls while the real system answers a call of the estate. */
interface CallInAnswer {
  readonly application: SwappableApplication;
  readonly world: World;
  /** The hop that waits for the answer. */
  readonly requestId: string;
  readonly correlationId: string;
  /** The applications that wait for the answer. */
  readonly chain: readonly string[];
  /** Wall time. */
  readonly deadline: Ms;
}

/** Permits calls at any time until the rehearsal is deleted. */
interface LaterCall {
  readonly application: SwappableApplication;
  readonly rehearsal: string;
  /** Stored form of the bearer credential of the rehearsal: a rehearsal that gets the name later has another one. */
  readonly bearer: string;
}

export const isInAnswer = (call: EstateCall): call is CallInAnswer => 'world' in call;

export const rehearsalOfCall = (call: EstateCall): string => (isInAnswer(call) ? rehearsalOf(call.world) : call.rehearsal);

/** Permissions of this process that ended before their deadline, with the deadline, the oldest first. */
const ended = new Map<string, Ms>();

/** Ends a permission: its call was answered, or given up. Checks of a system send none that is signed. Other processes still accept it until its deadline. */
export function endEstateCall(header: string): void {
  for (const [old, deadline] of ended) {
    if (deadline > Date.now()) break;
    ended.delete(old);
  }
  const signed = signedParts(header, ESTATE_CALL_PREFIX);
  const call = signed && (valueIn(signed.content) as EstateCall);
  if (call && isInAnswer(call)) ended.set(header, call.deadline);
}

export const hasEnded = (header: string): boolean => ended.has(header);

export type EstateCalls = ReturnType<typeof createEstateCalls>;

/** Signs permissions with the token that all processes of the estate share, so that each verifies them without a read. */
export function createEstateCalls(token: string) {
  const signing = createSigning({ prefix: ESTATE_CALL_PREFIX, secret: token, use: 'estate calls' });
  return {
    sign: (call: EstateCall): string => signing.sign(call),
    /** @returns undefined when this estate has not signed it */
    read: (text: string): EstateCall | undefined => signing.read(text) as EstateCall | undefined,
  };
}
