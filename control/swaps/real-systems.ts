import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { isMutating } from '../../shared/catalog/define.ts';
import { calls, mayCall } from '../../shared/catalog/flows.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { SwappableApplication } from '../../shared/catalog/swap.ts';
import { validationFailed } from '../../shared/contract/validation.ts';
import { contextFor } from '../../shared/control/context.ts';
import { type EstateCall, type EstateCalls, isInAnswer } from '../../shared/control/estate-call.ts';
import { digest, newId } from '../../shared/domain/ids.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { jsonIn, problemIn } from '../../shared/transport/answer.ts';
import { fillPath, queryString } from '../../shared/transport/path.ts';
import { type OutgoingCall, REPORT_PATH, type ReportedObject, type Transport } from '../../shared/transport/transport.ts';

/** Wall time that an application has for a call of a real system. */
const DEADLINE_MS = 15_000;
const MARGIN_MS = 250;

interface CallInput {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** Where a call or a report comes from. */
interface Origin {
  readonly view: WorldView;
  readonly correlationId: string;
  readonly estateCall?: EstateCall | undefined;
  readonly idempotencyKey?: string | undefined;
}

const allCalls: Readonly<Record<string, ApiDefinition>> = { ...apis, ...internalCalls };

/** @throws Problem validation_failed */
function refuseMissingParams({ id, path }: ApiDefinition, params: Readonly<Record<string, string>>): void {
  const missing = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => (params[name] ? [] : [name]));
  if (missing.length === 0) return;
  throw validationFailed(
    missing.map((name) => ({ pointer: `/params/${name}`, code: 'required', detail: `${id} needs this parameter of its path, ${path}.` })),
  );
}

export type RealSystems = ReturnType<typeof createRealSystems>;

/** Passes the calls and reports of real systems to the applications of the estate. */
export function createRealSystems({ transport, estateCalls }: { readonly transport: Transport; readonly estateCalls: EstateCalls }) {
  async function send(call: Omit<OutgoingCall, 'timeoutMs'>): Promise<unknown> {
    const { status, text } = await transport.send({ ...call, timeoutMs: call.context.deadline - Date.now() + MARGIN_MS });
    const answer = jsonIn(text);
    if (status < 300) return answer ?? null;
    const answered = `${call.application} answered ${status} with a body that is not understood.`;
    throw problemIn(answer, answered) ?? new Problem('dependency_error', answered, { dependency: call.application });
  }

  /** The context continues the call that the real system answers, so that the journal has one trace. */
  function contextOf({ view, estateCall, correlationId }: Origin) {
    const inAnswer = estateCall && isInAnswer(estateCall) ? estateCall : undefined;
    const context = contextFor(view, {
      principal: estateCall ? `real:${estateCall.application}` : 'control',
      requestId: newId('req', view.now),
      parentId: inAnswer?.requestId,
      correlationId: inAnswer?.correlationId ?? correlationId,
      withinMs: DEADLINE_MS,
    });
    const chain = inAnswer?.chain ?? (estateCall ? [estateCall.application] : []);
    return { ...context, chain, deadline: Math.min(context.deadline, inAnswer?.deadline ?? context.deadline) };
  }

  return {
    /** The value of X-Estate-Call for calls that a real system makes outside an answer. */
    credentialFor: (application: SwappableApplication, { rehearsal, credentials: { bearer } }: WorldView): string =>
      estateCalls.sign({ application, rehearsal, bearer }),
    /** @throws Problem forbidden, and each refusal of the called application */
    async call(
      origin: Origin & { readonly estateCall: EstateCall },
      id: string,
      { params = {}, query, body }: CallInput,
    ): Promise<unknown> {
      const { estateCall, idempotencyKey } = origin;
      const { application } = estateCall;
      const api = allCalls[id];
      if (!api || !mayCall(application, id)) {
        throw new Problem('forbidden', `${application} makes no call ${id}; it makes ${calls[application].join(', ')}.`);
      }
      const context = contextOf(origin);
      if (context.chain.includes(api.application)) {
        const waiting = context.chain.join(' → ');
        throw new Problem('forbidden', `${api.application} waits for your answer (${waiting}), so it cannot answer ${id}. Call it later.`);
      }
      refuseMissingParams(api, params);
      const path = `${fillPath(api.path, params)}${queryString(query)}`;
      const key = idempotencyKey ?? (isInAnswer(estateCall) ? digest(estateCall.requestId, id, path) : undefined);
      return send({
        application: api.application,
        method: api.method,
        path,
        context,
        idempotencyKey: isMutating(api) ? key : undefined,
        body: api.method === 'GET' ? undefined : JSON.stringify(body ?? {}),
      });
    },
    /** @throws Problem validation_failed for an object that cannot be true */
    async report(origin: Origin, application: OutgoingCall['application'], reported: ReportedObject) {
      const body = JSON.stringify(reported);
      return (await send({ application, method: 'POST', path: REPORT_PATH, context: contextOf(origin), body })) as {
        readonly object: Readonly<Record<string, unknown>>;
        readonly changed: boolean;
      };
    },
  };
}
