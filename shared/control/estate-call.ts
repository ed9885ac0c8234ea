import { createHmac } from 'node:crypto';
import type { SwappableApplication } from '../catalog/swap.ts';
import { ESTATE_CALL_PREFIX } from '../domain/redaction.ts';
import type { Ms } from '../domain/time.ts';
import { rehearsalOf, type World } from '../domain/world.ts';
import { comparisonWith, hmacOf } from './credentials.ts';

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

/** Ends a permission: its call was answered, or given up. Other processes still accept it until its deadline. */
export function endEstateCall(header: string): void {
  for (const [old, deadline] of ended) {
    if (deadline > Date.now()) break;
    ended.delete(old);
  }
  const call = contentOf(header);
  if (isInAnswer(call)) ended.set(header, call.deadline);
}

export const hasEnded = (header: string): boolean => ended.has(header);

const contentOf = (header: string): EstateCall =>
  JSON.parse(Buffer.from(header.slice(ESTATE_CALL_PREFIX.length).split('.')[0] ?? '', 'base64url').toString());

export type EstateCalls = ReturnType<typeof createEstateCalls>;

/** Signs permissions with the token that all processes of the estate share, so that each verifies them without a read. */
export function createEstateCalls(token: string) {
  // The token must not sign texts that leave the estate.
  const key = hmacOf(token, 'signature of estate calls');
  const signatureOf = (content: string): string => createHmac('sha256', key).update(content).digest('base64url');
  return {
    sign(call: EstateCall): string {
      const content = Buffer.from(JSON.stringify(call)).toString('base64url');
      return `${ESTATE_CALL_PREFIX}${content}.${signatureOf(content)}`;
    },
    /** @returns undefined when this estate has not signed it */
    read(text: string): EstateCall | undefined {
      const [content = '', signature = ''] = text.slice(ESTATE_CALL_PREFIX.length).split('.');
      if (!text.startsWith(ESTATE_CALL_PREFIX) || !comparisonWith(signatureOf(content))(signature)) return undefined;
      return contentOf(text);
    },
  };
}
