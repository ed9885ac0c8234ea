import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiDefinition, isMutating } from '../shared/catalog/define.ts';
import { ANONYMOUS } from '../shared/control/context.ts';
import { rehearsalFull } from '../shared/control/rehearsal-full.ts';
import type { World } from '../shared/domain/world.ts';
import { readBody } from '../shared/http/request-body.ts';
import type { Observer, Span } from '../shared/observability/observer.ts';
import type { WorldView } from '../shared/store/ports/directory.ts';
import { ownHeader } from './answer-head.ts';
import { applicationHeaders } from './application-headers.ts';
import { type AuthenticatedCaller, CATALOG_SCOPE, CONTROL_SCOPE, type Keyring, type RequiredCredential } from './credentials.ts';
import type { CrossOrigin } from './cross-origin.ts';
import { answerDocuments, answerHealth, answerMetrics, type Endpoints, ownEndpointAt } from './endpoints.ts';
import type { HandOver } from './hand-over.ts';
import { startCallSpan, startEdgeSpan, type TargetLabel } from './observing.ts';
import { refuseWebSocket, requireSingleHeaders, unambiguousPath } from './path-safety.ts';
import type { ApplicationProxy } from './proxy.ts';
import type { RateLimits } from './rate-limits.ts';
import { enterRehearsal, nameInHeader, type RehearsalAccess, rehearsalName, rehearsalNamedBy } from './rehearsal-of-request.ts';
import { identify, type RequestIds, traceparentOf } from './request-ids.ts';
import { SECURITY_HEADERS, setSecurityHeaders } from './security-headers.ts';

/** The parts of a running gateway. */
export interface GatewayParts extends Endpoints {
  readonly observer: Observer;
  readonly crossOrigin: CrossOrigin;
  readonly limits: RateLimits;
  readonly keyring: Keyring;
  readonly access: RehearsalAccess;
  readonly noteUse: (rehearsal: string) => void;
  /** Limit of the text of a rehearsal. At it, requests that may write are refused. */
  readonly worldBytes: number;
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
  target: TargetLabel;
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
  target: 'none',
  principal: ANONYMOUS,
  isForwarded: false,
});

/** The checks of a request, in order, and then its answer. @throws Problem of the check that refuses it */
export async function checkAndAnswer(
  parts: GatewayParts,
  passage: Passage,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  parts.crossOrigin.allow(request, response);
  passage.path = unambiguousPath(request.url ?? '');
  requireSingleHeaders(request);
  refuseWebSocket(request);
  // A preflight carries no credential.
  if (parts.crossOrigin.answerPreflight(request, response, parts.routes.methodsAt(passage.path))) return;
  passage.target = ownEndpointAt(parts, passage.path) ?? 'documents';
  if (passage.target === 'documents') passage.api = parts.routes.find(request.method ?? '', passage.path);
  if (!passage.api) setSecurityHeaders(response);
  if (passage.target === 'health') return answerHealth(parts, passage.path, response);
  const isDocument = passage.target === 'documents' && !passage.api;
  joinTrace(parts, passage, request, { isTraced: !isDocument });
  parts.limits.countAddress(request);
  if (isDocument) return answerDocuments(parts, passage.path, request, response);
  const authenticated = await authenticate(parts, passage, request);
  if (passage.target === 'metrics') return answerMetrics(parts, request, response);
  if (passage.api) return passToApplication(parts, { ...authenticated, api: passage.api }, request, response);
  return passToControl(parts, authenticated, request, response);
}

function joinTrace(
  { observer: { tracer } }: GatewayParts,
  passage: Passage,
  request: IncomingMessage,
  { isTraced }: { readonly isTraced: boolean },
): void {
  const sent = traceparentOf(request.headers);
  passage.span = isTraced ? tracer && startEdgeSpan(tracer, request.method ?? '', passage.api, sent) : undefined;
  passage.traceparent = passage.span?.traceparent ?? sent;
}

/** A request with its caller and its rehearsal. */
interface AuthenticatedRequest {
  readonly passage: Passage;
  /** Undefined for anonymous callers and for signed requests. */
  readonly caller: AuthenticatedCaller | undefined;
  /** Name of the rehearsal; it may not exist yet. */
  readonly rehearsal: string;
}

/** @throws Problem rate_limited, unauthenticated, forbidden, malformed_request, unknown_rehearsal */
async function authenticate({ limits, keyring }: GatewayParts, passage: Passage, request: IncomingMessage): Promise<AuthenticatedRequest> {
  const { api } = passage;
  const scheme = api ? api.auth : 'bearer';
  const required: RequiredCredential | undefined =
    scheme === 'signature' ? undefined : { scheme, scope: api ? CATALOG_SCOPE : CONTROL_SCOPE };
  const key = required && keyring.presentedKey(request.headers, required.scheme);
  if (key) limits.countKey(key.hash);
  const named = api && rehearsalNamedBy(api, { path: passage.path, query: (request.url ?? '').slice(passage.path.length) });
  const caller = required && named === undefined ? await keyring.authenticate(key, required) : undefined;
  if (caller) passage.principal = caller.principal;
  if (named !== undefined) return { passage, caller, rehearsal: named };
  // A request with an invalid name belongs to no rehearsal, so no journal has its refusal.
  const name = nameInHeader(request.headers);
  if (caller?.boundTo) passage.view = caller.boundTo;
  return { passage, caller, rehearsal: rehearsalName(name, caller) };
}

async function passToControl(
  parts: GatewayParts,
  { passage, rehearsal }: AuthenticatedRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  passage.ids = identify(request.headers, Date.now());
  response.setHeader('X-Correlation-Id', passage.ids.correlationId);
  return parts.control(request, response, {
    ...{ principal: passage.principal, rehearsal, correlationId: passage.ids.correlationId },
    body: await readBody(request, response),
  });
}

/** The carrier's webhooks finish started work. @throws Problem rehearsal_full for a request that may write */
function refuseWhenFull({ rehearsal, bytes }: WorldView, api: ApiDefinition, limit: number): void {
  if (bytes >= limit && isMutating(api) && api.auth !== 'signature') throw rehearsalFull(rehearsal, bytes, limit);
}

/** @throws Problem unknown_rehearsal, rehearsal_full, payload_too_large, dependency_* */
async function passToApplication(
  parts: GatewayParts,
  { passage, api, caller, rehearsal }: AuthenticatedRequest & { readonly api: ApiDefinition },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { observer, proxy, token, expectHops } = parts;
  const view = await enterRehearsal(rehearsal, caller, parts.access);
  passage.view = view;
  refuseWhenFull(view, api, parts.worldBytes);
  parts.noteUse(view.rehearsal);
  const ids = identify(request.headers, view.now);
  passage.ids = ids;
  const body = await readBody(request, response);
  const call = observer.tracer && startCallSpan(observer.tracer, api, passage.traceparent);
  const traceparent = call?.traceparent ?? passage.traceparent;
  const { principal } = passage;
  request.headers = applicationHeaders({ headers: request.headers, ids, traceparent, view, principal, token, body });
  const ownHeaders = [...SECURITY_HEADERS, ownHeader('X-Correlation-Id', ids.correlationId)];
  passage.isForwarded = true;
  try {
    if (!response.destroyed) await proxy.forward(request, response, { application: api.application, body, ownHeaders });
    call?.end(response.statusCode >= 400 ? String(response.statusCode) : undefined);
  } catch (error) {
    call?.end('no answer');
    throw error;
  } finally {
    expectHops(view.world);
  }
}
