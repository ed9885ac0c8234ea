import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { BODY_BYTES, bodyLimit } from '../../shared/contract/body-limit.ts';
import { ANONYMOUS, contextFor } from '../../shared/control/context.ts';
import { outOfReach } from '../../shared/control/out-of-reach.ts';
import { digest, newId } from '../../shared/domain/ids.ts';
import { isRead, sendHealth } from '../../shared/http/json-answer.ts';
import { queryOf } from '../../shared/http/query.ts';
import { readBody } from '../../shared/http/request-body.ts';
import { routeTable } from '../../shared/http/route-table.ts';
import type { Span, Tracer } from '../../shared/observability/observer.ts';
import { readinessAnswer } from '../../shared/process/readiness.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import type { EndTurn, Turns } from '../../shared/store/ports/turns.ts';
import { applicationHeaders, ownHeader, REQUEST_MS } from '../application-headers.ts';
import type { Exchange, Target } from '../facts.ts';
import type { ForwardedRequest } from '../forwarder.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { untilClosed } from '../hand-over.ts';
import { methodNotAllowed } from '../problems.ts';
import { identify, type RequestIds } from '../request-ids.ts';
import { securityHeadersOf } from '../security-headers.ts';
import { type Addressed, type Dry, type ForApi, isOAuthPath, type Keyed, OAUTH_METHODS, type Traced } from './address.ts';
import type { Authenticated, Entered, InRehearsal } from './rehearsal.ts';

export interface Identified {
  readonly ids: RequestIds;
}

/** Gives the request its ids. Their time is the time of the credential's rehearsal, if it is bound to one. */
export const identifyRequest = ({ request, view }: Exchange & { readonly view?: WorldView | undefined }): Identified => ({
  ids: identify(request.headers, newId('req', view?.now ?? Date.now())),
});

/**
 * Gives a request to an API its ids, with the time of the rehearsal’s clock. In a rehearsal with a seed, they derive from the seed and
 * the number of the request, which a dry run does not take.
 */
export const identifyInRehearsal =
  ({ access }: GatewayParts) =>
  (admitted: Exchange & Entered & ForApi & Dry): Identified | Promise<Identified> => {
    const { request, view, api, isDryRun } = admitted;
    if (view.seed === undefined || isDryRun) return identifyRequest(admitted);
    return access.requestId(view, nameOfRequest(api, request.headers)).then((id) => ({ ids: identify(request.headers, id) }));
  };

/** Webhooks arrive in any order, so their name contains their id: a part of its digest, because anybody can send webhooks with new ids. */
function nameOfRequest({ id, auth }: ApiDefinition, { 'webhook-id': webhookId }: IncomingHttpHeaders): string {
  return auth === 'signature' ? `${id} ${digest(String(webhookId)).slice(0, 3)}` : id;
}

export interface Received {
  readonly body: Buffer | undefined;
}

/** @throws Problem payload_too_large; ClientGone */
export const receiveBody = async ({ request, response, api }: Exchange & Target): Promise<Received> => ({
  body: await readBody(request, response, api && bodyLimit(api)),
});

/** Number of large bodies that this process has at the same time. */
const MOST_LARGE = 2;

/** As `receiveBody`. The file of a snapshot has a higher limit. @throws Problem rate_limited while other large bodies are in memory */
export function receiveControlBody({ snapshotBytes }: GatewayParts) {
  const operations = routeTable<ControlOperation>(Object.values(controlOperations), { idsMayEqualLiterals: false });
  let large = 0;
  return async ({ request, response, path }: Exchange & Addressed): Promise<Received> => {
    const operation = operations.find(request.method ?? '', path);
    const isFile = operation?.body === 'large';
    if (isFile && !isSmall(request.headers)) {
      if (large >= MOST_LARGE) throw new Problem('rate_limited', `${MOST_LARGE} files are being uploaded. Repeat the request later.`);
      large += 1;
      response.once('close', () => {
        large -= 1;
      });
    }
    return { body: await readBody(request, response, isFile ? snapshotBytes : operation && bodyLimit(operation)) };
  };
}

const isSmall = (headers: IncomingHttpHeaders): boolean =>
  headers['content-encoding'] === undefined && Number(headers['content-length'] ?? Number.NaN) <= BODY_BYTES;

/** @throws Problem method_not_allowed for the preflight of an origin that is not allowed */
export const answerPreflight =
  ({ crossOrigin, routes }: GatewayParts) =>
  ({ request, response, path }: Exchange & Addressed): void =>
    crossOrigin.answerPreflight(request, response, isOAuthPath(path) ? OAUTH_METHODS : routes.methodsAt(path).toSorted());

/**
 * An absent application does not take the gateway out of service: only with `all=true` does the answer wait for the applications, and depend on
 * them. Otherwise it names them as they were last read. @throws Problem method_not_allowed, validation_failed */
export const answerHealth =
  ({ states, applicationStates, connections }: GatewayParts) =>
  async ({ path, request, response }: Exchange & Addressed): Promise<void> => {
    requireRead(request);
    const { all } = queryOf(request.url ?? '', path);
    if (all !== undefined && all !== 'true')
      throw invalid('?all', 'not_true', 'Send all=true to wait for every application, or leave it out.');
    const applications = path === '/readyz' ? await applicationStates(all === 'true' ? 'now' : 'latest') : [];
    const needed = applications.map(({ name, waitingFor, ...state }) => ({ ...state, waitingFor: `${name}: ${waitingFor}` }));
    sendHealth(response, path, () =>
      readinessAnswer([...states(), ...(all === 'true' ? needed : [])], connections.draining(), applications),
    );
  };

function requireRead(request: IncomingMessage): void {
  if (!isRead(request)) throw methodNotAllowed(request.method ?? '', ['GET', 'HEAD']);
}

/** Metrics count all rehearsals. @throws Problem method_not_allowed, forbidden for a credential that is bound to one */
export const answerMetrics =
  ({ observability }: GatewayParts) =>
  async ({ request, response, caller }: Exchange & Authenticated): Promise<void> => {
    requireRead(request);
    if (caller?.boundTo) throw outOfReach(caller.boundTo.rehearsal, ' Use a credential that belongs to no rehearsal.');
    await observability?.answerMetrics(request, response);
  };

/**
 * Answers the paths that belong neither to an API nor to another part of the gateway. Documents, console and welcome page answer only under
 * a host name of this machine.
 * @throws Problem misdirected_request for another host name, method_not_allowed when an API has the path, not_found
 */
export const answerDocuments =
  ({ documents, routes, isOwnHost }: GatewayParts) =>
  ({ request, response, path }: Exchange & Addressed): Promise<void> => {
    if (!isOwnHost(request.headers.host)) {
      throw new Problem(
        'misdirected_request',
        'Pages and documents answer only under localhost, IP addresses, names without a dot, and names in ALLOWED_HOSTS.',
      );
    }
    const allowed = routes.methodsAt(path).toSorted();
    if (allowed.length > 0) throw methodNotAllowed(request.method ?? '', allowed);
    return documents(request, response);
  };

export const nameCorrelationId = ({ response, ids }: Pick<Exchange, 'response'> & Identified): void =>
  void response.setHeader('X-Correlation-Id', ids.correlationId);

type ForControl = Exchange & Addressed & Authenticated & InRehearsal & Identified & Received;

export const answerControl =
  ({ controlPlane }: GatewayParts) =>
  ({ request, response, path, caller, rehearsal, ids, body }: ForControl): Promise<void> => {
    const principal = caller?.principal ?? ANONYMOUS;
    const { requestId, correlationId } = ids;
    const correlate = (id: string): void => nameCorrelationId({ response, ids: Object.assign(ids, { correlationId: id }) });
    const isChosen = correlationId !== requestId;
    const admitted = {
      request,
      path,
      principal,
      rehearsal,
      bound: caller?.boundTo?.rehearsal,
      correlationId,
      body,
      estateCall: caller?.estateCall,
      correlate: isChosen ? undefined : correlate,
    };
    return untilClosed(response, (fail) => controlPlane(admitted, response).catch(fail));
  };

/** Browsers send the origin of each page, even of a hostile page that guessed the address of this machine. @throws Problem forbidden */
export const requireOrigin =
  ({ crossOrigin }: GatewayParts) =>
  ({ request }: Exchange): void =>
    crossOrigin.require(request);

type ForAgents = Exchange & Keyed & Authenticated & Received;

export const answerAgents =
  ({ agents }: GatewayParts) =>
  ({ request, response, key, caller, body }: ForAgents): Promise<void> => {
    const admitted = { request, body, principal: caller?.principal ?? ANONYMOUS, key: key?.key ?? '' };
    return untilClosed(response, (fail) => agents(admitted, response).catch(fail));
  };

interface Addressee {
  readonly forwarded: ForwardedRequest;
  readonly callSpan: Span | undefined;
}

type Admitted = ForApi & Traced & Authenticated & Entered & Identified & Received;

/** Makes the request for the application. After this step, the application may have received it. */
export const addressApplication =
  ({ observer, token }: GatewayParts) =>
  ({ request, api, traceparent: parent, caller, view, ids, body }: Admitted): Addressee => {
    const callSpan = observer.tracer && startCallSpan(observer.tracer, api, parent);
    const traceparent = callSpan?.traceparent ?? parent;
    const principal = caller?.principal ?? ANONYMOUS;
    const context = contextFor(view, { ...ids, principal, traceparent, withinMs: REQUEST_MS });
    request.headers = applicationHeaders({ request, ids, traceparent, token, body });
    const ownHeaders = [...securityHeadersOf(api), ownHeader('X-Correlation-Id', ids.correlationId)];
    return { forwarded: { application: api.application, body, context, ownHeaders }, callSpan };
  };

/** Forwards the request, and sends the answer of the application. @throws Problem dependency_* */
export const callApplication =
  ({ forwarder, turns, expectHops }: GatewayParts) =>
  async (admitted: Exchange & ForApi & Dry & Authenticated & Entered & Addressee): Promise<void> => {
    const { request, response, isDryRun, view, forwarded, callSpan } = admitted;
    const endTurn = turns?.isOrdered(view.world) ? await beginTurn(turns, admitted) : undefined;
    try {
      if (response.destroyed) endTurn?.();
      else await forwarder.forward(request, response, forwarded, endTurn);
      callSpan?.end(response.statusCode >= 400 ? String(response.statusCode) : undefined);
    } catch (error) {
      endTurn?.();
      callSpan?.end('no answer');
      throw error;
    } finally {
      if (!isDryRun) expectHops(view.world);
    }
  };

/** Work that waits for the answer to its webhook, or for a real system that calls back, has its turn already. */
async function beginTurn(turns: Turns, { api, caller, view: { world } }: ForApi & Authenticated & Entered): Promise<EndTurn | undefined> {
  const isPart = (api.auth === 'signature' || caller?.estateCall !== undefined) && turns.isBusy(world);
  return isPart ? undefined : turns.request(world);
}

function startCallSpan(tracer: Tracer, { id, method, path, application }: ApiDefinition, parent: string | undefined): Span {
  const attributes = { 'http.request.method': method, 'url.template': path, 'server.address': application, 'uc.api': id };
  return tracer.start({ kind: 'client', name: `${method} ${path}`, parent, attributes });
}
