import type { AddressInfo } from 'node:net';
import express, { type Request, type Response, type Router } from 'express';
import helmet from 'helmet';
import type { Application } from '../shared/catalog/applications.ts';
import { apis } from '../shared/catalog/catalog.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { Problem } from '../shared/catalog/problems.ts';
import { endAnyhow, withoutHtml } from '../shared/http/last-resort.ts';
import { ClientGone, readBody } from '../shared/http/request-body.ts';
import type { Observability } from '../shared/observability/observability.ts';
import { type Observer, type Span, traceIds, UNOBSERVED } from '../shared/observability/observer.ts';
import { type Connections, watchConnections } from '../shared/process/connections.ts';
import { createFairServer } from '../shared/process/fair-server.ts';
import { withoutFailing } from '../shared/process/harmless.ts';
import { listen } from '../shared/process/listen.ts';
import type { Logger } from '../shared/process/logger.ts';
import { ownHosts } from '../shared/process/own-hosts.ts';
import { readinessAnswer, type State } from '../shared/process/readiness.ts';
import { ANONYMOUS } from '../shared/simulation/context.ts';
import type { Directory, WorldView } from '../shared/store/ports/directory.ts';
import type { JournalWriter } from '../shared/store/ports/journal.ts';
import { asProblem } from '../shared/transport/answer.ts';
import { CLIENT_TIMES, type ClientTimes, refuseOnSocket, serverOptions } from './client-connections.ts';
import { CATALOG_SCOPE, CONTROL_SCOPE, type Credential, createKeyring, type Demand, type Keyring } from './credentials.ts';
import { headersForApplication, identify, REQUEST_MS, type RequestIds, traceparentOf } from './edge-context.ts';
import { type About, observeRequest, startEdgeSpan, startHopSpan } from './observing.ts';
import { refuseWebSocket, requireHost, requireOwnHost, unambiguousPath } from './path-safety.ts';
import { methodNotAllowed, sendProblem } from './problems.ts';
import { type ApplicationProxy, createProxy } from './proxy.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { recordRefusal } from './refusal-journal.ts';
import { enterRehearsal, type RehearsalAccess, rehearsalName, rehearsalNamedBy } from './rehearsal-of-request.ts';
import { type Routes, routesOf } from './routes.ts';

export interface GatewayOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly directory: Directory;
  /** Seeds a world when a known credential uses a rehearsal's name for the first time. */
  readonly createRehearsal: (name: string) => Promise<WorldView>;
  /** Told of every request that goes to a rehearsal. */
  readonly noteUse?: (rehearsal: string) => void;
  readonly credentials: readonly Credential[];
  /** Under which keys are hashed. */
  readonly pepper: string;
  /** Asked at every request, since ports are known only after the applications have started. */
  readonly addressOf: (application: Application) => string;
  /** Authenticates the gateway to the applications. */
  readonly token: string;
  /** Takes the journal of what the gateway refused itself. */
  readonly simulation: JournalWriter;
  readonly log: Logger;
  /** What this process shows of itself, at `/metrics` for credentials with the scope `sim:admin`; without it the gateway is not observed. */
  readonly observability?: Observability | undefined;
  /**
   * The simulation plane, at `/_sim` for credentials with the scope `sim:admin`; `response.locals` has `principal`, `rehearsal` and the
   * unparsed `body`. What it throws is answered here.
   */
  readonly control: Router;
  /** What anybody may read: asked for every path that is not an API's. */
  readonly documents: Router;
  /** Names under which the documents are shown, besides those that are always this machine's own. */
  readonly allowedHosts?: readonly string[];
  readonly limits: { readonly perAddressPerMinute: number; readonly perKeyPerMinute: number };
  /** What has to be there before requests can be served. */
  readonly states: () => readonly State[];
  /** The APIs to serve; the catalog's, unless others are given. */
  readonly apis?: readonly ApiDefinition[];
  /** Wall times; the usual ones, unless others are given. */
  readonly times?: Partial<ClientTimes & { readonly applicationMs: number }>;
}

export interface RunningGateway {
  readonly url: string;
  readonly port: number;
  /** Not ready from now on; every answer asks the client to come back on another connection. */
  drain(): void;
  /** Stops accepting, finishes what runs, closes what idles. */
  close(): Promise<void>;
}

/** @throws Error with code EADDRINUSE when the port is taken */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const times = { ...CLIENT_TIMES, applicationMs: REQUEST_MS, ...options.times };
  const app = express();
  app.disable('x-powered-by');
  const listener = withoutHtml(app, (request, response) => void answer(gate, request, response));
  // The body is asked for when the request has passed everything else; expectations that nobody knows are ignored.
  const expectations = ['checkContinue', 'checkExpectation'] as const;
  const server = createFairServer({ ...serverOptions(times), expectations }, listener);
  const connections = watchConnections(server, { refuseOnSocket });
  const limits = createRateLimits(options.limits);
  const proxy = createProxy({ addressOf: options.addressOf, timeoutMs: times.applicationMs, draining: connections.draining });
  const access = rehearsalAccess(options);
  const gate: Gate = {
    options,
    observer: options.observability?.observer('gateway', options.log) ?? UNOBSERVED,
    connections,
    limits,
    proxy,
    control: express.Router({ caseSensitive: true, strict: true }).use('/_sim', options.control),
    access,
    routes: routesOf(options.apis ?? Object.values(apis)),
    isOwnHost: ownHosts(options.allowedHosts ?? []),
    keyring: createKeyring({ credentials: options.credentials, pepper: options.pepper, resolve: access.resolve }),
  };
  app.use((request, response) => answer(gate, request, response));
  const url = await listen(server, options.port, options.host).catch((error: unknown) => {
    limits.close();
    throw error;
  });
  return {
    url,
    port: (server.address() as AddressInfo).port,
    drain: connections.drain,
    close: async () => {
      await connections.close();
      proxy.close();
      limits.close();
    },
  };
}

interface Gate {
  readonly options: GatewayOptions;
  readonly observer: Observer;
  readonly connections: Connections;
  readonly limits: RateLimits;
  readonly proxy: ApplicationProxy;
  readonly control: Router;
  readonly access: RehearsalAccess;
  readonly routes: Routes;
  readonly keyring: Keyring;
  readonly isOwnHost: (host: string | undefined) => boolean;
}

/** What is known of a request; it grows while the request passes the gate. */
interface Passage {
  readonly started: number;
  path: string;
  about: About;
  api?: ApiDefinition;
  span?: Span | undefined;
  traceparent?: string | undefined;
  view?: WorldView;
  principal?: string | undefined;
  ids?: RequestIds;
}

async function answer(gate: Gate, request: Request, response: Response): Promise<void> {
  const passage: Passage = { started: performance.now(), path: '', about: 'none' };
  try {
    await pass(gate, passage, request, response);
  } catch (error) {
    refuse({ gate, passage, error, request, response });
  }
  withoutFailing(gate.options.log, 'observing a request', () => observeRequest(gate.observer, passage, request, response));
}

/** What happens to a request, in this order. Whatever refuses it throws. */
async function pass(gate: Gate, passage: Passage, request: Request, response: Response): Promise<void> {
  const { options, limits, keyring, observer } = gate;
  secureHeaders(request, response, () => {});
  passage.path = unambiguousPath(request.url);
  requireHost(request);
  refuseWebSocket(request);
  passage.about = aboutOf(gate, passage.path);
  if (passage.about === 'health') return answerHealth(gate, passage.path, response);
  const api = passage.about === 'documents' ? gate.routes.find(request.method, passage.path) : undefined;
  if (api) passage.api = api;
  const sent = traceparentOf(request.headers);
  const isTraced = api !== undefined || passage.about !== 'documents';
  passage.span = isTraced ? observer.tracer && startEdgeSpan(observer.tracer, request.method, api, sent) : undefined;
  passage.traceparent = passage.span?.traceparent ?? sent;

  await limits.countAddress(request);
  if (passage.about === 'documents' && !api) return answerDocuments(gate, passage.path, request, response);
  const scheme = api ? api.auth : 'bearer';
  const demand: Demand | undefined = scheme === 'signature' ? undefined : { scheme, scope: api ? CATALOG_SCOPE : CONTROL_SCOPE };
  const presented = demand && keyring.presented(request.headers, demand.scheme);
  if (presented) await limits.countKey(presented.hash);
  const named = api && rehearsalNamedBy(api, request);
  const caller = demand && named === undefined ? await keyring.authenticate(presented, demand) : undefined;
  passage.principal = caller?.principal;
  if (caller?.bound) passage.view = caller.bound;
  const rehearsal = named ?? rehearsalName(request.get('x-rehearsal'), caller);
  const principal = caller?.principal ?? ANONYMOUS;
  if (passage.about === 'metrics') return answerMetrics(gate, request, response);
  if (!api) {
    passage.ids = identify(request.headers, Date.now());
    response.setHeader('X-Correlation-Id', passage.ids.correlationId);
    Object.assign(response.locals, { principal, rehearsal, body: await readBody(request, response) });
    return handOver(gate.control, request, response);
  }

  const view = await enterRehearsal(rehearsal, caller, gate.access);
  passage.view = view;
  options.noteUse?.(view.rehearsal);
  const ids = identify(request.headers, view.now);
  passage.ids = ids;
  const body = await readBody(request, response);
  const hop = observer.tracer && startHopSpan(observer.tracer, api, passage.traceparent);
  const traceparent = hop?.traceparent ?? passage.traceparent;
  request.headers = headersForApplication({ headers: request.headers, ids, traceparent, view, principal, token: options.token, body });
  response.setHeader('X-Correlation-Id', ids.correlationId);
  try {
    if (!response.destroyed) await gate.proxy.forward(request, response, { application: api.application, body });
    hop?.end(response.statusCode >= 400 ? String(response.statusCode) : undefined);
  } catch (error) {
    hop?.end('no answer');
    throw error;
  }
}

/** HTML of the documents sets a policy of its own. */
const secureHeaders = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginEmbedderPolicy: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  // The gateway speaks plain HTTP; whoever ends TLS before it decides on this.
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
});

/** What is no API's belongs to the documents, unless there is nothing. */
function aboutOf({ options }: Gate, path: string): About {
  if (path === '/healthz' || path === '/readyz') return 'health';
  if (path === '/_sim' || path.startsWith('/_sim/')) return 'simulation plane';
  return path === '/metrics' && options.observability ? 'metrics' : 'documents';
}

function answerHealth({ options, connections }: Gate, path: string, response: Response): void {
  const { status, body } =
    path === '/healthz' ? { status: 200, body: { status: 'ok' } } : readinessAnswer(options.states(), connections.draining());
  response.status(status).json(body);
}

async function answerMetrics({ options }: Gate, request: Request, response: Response): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(request.method, ['GET', 'HEAD']);
  await options.observability?.answerMetrics(request, response);
}

/**
 * @throws Problem misdirected_request when a page of somebody else may be asking, method_not_allowed for a path that an API has by another
 * method
 */
function answerDocuments({ options, routes, isOwnHost }: Gate, path: string, request: Request, response: Response): Promise<void> {
  requireOwnHost(request, isOwnHost);
  const others = routes.methodsAt(path);
  if (others.length > 0) throw methodNotAllowed(request.method, others);
  return handOver(options.documents, request, response);
}

/** @throws Problem not_found when the router has nothing there */
function handOver(router: Router, request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    response.once('close', resolve);
    router(request, response, (error?: unknown) => {
      reject(error ?? new Problem('not_found', `Nothing is at ${request.path}.`));
    });
  });
}

/** A store that cannot be reached is a refusal that says so, not an error of the gateway. */
function rehearsalAccess({ directory, createRehearsal, log }: GatewayOptions): RehearsalAccess {
  const unreachable = (error: unknown): never => {
    if (error instanceof Problem) throw error;
    log.error({ err: error }, 'the store cannot be reached');
    throw new Problem('dependency_unavailable', 'The store of the estate cannot be reached.', { dependency: 'store', retryAfter: 1 });
  };
  return {
    resolve: (rehearsal) => directory.resolve(rehearsal).catch(unreachable),
    create: (rehearsal) => createRehearsal(rehearsal).catch(unreachable),
  };
}

interface Refused {
  readonly gate: Gate;
  readonly passage: Passage;
  readonly error: unknown;
  readonly request: Request;
  readonly response: Response;
}

/** Answers with a problem. To refuse must not fail, and what is told of a refusal cannot take its answer back. */
function refuse({ gate: { options, observer }, passage, error, request, response }: Refused): void {
  if (error instanceof ClientGone || response.destroyed) return;
  const refusal = attempt(() => {
    const ids = passage.ids ?? identify(request.headers, passage.view?.now ?? Date.now());
    passage.ids = ids;
    const problem = asProblem(error, options.log, { ...ids, traceparent: passage.traceparent });
    sendProblem(request, response, { problem, ids, path: passage.path });
    return { problem, ids };
  });
  if (!refusal) {
    endAnyhow(response);
    return;
  }
  withoutFailing(options.log, 'telling of a refusal', () => {
    const { problem, ids } = refusal;
    observer.refused(problem.code);
    const { api, view, started } = passage;
    const trace = traceIds(passage.traceparent);
    const facts = { ...ids, world: view?.world, ...trace, api: api?.id, code: problem.code, status: problem.status };
    if (problem.status >= 500) options.log.warn(facts, 'refused');
    else options.log.debug(facts, 'refused');
    if (api && view) {
      const principal = passage.principal ?? ANONYMOUS;
      recordRefusal(options, { problem, ids, api, view, principal, method: request.method, url: request.originalUrl, started });
    }
  });
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
