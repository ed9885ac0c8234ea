import { type Request, type Response, Router } from 'express';
import { type ControlOperation, isStream } from '../shared/catalog/control/define-operation.ts';
import { type ControlId, controlOperations } from '../shared/catalog/control/operations.ts';
import { Problem } from '../shared/catalog/problems.ts';
import { refuseRedacted, refuseSecrets } from '../shared/contract/secrets.ts';
import { parseParams } from '../shared/contract/validation.ts';
import { DEFAULT_REHEARSAL } from '../shared/domain/ids.ts';
import { readJson } from '../shared/http/json-body.ts';
import { expressPath } from '../shared/transport/path.ts';
import type { ControlParts, EnterRehearsal, SentInput } from './operate.ts';
import { operations } from './operations.ts';
import type { Use } from './rehearsals/use.ts';
import { sendFrames } from './stream/send-frames.ts';

export interface ControlPlaneOptions extends ControlParts {
  readonly use: Use;
}

/** The gateway's findings about a request: the rehearsal's name, its correlation id, and the unparsed body. */
interface GatewayLocals {
  readonly rehearsal?: string;
  readonly correlationId?: string;
  readonly body?: Buffer;
}

/** The control plane. The gateway has authenticated the request, and answers problems that are thrown here. */
export function createControlPlane({ use, ...parts }: ControlPlaneOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const definitions: readonly (ControlOperation & { readonly id: ControlId })[] = Object.values(controlOperations);
  // Paths without parameters come first: `/events/wait` is no event.
  const paths = [...Map.groupBy(definitions, routeOf)].toSorted(([one], [other]) => parametersIn(one) - parametersIn(other));
  for (const [path, ofPath] of paths) {
    for (const definition of ofPath) {
      router.route(path)[expressMethod(definition)](async (request: Request, response: Response) => {
        const run = operations[definition.id].prepare(await readInput(definition, request, response));
        const output = await run(parts, entering(use, parts, { definition, response }), (frames) => sendFrames(response, frames));
        if (isStream(definition)) return;
        if (definition.status === 204) response.status(204).end();
        else response.status(definition.status).json(output);
      });
    }
    const allow = ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    router.all(path, (request) => {
      throw new Problem('method_not_allowed', `${request.method} is not possible here; ${allow.join(', ')} is.`, { allow });
    });
  }
  router.use((request) => {
    throw new Problem('not_found', `The control plane has nothing at ${request.baseUrl}${request.path}.`);
  });
  return router;
}

const parametersIn = (path: string): number => path.split('/:').length - 1;

const routeOf = ({ path }: ControlOperation): string => expressPath(path.slice('/_control'.length));

const expressMethod = ({ method }: ControlOperation) => method.toLowerCase() as Lowercase<ControlOperation['method']>;

async function readInput({ method }: ControlOperation, request: Request, response: Response): Promise<SentInput> {
  const locals: GatewayLocals = response.locals;
  const body = await readJson(request.headers, locals.body);
  const params = parseParams(request.params);
  if (method !== 'GET' && method !== 'DELETE') refuseSecrets(params, 'path');
  else refuseRedacted(params, 'path');
  refuseRedacted(request.query, 'query');
  if (body) refuseSecrets(body.value);
  return { params, query: request.query, body: body ? body.value : {}, lastEventId: request.get('last-event-id') };
}

/** A page that somebody left open must not keep its rehearsal for ever, and one that is watched must not lose it. */
const WATCHING_IS_USE_MS = 8 * 60 * 60 * 1_000;

interface Exchange {
  readonly definition: ControlOperation;
  readonly response: Response;
}

/** Operations count as use of their rehearsal while they run, streams for some hours. Only the default rehearsal is created here. */
function entering(use: Use, { rehearsals }: ControlParts, { definition, response }: Exchange): EnterRehearsal {
  const { rehearsal = DEFAULT_REHEARSAL, correlationId = '' }: GatewayLocals = response.locals;
  const gone = whenGone(response);
  return async (run) => {
    const view = await (rehearsal === DEFAULT_REHEARSAL ? rehearsals.ensure(rehearsal) : rehearsals.find(rehearsal));
    const mostMs = isStream(definition) ? WATCHING_IS_USE_MS : undefined;
    return use.during(rehearsal, () => run({ rehearsal, world: view.world, view, correlationId, gone }), mostMs);
  };
}

/** Aborted when the client disconnects before its answer is written. */
function whenGone(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
