import { isMutating } from '../../catalog/define.ts';
import { Problem } from '../../catalog/problems.ts';
import { isSwappable } from '../../catalog/swap.ts';
import { ESTATE_CALL_HEADER } from '../../control/estate-call.ts';
import { digest } from '../../domain/ids.ts';
import { instant } from '../../domain/time.ts';
import { rehearsalOf } from '../../domain/world.ts';
import { fillPath, queryString } from '../../transport/path.ts';
import type { ApplicationParts } from '../application-parts.ts';
import { again, type BoundApi } from '../handler.ts';
import type { Answered } from '../job.ts';
import type { RunScope } from '../scope.ts';
import type { ClaimedRequest } from '../steps/claim-key.ts';
import type { Step } from '../steps/step.ts';
import { keepAnswer, keptReply } from './keep.ts';
import { NoReply, type OutsideReply } from './outside-call.ts';
import { readAnswer, unacceptable, Violation, withoutReply } from './read-answer.ts';
import { keepSeen, objectsIn, type SeenCollection, seenCollections } from './seen.ts';
import type { StoredSwap } from './stored-swap.ts';
import { logAnswer } from './swap-log.ts';

/** Time that the application needs for its own answer after the real system has used its whole time. */
const MARGIN_MS = 250;

/** Where the world swaps the application, the real system answers in place of the handler. Everything around the handler stays. */
export function forwardIfSwapped(parts: ApplicationParts): Step<ClaimedRequest, ClaimedRequest, Answered> {
  const collections = seenCollections(parts.service.collections);
  return (job, rest) =>
    rest(job.swap ? { ...job, bound: { ...job.bound, handler: forwarding(parts, { job, swap: job.swap, collections }) } } : job);
}

interface Forwarded {
  readonly job: ClaimedRequest;
  readonly swap: StoredSwap;
  readonly collections: readonly SeenCollection[];
}

/** The handler of a forwarded request. When it runs again after a conflict, it reads the same reply: the call was made. */
function forwarding(parts: ApplicationParts, { job, swap, collections }: Forwarded): BoundApi<string>['handler'] {
  const { bound, context, notes } = job;
  const { api } = bound;
  let replied: Promise<OutsideReply> | undefined;

  /** Counts an answer, and shows it in the journal. */
  async function note(status: number, durationMs: number, violated: Violation | undefined): Promise<void> {
    const inVain = job.hasLeft() && { name: 'late', detail: `It answered after ${durationMs} ms, when its caller had given up.` };
    const violation = violated ? { name: violated.violation, detail: violated.message } : inVain || undefined;
    notes.outside = { status, durationMs, violation: violation?.name };
    await logAnswer(parts, context, { api: api.id, status, durationMs, violation });
  }

  async function send(scope: RunScope): Promise<OutsideReply> {
    scope.beforeCall?.(isMutating(api) && !api.storesNothing);
    if (swap.mode === 'kept') return answerKept(scope);
    try {
      const reply = await parts.callOutside(context.world, swap, outsideRequestOf(job, scope.key, parts));
      await keepAnswer(parts, context, { swap, api, input: job.input, reply });
      return reply;
    } catch (error) {
      if (!(error instanceof NoReply)) throw error;
      const problem = withoutReply(api, error);
      if (problem instanceof Violation) await note(0, error.durationMs, problem);
      throw problem;
    }
  }

  async function answerKept({ work }: RunScope): Promise<OutsideReply> {
    try {
      return await keptReply(work, { swap, api, input: job.input });
    } catch (error) {
      if (error instanceof Violation) await note(0, 0, error);
      throw error;
    }
  }

  async function outputOf(reply: OutsideReply, scope: RunScope): Promise<unknown> {
    const output = readAnswer(api, reply);
    for (const seen of objectsIn(api.response, output, collections)) {
      refuseOtherObject(job, seen);
      const kept = await keepSeen(scope, api, seen);
      const { object, collection } = seen;
      for (const name of Object.keys(collection.definition.schema.shape)) Reflect.deleteProperty(object, name);
      Object.assign(object, kept);
    }
    return api.status === 201 && reply.status === 200 ? again(output) : output;
  }

  return async (_input, given) => {
    // The pipeline runs every handler with a RunScope.
    const scope = given as RunScope;
    await compareVersion(job, scope, collections);
    const isFirst = replied === undefined;
    // What is kept is chosen anew: the unit of an earlier run is gone.
    if (swap.mode === 'kept') replied = undefined;
    replied ??= send(scope);
    const reply = await replied;
    try {
      const output = await outputOf(reply, scope);
      if (isFirst) await note(reply.status, reply.durationMs, undefined);
      return output;
    } catch (error) {
      if (error instanceof Problem && isFirst) await note(reply.status, reply.durationMs, error instanceof Violation ? error : undefined);
      throw error;
    }
  };
}

/** `If-Match` names a version that the estate gave: the object as it is known must still have it. */
async function compareVersion({ unit }: ClaimedRequest, { work }: RunScope, collections: readonly SeenCollection[]): Promise<void> {
  const name = unit.precondition?.name;
  if (name === undefined) return;
  for (const { of } of collections) await work.get(of, name);
}

/** An answer about a path with an id must be about this object. */
function refuseOtherObject({ bound: { api }, input }: ClaimedRequest, { collection: { definition }, object }: SeenCollectionObject): void {
  const { id } = input.params;
  if (definition.type !== 'payment' || id === undefined || object.id === id) return;
  throw unacceptable('other_object', api, `answered ${api.id} of ${definition.type}/${id} with ${definition.type}/${object.id}.`);
}

type SeenCollectionObject = Parameters<typeof keepSeen>[2];

/** What the real system receives: the call as the catalog declares it, and nothing of the client or of the estate's own connections. */
export function outsideRequestOf(
  { bound: { api }, input, context }: Pick<ClaimedRequest, 'bound' | 'input' | 'context'>,
  key: string,
  { application, estateCalls }: ApplicationParts,
) {
  const { world, now, requestId, correlationId, traceparent, chain, deadline } = context;
  const { params, query, body } = input;
  const text = api.method === 'GET' ? undefined : JSON.stringify(body ?? {});
  return {
    method: api.method,
    path: `${fillPath(api.path, params)}${queryString(query as Readonly<Record<string, unknown>>)}`,
    headers: {
      accept: api.produces,
      'x-rehearsal': rehearsalOf(world),
      'x-rehearsal-now': instant(now),
      'x-correlation-id': correlationId,
      'x-calling-application': chain.at(-1),
      traceparent,
      [ESTATE_CALL_HEADER]: isSwappable(application)
        ? estateCalls.sign({ application, world, requestId, correlationId, chain: [...chain, application], deadline })
        : undefined,
      'idempotency-key': isMutating(api) ? digest(world, key) : undefined,
      'content-type': text === undefined ? undefined : 'application/json',
    },
    body: text,
    withinMs: deadline - Date.now() - MARGIN_MS,
  };
}
