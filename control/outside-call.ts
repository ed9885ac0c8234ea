import type { Application } from '../shared/catalog/applications.ts';
import type { ApiDefinition, CallOf, OutputOf } from '../shared/catalog/define.ts';
import { Problem } from '../shared/catalog/problems.ts';
import { contextFor, OUTSIDE_WORLD } from '../shared/control/context.ts';
import { requestIdIn } from '../shared/control/request-id.ts';
import type { Directory, WorldView } from '../shared/store/ports/rehearsals.ts';
import type { Turns } from '../shared/store/ports/turns.ts';
import { jsonIn, problemIn } from '../shared/transport/answer.ts';
import { fillPath } from '../shared/transport/path.ts';
import type { Transport } from '../shared/transport/transport.ts';

/** Wall time that an application has for a call. */
const DEADLINE_MS = 15_000;

/**
 * Calls an application as the outside world: the carrier, customer service, a stock taker. Only the control plane makes these calls. Faults
 * do not apply to the call itself, but to the calls and events that follow from it.
 * @param from the rehearsal, and the correlation id of the operation's answer
 * @throws the Problem that the application answered
 */
export type OutsideCall = <A extends ApiDefinition<string, Application, string>>(
  from: { readonly view: WorldView; readonly correlationId: string },
  api: A,
  input: CallOf<A>,
) => Promise<OutputOf<A>>;

interface OutsideCallParts {
  readonly transport: Transport;
  readonly numbers: Pick<Directory, 'nextNumber'>;
  /** Decides when requests in worlds with a seed begin. */
  readonly turns?: Turns | undefined;
}

export function createOutsideCall({ transport, numbers, turns }: OutsideCallParts): OutsideCall {
  return async ({ view, correlationId }, api, input) => {
    const { params = {}, body } = input as { params?: Record<string, string>; body?: unknown };
    const requestId = await requestIdIn(view, numbers, `outside ${api.id}`);
    const endTurn = turns?.isOrdered(view.world) ? await turns.request(view.world) : undefined;
    const context = contextFor(view, { principal: OUTSIDE_WORLD, requestId, correlationId, withinMs: DEADLINE_MS });
    const sending = transport.send({
      application: api.application,
      method: api.method,
      path: fillPath(api.path, params),
      context,
      body: JSON.stringify(body ?? {}),
      timeoutMs: DEADLINE_MS,
    });
    const { status, text } = await sending.finally(endTurn);
    const answer = jsonIn(text);
    if (status < 300 && answer !== undefined) return answer as OutputOf<typeof api>;
    const answered = `${api.application} answered ${status} with a body that is not understood.`;
    throw problemIn(answer, answered) ?? new Problem('dependency_error', answered, { dependency: api.application });
  };
}
