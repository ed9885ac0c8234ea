import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import type { World } from '../shared/domain/world.ts';
import { readBody } from '../shared/http/request-body.ts';
import type { Observer, Span } from '../shared/observability/observer.ts';
import { ANONYMOUS } from '../shared/simulation/context.ts';
import type { WorldView } from '../shared/store/ports/directory.ts';
import { ownHeader } from './answer-head.ts';
import { applicationHeaders } from './application-headers.ts';
import { CATALOG_SCOPE, type Caller, CONTROL_SCOPE, type Demand, type Keyring } from './credentials.ts';
import { answerDocuments, answerHealth, answerMetrics, type Endpoints, ownEndpointAt } from './endpoints.ts';
import type { HandOver } from './hand-over.ts';
import { type About, startEdgeSpan, startHopSpan } from './observing.ts';
import { refuseWebSocket, requireHost, unambiguousPath } from './path-safety.ts';
import type { ApplicationProxy } from './proxy.ts';
import type { RateLimits } from './rate-limits.ts';
import { enterRehearsal, type RehearsalAccess, rehearsalName, rehearsalNamedBy } from './rehearsal-of-request.ts';
import { identify, type RequestIds, traceparentOf } from './request-ids.ts';
import { SECURITY_HEADERS, setSecurityHeaders } from './security-headers.ts';

/** The parts of a running gateway. */
export interface Gate extends Endpoints {
  readonly observer: Observer;
  readonly limits: RateLimits;
  readonly keyring: Keyring;
  readonly access: RehearsalAccess;
  readonly noteUse: (rehearsal: string) => void;
  readonly control: HandOver;
  readonly proxy: ApplicationProxy;
  /** Called after each exchange with an application, which records it. */
  readonly expectHops: (world: World) => void;
  /** Authenticates the gateway to the applications. */
  readonly token: string;
}

/** Facts about a request; they grow with each check that it passes. */
export interface Passage {
  /** Of `performance.now()`. */
  readonly started: number;
  /** Without the query. */
  path: string;
  about: About;
  api?: ApiDefinition | undefined;
  span?: Span | undefined;
  traceparent?: string | undefined;
  principal: string;
  view?: WorldView | undefined;
  ids?: RequestIds | undefined;
  /** The application may have got the request. */
  isForwarded: boolean;
}

export const beginPassage = (): Passage => ({
  started: performance.now(),
  path: '',
  about: 'none',
  principal: ANONYMOUS,
  isForwarded: false,
});

/** The checks of a request, in order, and then its answer. @throws Problem of the check that refuses it */
export async function pass(gate: Gate, passage: Passage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  passage.path = unambiguousPath(request.url ?? '');
  requireHost(request);
  refuseWebSocket(request);
  passage.about = ownEndpointAt(gate, passage.path) ?? 'documents';
  if (passage.about === 'documents') passage.api = gate.routes.find(request.method ?? '', passage.path);
  if (!passage.api) setSecurityHeaders(response);
  if (passage.about === 'health') return answerHealth(gate, passage.path, response);
  const isDocument = passage.about === 'documents' && !passage.api;
  joinTrace(gate, passage, request, { isTraced: !isDocument });
  gate.limits.countAddress(request);
  if (isDocument) return answerDocuments(gate, passage.path, request, response);
  const admitted = await authenticate(gate, passage, request);
  if (passage.about === 'metrics') return answerMetrics(gate, request, response);
  if (passage.api) return passToApplication(gate, { ...admitted, api: passage.api }, request, response);
  return passToControl(gate, admitted, request, response);
}

function joinTrace(
  { observer: { tracer } }: Gate,
  passage: Passage,
  request: IncomingMessage,
  { isTraced }: { readonly isTraced: boolean },
): void {
  const sent = traceparentOf(request.headers);
  passage.span = isTraced ? tracer && startEdgeSpan(tracer, request.method ?? '', passage.api, sent) : undefined;
  passage.traceparent = passage.span?.traceparent ?? sent;
}

/** A request with its caller and its rehearsal. */
interface Admitted {
  readonly passage: Passage;
  /** Undefined for anonymous callers and for signed requests. */
  readonly caller: Caller | undefined;
  /** Name of the rehearsal; it may not exist yet. */
  readonly rehearsal: string;
}

/** @throws Problem rate_limited, unauthenticated, forbidden, malformed_request, unknown_rehearsal */
async function authenticate({ limits, keyring }: Gate, passage: Passage, request: IncomingMessage): Promise<Admitted> {
  const { api } = passage;
  const scheme = api ? api.auth : 'bearer';
  const demand: Demand | undefined = scheme === 'signature' ? undefined : { scheme, scope: api ? CATALOG_SCOPE : CONTROL_SCOPE };
  const presented = demand && keyring.presented(request.headers, demand.scheme);
  if (presented) limits.countKey(presented.hash);
  const named = api && rehearsalNamedBy(api, { path: passage.path, query: (request.url ?? '').slice(passage.path.length) });
  const caller = demand && named === undefined ? await keyring.authenticate(presented, demand) : undefined;
  if (caller) passage.principal = caller.principal;
  if (caller?.bound) passage.view = caller.bound;
  return { passage, caller, rehearsal: named ?? rehearsalName(request.headers['x-rehearsal']?.toString(), caller) };
}

async function passToControl(
  gate: Gate,
  { passage, rehearsal }: Admitted,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  passage.ids = identify(request.headers, Date.now());
  response.setHeader('X-Correlation-Id', passage.ids.correlationId);
  return gate.control(request, response, {
    ...{ principal: passage.principal, rehearsal, correlationId: passage.ids.correlationId },
    body: await readBody(request, response),
  });
}

/** @throws Problem unknown_rehearsal, payload_too_large, dependency_* */
async function passToApplication(
  gate: Gate,
  { passage, api, caller, rehearsal }: Admitted & { readonly api: ApiDefinition },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { observer, proxy, token, expectHops } = gate;
  const view = await enterRehearsal(rehearsal, caller, gate.access);
  passage.view = view;
  gate.noteUse(view.rehearsal);
  const ids = identify(request.headers, view.now);
  passage.ids = ids;
  const body = await readBody(request, response);
  const hop = observer.tracer && startHopSpan(observer.tracer, api, passage.traceparent);
  const traceparent = hop?.traceparent ?? passage.traceparent;
  const { principal } = passage;
  request.headers = applicationHeaders({ headers: request.headers, ids, traceparent, view, principal, token, body });
  const ownHeaders = [...SECURITY_HEADERS, ownHeader('X-Correlation-Id', ids.correlationId)];
  passage.isForwarded = true;
  try {
    if (!response.destroyed) await proxy.forward(request, response, { application: api.application, body, ownHeaders });
    hop?.end(response.statusCode >= 400 ? String(response.statusCode) : undefined);
  } catch (error) {
    hop?.end('no answer');
    throw error;
  } finally {
    expectHops(view.world);
  }
}
