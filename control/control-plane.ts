import type { ServerResponse } from 'node:http';
import { type ControlOperation, isStream } from '../shared/catalog/control/define-operation.ts';
import { type ControlId, controlOperations } from '../shared/catalog/control/operations.ts';
import { Problem } from '../shared/catalog/problems.ts';
import { bodyLimit } from '../shared/contract/body-limit.ts';
import { refuseRedacted, refuseSecrets, withoutSecretsInTurns } from '../shared/contract/secrets.ts';
import { parseParams } from '../shared/contract/validation.ts';
import type { ControlRequest } from '../shared/control/admitted.ts';
import { outOfReach } from '../shared/control/out-of-reach.ts';
import { requestIdIn } from '../shared/control/request-id.ts';
import type { Breathe } from '../shared/domain/breathe.ts';
import { DEFAULT_REHEARSAL } from '../shared/domain/ids.ts';
import type { World } from '../shared/domain/world.ts';
import { sendJson } from '../shared/http/json-answer.ts';
import { queryOf } from '../shared/http/query.ts';
import { type JsonBody, readJson, readJsonBytes } from '../shared/http/request-body.ts';
import { pathParameters, routeTable } from '../shared/http/route-table.ts';
import type { Logger } from '../shared/process/logger.ts';
import { createSequence } from '../shared/process/waiting.ts';
import type { Turns } from '../shared/store/ports/turns.ts';
import type { ControlParts, EnterRehearsal, SentInput } from './operate.ts';
import { operations } from './operations.ts';
import type { Use } from './rehearsals/use.ts';
import { isRecorded, recorded } from './story/record-operation.ts';
import { sendFrames } from './stream/send-frames.ts';

interface ControlPlaneOptions extends ControlParts {
  readonly use: Use;
  readonly log: Logger;
  /** Limit of a large body, in bytes. */
  readonly snapshotBytes: number;
}

type Operation = ControlOperation & { readonly id: ControlId };

/** The control plane. The gateway has authenticated the request, and answers problems that are thrown here. */
export function createControlPlane({ use, log, snapshotBytes, ...parts }: ControlPlaneOptions) {
  const largeOnes = createSequence();
  const routes = routeTable<Operation>(Object.values(controlOperations), { idsMayEqualLiterals: false });

  function find(method: string, path: string): Operation {
    const operation = routes.find(method, path);
    if (operation) return operation;
    const allow = routes.methodsAt(path);
    if (allow.length === 0) throw new Problem('not_found', `The control plane has nothing at ${path}.`);
    throw new Problem('method_not_allowed', `${method} is not possible here; ${allow.join(', ')} is.`, { allow });
  }

  return async (admitted: ControlRequest, response: ServerResponse): Promise<void> => {
    const { request, path } = admitted;
    const operation = find(request.method ?? '', path);
    requireReach(operation, admitted);
    const { sent, body } = await readInput(operation, admitted, snapshotBytes);
    const prepare = () => operations[operation.id].prepare(sent);
    const gone = whenGone(response);
    const inSlices = (search: (breathe: Breathe) => Promise<void>): Promise<void> => parts.inSlices(gone, search);
    const run = body ? await withoutSecretsInTurns(body, prepare, inSlices).catch(unlessGone(gone)) : prepare();
    if (!run) return;
    const enter = entering({ use, log, parts }, { operation, admitted, sent });
    const answer = async (): Promise<void> => {
      if (gone.aborted) return;
      const output = await run({ ...parts, gone }, enter, (frames) => sendFrames(response, frames)).catch(unlessGone(gone));
      if (isStream(operation) || gone.aborted) return;
      if (operation.status === 204) response.writeHead(204).end();
      else {
        const making = { inSlices: parts.inSlices, gone };
        await sendJson(request, response, { status: operation.status, body: output }, making).catch(unlessGone(gone));
      }
    };
    await (operation.memory === 'large' ? largeOnes(answer) : answer());
  };
}

/** @throws Problem forbidden when the credential is bound to a rehearsal and the operation reaches further */
function requireReach(operation: Operation, { path, bound }: ControlRequest): void {
  if (bound === undefined || operation.reach === undefined) return;
  if (operation.reach === 'named rehearsal' && pathParameters(operation, path)['name'] === bound) return;
  throw outOfReach(bound, ' Use a credential that belongs to no rehearsal.');
}

interface ReadInput {
  readonly sent: SentInput;
  /** The parsed body. A large body is parsed later. */
  readonly body: JsonBody | undefined;
}

async function readInput(operation: ControlOperation, { request, path, body: sent }: ControlRequest, large: number): Promise<ReadInput> {
  const params = parseParams(pathParameters(operation, path));
  const query = queryOf(request.url ?? '', path);
  if (operation.method !== 'GET' && operation.method !== 'DELETE') refuseSecrets(params, 'path');
  else refuseRedacted(params, 'path');
  refuseRedacted(query, 'query');
  const lastEventId = request.headers['last-event-id']?.toString();
  if (operation.body === 'large') {
    const bytes = (await readJsonBytes(request.headers, sent, large)) ?? new Uint8Array();
    return { sent: { params, query, body: bytes, lastEventId }, body: undefined };
  }
  const body = await readJson(request.headers, sent, { most: bodyLimit(operation) });
  return { sent: { params, query, body: body ? body.value : {}, lastEventId }, body };
}

/** A page that somebody left open must not keep its rehearsal forever. A page that somebody watches must not lose it. */
const WATCHING_IS_USE_MS = 8 * 60 * 60 * 1_000;

interface Entering {
  readonly use: Use;
  readonly log: Logger;
  readonly parts: ControlParts;
}

interface AdmittedOperation {
  readonly operation: ControlOperation;
  readonly admitted: ControlRequest;
  readonly sent: SentInput;
}

/** Operations that change a rehearsal and wait for nothing else. */
const isChange = ({ method }: ControlOperation): boolean => method === 'PUT' || method === 'DELETE';

/** Waits until earlier requests have had their effects, so that a change of faults, for example, strikes the same ones each time. */
async function quiet(turns: Turns, world: World): Promise<void> {
  const endTurn = await turns.request(world);
  endTurn();
}

/** Operations count as use of their rehearsal while they run, streams for some hours. Only the default rehearsal is created here. */
function entering({ use, log, parts }: Entering, { operation, admitted, sent }: AdmittedOperation): EnterRehearsal {
  const { rehearsal, correlate, estateCall, bound, request } = admitted;
  const { rehearsals, worlds, turns } = parts;
  const idempotencyKey = request.headers['idempotency-key']?.toString();
  return async (run) => {
    const view = await (rehearsal === DEFAULT_REHEARSAL ? rehearsals.ensure(rehearsal) : rehearsals.find(rehearsal));
    if (turns?.isOrdered(view.world) && isChange(operation)) await quiet(turns, view.world);
    const repeatable = correlate && view.seed !== undefined ? await requestIdIn(view, worlds, operation.id) : undefined;
    if (repeatable !== undefined) correlate?.(repeatable);
    const correlationId = repeatable ?? admitted.correlationId;
    const mostMs = isStream(operation) ? WATCHING_IS_USE_MS : undefined;
    const entered = { rehearsal, world: view.world, view, correlationId, estateCall, bound, idempotencyKey };
    const isForStory = isRecorded(operation) && estateCall === undefined;
    const work = (): ReturnType<typeof run> =>
      isForStory ? recorded({ worlds, log }, { id: operation.id, sent, entered }, () => run(entered)) : run(entered);
    return use.during(rehearsal, work, mostMs);
  };
}

/** A computation that ends because its client has disconnected is not an error, and nobody reads the answer. */
const unlessGone =
  (gone: AbortSignal) =>
  (error: unknown): void => {
    if (error !== gone.reason) throw error;
  };

/** Aborted when the client disconnects before its answer is written. */
function whenGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) gone.abort();
  };
  // It may have left while its body was read.
  if (response.destroyed) leave();
  else response.once('close', leave);
  return gone.signal;
}
