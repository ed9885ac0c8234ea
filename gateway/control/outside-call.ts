import { type Agent, request } from 'undici';
import type { Application } from '../../shared/catalog/applications.ts';
import type { ApiDefinition, CallOf, OutputOf } from '../../shared/catalog/define.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { newId } from '../../shared/domain/ids.ts';
import { withTimeLimit } from '../../shared/process/waiting.ts';
import { contextFor, OUTSIDE_WORLD } from '../../shared/simulation/context.ts';
import type { WorldView } from '../../shared/store/ports/directory.ts';
import { problemIn } from '../../shared/transport/answer.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/transport/estate-headers.ts';
import { fillPath } from '../../shared/transport/path.ts';

/** Wall time that an application has for a call. */
const DEADLINE_MS = 15_000;

export interface OutsideCallOptions {
  readonly addressOf: (application: Application) => string;
  readonly token: string;
  readonly agent: Agent;
}

/**
 * Calls an application as the outside world: the carrier, customer service, a stock taker. Only the simulation plane makes these calls.
 * Faults do not apply to the call itself, but to the calls and events that follow from it.
 * @throws Problem as the application answered it
 */
export type OutsideCall = <A extends ApiDefinition<string, Application, string>>(
  view: WorldView,
  api: A,
  input: CallOf<A>,
) => Promise<OutputOf<A>>;

export function createOutsideCall({ addressOf, token, agent }: OutsideCallOptions): OutsideCall {
  return async (view, api, input) => {
    const { params = {}, body } = input as { params?: Record<string, string>; body?: unknown };
    const requestId = newId('req', view.now);
    const context = contextFor(view, { principal: OUTSIDE_WORLD, requestId, correlationId: requestId, withinMs: DEADLINE_MS });
    const path = fillPath(api.path, params);
    const { statusCode, answer } = await withTimeLimit(DEADLINE_MS, async (signal) => {
      const response = await request(`${addressOf(api.application)}${path}`, {
        method: api.method,
        headers: { [CONTEXT_HEADER]: encodeContext(context), [TOKEN_HEADER]: token, 'content-type': 'application/json' },
        body: JSON.stringify(body ?? {}),
        dispatcher: agent,
        signal,
      });
      return { statusCode: response.statusCode, answer: (await response.body.json()) as Record<string, unknown> };
    });
    if (statusCode < 300) return answer as OutputOf<typeof api>;
    const { detail } = answer;
    throw problemIn(answer, String(detail)) ?? new Problem('dependency_error', String(detail));
  };
}
