import { Problem } from '../../shared/catalog/problems.ts';
import { ANONYMOUS } from '../../shared/control/context.ts';
import { readinessAnswer } from '../../shared/process/readiness.ts';
import type { Exchange } from '../facts.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { untilClosed } from '../hand-over.ts';
import { methodNotAllowed } from '../problems.ts';
import type { Authenticated } from './authenticate.ts';
import type { Addressed } from './check-address.ts';
import type { InRehearsal } from './name-rehearsal.ts';
import type { Identified, Received } from './receive.ts';

/** @throws Problem method_not_allowed for the preflight of an origin that is not allowed */
export const answerPreflight =
  ({ crossOrigin, routes }: GatewayParts) =>
  ({ request, response, path }: Exchange & Addressed): void =>
    crossOrigin.answerPreflight(request, response, routes.methodsAt(path).toSorted());

export const answerHealth =
  ({ states, connections }: GatewayParts) =>
  ({ path, response }: Exchange & Addressed): void => {
    const { status, body } =
      path === '/healthz' ? { status: 200, body: { status: 'ok' } } : readinessAnswer(states(), connections.draining());
    const text = JSON.stringify(body);
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text);
  };

/** @throws Problem method_not_allowed */
export const answerMetrics =
  ({ observability }: GatewayParts) =>
  async ({ request, response }: Exchange): Promise<void> => {
    const { method = '' } = request;
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, ['GET', 'HEAD']);
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
        'This is shown under the names of this machine only: localhost, an address, a name without a dot, or one that ALLOWED_HOSTS lists.',
      );
    }
    const allowed = routes.methodsAt(path).toSorted();
    if (allowed.length > 0) throw methodNotAllowed(request.method ?? '', allowed);
    return documents(request, response);
  };

export const nameCorrelationId = ({ response, ids }: Exchange & Identified): void =>
  void response.setHeader('X-Correlation-Id', ids.correlationId);

type ForControl = Exchange & Addressed & Authenticated & InRehearsal & Identified & Received;

export const answerControl =
  ({ controlPlane }: GatewayParts) =>
  ({ request, response, path, caller, rehearsal, ids: { correlationId }, body }: ForControl): Promise<void> => {
    const principal = caller?.principal ?? ANONYMOUS;
    const admitted = { request, path, principal, rehearsal, correlationId, body };
    return untilClosed(response, (fail) => controlPlane(admitted, response).catch(fail));
  };
