import type { IncomingMessage } from 'node:http';
import { ESTATE_CALL_HEADER, type EstateCalls, hasEnded, isInAnswer, rehearsalOfCall } from '../shared/control/estate-call.ts';
import type { WorldView } from '../shared/store/ports/rehearsals.ts';
import type { AuthenticatedCaller } from './credentials.ts';
import { ProblemWithHeaders } from './problems.ts';

/** Operations (`POST`) that the real system of a swapped application may use: the beginning of a path, and a whole path. */
const PATHS = ['/_control/calls/', '/_control/events'] as const;

interface EstateCallersOptions {
  readonly calls: EstateCalls;
  readonly resolve: (rehearsal: string) => Promise<WorldView | undefined>;
}

export type EstateCallers = ReturnType<typeof createEstateCallers>;

/** Authenticates the calls of real systems to the estate. */
export function createEstateCallers({ calls, resolve }: EstateCallersOptions) {
  return {
    /** @returns undefined for a request without the header, and for other operations @throws Problem unauthenticated */
    async callerOf({ method, headers }: IncomingMessage, path: string): Promise<AuthenticatedCaller | undefined> {
      const header = headers[ESTATE_CALL_HEADER]?.toString();
      const isPermitted = method === 'POST' && (path.startsWith(PATHS[0]) || path === PATHS[1]);
      if (header === undefined || !isPermitted) return undefined;
      const estateCall = calls.read(header);
      if (!estateCall) throw refused('X-Estate-Call was not issued here');
      const boundTo = await resolve(rehearsalOfCall(estateCall));
      const isCurrent = isInAnswer(estateCall) ? boundTo?.world === estateCall.world : boundTo?.credentials.bearer === estateCall.bearer;
      if (!boundTo || !isCurrent) throw refused('X-Estate-Call ended when its rehearsal was reset or deleted');
      if (isInAnswer(estateCall) && (hasEnded(header) || Date.now() > estateCall.deadline))
        throw refused('X-Estate-Call ended with the call that it came with');
      return { principal: `real:${estateCall.application}`, scopes: [], boundTo, estateCall };
    },
  };
}

const refused = (reason: string): ProblemWithHeaders =>
  new ProblemWithHeaders('unauthenticated', {
    detail: `${reason}. Send the header of the call that you answer, or the credential of the rehearsal for your application.`,
    headers: { 'WWW-Authenticate': 'EstateCall realm="unified-commerce"' },
  });
