import { type ApiDefinition, isMutating } from '../../catalog/define.ts';
import type { ObjectDefinition } from '../../catalog/define-object.ts';
import { answerEffect, objectEffect } from '../../catalog/effects.ts';
import { answerRules, currenciesIn, type Mismatch } from '../../catalog/plausible.ts';
import { notFound, Problem } from '../../catalog/problems.ts';
import { isSwappable } from '../../catalog/swap.ts';
import { ESTATE_CALL_HEADER } from '../../control/estate-call.ts';
import { digest } from '../../domain/ids.ts';
import { instant } from '../../domain/time.ts';
import { rehearsalOf } from '../../domain/world.ts';
import { fillPath, queryString } from '../../transport/path.ts';
import type { PlacedRequest } from '../../work/elsewhere.ts';
import { again } from '../../work/handler.ts';
import type { RunScope } from '../../work/scope.ts';
import type { ClaimedRequest } from '../../work/steps/claim-key.ts';
import type { ElsewhereParts } from '../parts.ts';
import { keepAnswer, keptReply } from './keep.ts';
import { refuseOtherObject } from './other-object.ts';
import { MARGIN_MS, NoReply, type OutsideReply } from './outside-call.ts';
import { isByWorld, readAnswer, unacceptable, Violation, withoutReply } from './read-answer.ts';
import {
  businessObjects,
  keepSeen,
  objectsIn,
  refuseForeignMoney,
  type Seen,
  type SeenCollection,
  type SeenObject,
  withObjects,
} from './seen.ts';
import type { StoredSwap } from './stored-swap.ts';
import { logAnswer } from './swap-log.ts';

/**
 * The real system answers in place of the handler. Everything around the handler stays. A run after a conflict reads the same reply: the call was
 * made.
 */
export function forwarding(parts: ElsewhereParts, job: ClaimedRequest, swap: StoredSwap): NonNullable<PlacedRequest['instead']> {
  const { collections } = parts;
  const { bound, context, notes } = job;
  const { api } = bound;
  let replied: Promise<OutsideReply> | undefined;
  let known: SeenObject | undefined;

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
    const answered = readAnswer(api, reply);
    refuseForeignMoney(api, answered, [scope.work.figures.currency, ...currenciesIn(job.input.body)], 'its answer');
    const exchange = { ...job.input, output: answered };
    refuseMismatch(answerRules[api.id]?.(exchange));
    refuseOtherObject(api, job.input, answered);
    refuseMismatch(answerEffect(api.id, exchange));
    const kept = new Map<object, object>();
    for (const seen of objectsIn(api.response, answered, collections)) kept.set(seen.object, await keptObject(scope, seen));
    const output = withObjects(answered, kept);
    refuseWithoutEffect(output, reply, scope);
    return api.status === 201 && reply.status === 200 ? again(output) : output;
  }

  /** An answered object as the estate keeps it, with the members that only the answer has. */
  async function keptObject(scope: RunScope, seen: Seen): Promise<object> {
    const kept = await keepSeen(scope, api, seen);
    const { shape } = seen.collection.definition.schema;
    const others = Object.entries(seen.object).filter(([name]) => !Object.hasOwn(shape, name));
    return { ...Object.fromEntries(others), ...kept };
  }

  /** A success must show its effect, on objects of other owners too. */
  function refuseWithoutEffect(output: unknown, { status }: OutsideReply, { work: { figures } }: RunScope): void {
    const { params, body: asked } = job.input;
    for (const { collection, object: after } of objectsIn(api.response, output, businessObjects)) {
      const before = known?.id === after.id ? known : undefined;
      const { definition } = collection;
      refuseMismatch(objectEffect({ api: api.id, definition, params, asked, before, after, isNew: status === 201, figures }));
    }
  }

  function refuseMismatch(mismatch: Mismatch): void {
    if (mismatch) throw unacceptable(mismatch.violation, api, mismatch.words);
  }

  /** The object that the path names, as it is known before the call. */
  async function knownBefore({ work }: RunScope): Promise<SeenObject | undefined> {
    const { id } = job.input.params;
    const collection = collections.find(({ definition }) => namesInPath(api, definition));
    if (!collection || id === undefined) return undefined;
    const found = (await work.get(collection.of, id)) as SeenObject | undefined;
    // The outside world can act only on objects that the estate shows.
    if (!found && isByWorld(api) && api.method === 'POST') throw notFound(collection.definition.type, id);
    return found;
  }

  return async (scope) => {
    await compareVersion(job, scope, collections);
    const isFirst = replied === undefined;
    if (isFirst) known = await knownBefore(scope);
    // A kept answer is chosen again, because the unit of the earlier run is gone.
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

/** `If-Match` names a version of the estate, so it is compared with the object that the estate has. */
async function compareVersion({ unit }: ClaimedRequest, { work }: RunScope, collections: readonly SeenCollection[]): Promise<void> {
  const name = unit.precondition?.name;
  if (name === undefined) return;
  for (const { of } of collections) await work.get(of, name);
}

/** Objects whose own id is the id in a path: `/payments/{id}/refunds`. Other paths have the id of the object's owner. */
const namesInPath = ({ path }: ApiDefinition, { type }: ObjectDefinition): boolean =>
  NAMED_IN_PATHS.has(type) && new RegExp(`/${type}s(?:/authorizations)?/\\{id\\}`).test(path);
const NAMED_IN_PATHS: ReadonlySet<string> = new Set(['payment', 'basket', 'customer', 'shipment']);

/** The request to the real system: the call as the catalog declares it, without headers of the client or of calls within the estate. */
export function outsideRequestOf(
  { bound: { api }, input, context }: Pick<ClaimedRequest, 'bound' | 'input' | 'context'>,
  key: string,
  { application, estateCalls }: ElsewhereParts,
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
