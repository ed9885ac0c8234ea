import type { Application } from '../shared/catalog/applications.ts';
import type { ApiDefinition, CallOf, OutputOf } from '../shared/catalog/define.ts';
import { Problem } from '../shared/catalog/problems.ts';
import type { DryRun } from '../shared/contract/dry-run.ts';
import { type Context, contextFor, OUTSIDE_WORLD } from '../shared/control/context.ts';
import { requestIdIn } from '../shared/control/request-id.ts';
import { newId } from '../shared/domain/ids.ts';
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
    const requestId = await requestIdIn(view, numbers, `outside ${api.id}`);
    const endTurn = turns?.isOrdered(view.world) ? await turns.request(view.world) : undefined;
    const context = contextFor(view, { principal: OUTSIDE_WORLD, requestId, correlationId, withinMs: DEADLINE_MS });
    return (await send(transport, { context, api, input }).finally(endTurn)) as OutputOf<typeof api>;
  };
}

/** A call that may be made as a dry run. */
export interface PossibleCall {
  readonly api: ApiDefinition;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Set if the answer is the object itself. The call may change another object instead. */
  readonly answersItself?: true;
}

/** Makes a call as a dry run, which leaves no trace in the world. @throws the Problem that the application answered, or would answer */
export type DryCall = (view: WorldView, call: PossibleCall) => Promise<DryRun>;

export const createDryCall =
  ({ transport }: Pick<OutsideCallParts, 'transport'>): DryCall =>
  async (view, { api, params, body }) => {
    const requestId = newId('req', view.now);
    const begun = contextFor(view, { principal: OUTSIDE_WORLD, requestId, correlationId: requestId, withinMs: DEADLINE_MS });
    return (await send(transport, { context: { ...begun, dryRun: true }, api, input: { params, body } })) as DryRun;
  };

interface Sent {
  readonly context: Context;
  readonly api: ApiDefinition;
  readonly input: { readonly params?: Readonly<Record<string, string>>; readonly body?: unknown };
}

/** @returns the body of the answer @throws the Problem that the application answered */
async function send(transport: Transport, { context, api, input: { params = {}, body } }: Sent): Promise<unknown> {
  const { application, method } = api;
  const path = fillPath(api.path, params);
  const call = { application, method, path, context, body: JSON.stringify(body ?? {}), timeoutMs: DEADLINE_MS };
  const { status, text } = await transport.send(call);
  const answer = jsonIn(text);
  if (status < 300 && answer !== undefined) return answer;
  const answered = `${application} answered ${status} with a body that is not understood.`;
  throw problemIn(answer, answered) ?? new Problem('dependency_error', answered, { dependency: application });
}
