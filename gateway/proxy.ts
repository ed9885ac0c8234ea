import { Agent, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Stream } from 'node:stream';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import type { Application } from '../shared/catalog/applications.ts';
import { Problem } from '../shared/catalog/problems.ts';
import { spreadLookup } from '../shared/process/spread-lookup.ts';
import { namedByConnection } from './application-headers.ts';

export interface ProxyOptions {
  readonly addressOf: (application: Application) => string;
  /** Wall time until an application must have begun to answer, and between two parts of its answer. */
  readonly timeoutMs: number;
  /** Whether clients are asked to come back on another connection. */
  readonly draining: () => boolean;
}

export interface Delivery {
  readonly application: Application;
  readonly body: Buffer | undefined;
}

export interface ApplicationProxy {
  /** Ends when the answer has gone out or the client has gone. @throws Problem dependency_*, while nothing was answered yet */
  forward(request: IncomingMessage, response: ServerResponse, delivery: Delivery): Promise<void>;
  close(): void;
}

interface Flight {
  readonly target: URL;
  readonly body: WholeBody;
  readonly timer: NodeJS.Timeout;
  readonly fail: (error: Error) => void;
  upstream?: ClientRequest;
}

class TooSlow extends Error {}

/** Nobody is reached: name, address or port lead nowhere. Everything else breaks a connection that was there. */
const UNREACHABLE: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
]);

/** Headers of the connection between application and gateway, and those that tell what software an application runs on. */
const STAYS_INSIDE: ReadonlySet<string> = new Set([
  'keep-alive',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-powered-by',
]);

/**
 * Passes requests on to the applications as they are. There are no retries here: whether an application acted before its connection broke
 * is for the client to find out, with the same Idempotency-Key.
 */
export function createProxy({ addressOf, timeoutMs, draining }: ProxyOptions): ApplicationProxy {
  const flights = new Map<IncomingMessage, Flight>();
  const targets = new Map<string, URL>();
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256, lookup: spreadLookup });
  const middleware = createProxyMiddleware<IncomingMessage, ServerResponse>({
    // The target was chosen by the catalog's route; the library asks for it here. Nothing of the request takes part.
    router: (request, _response, options) => {
      const flight = flights.get(request);
      if (flight) options.buffer = flight.body;
      return flight?.target ?? '';
    },
    agent,
    xfwd: true,
    proxyTimeout: timeoutMs,
    ejectPlugins: true,
    plugins: [watchFlights(flights, draining)],
  });

  function targetOf(application: Application): URL {
    const address = addressOf(application);
    const target = targets.get(address) ?? new URL(address);
    targets.set(address, target);
    return target;
  }

  async function forward(request: IncomingMessage, response: ServerResponse, { application, body }: Delivery): Promise<void> {
    const target = targetOf(application);
    const failed = Promise.withResolvers<never>();
    const timer = setTimeout(() => flights.get(request)?.upstream?.destroy(new TooSlow()), timeoutMs);
    const fail = (error: Error): void => failed.reject(dependencyProblem(application, error));
    const flight: Flight = { target, body: new WholeBody(body), timer, fail };
    flights.set(request, flight);
    // Before the library only ends its side, which an application takes for a client that has said all it wants to say.
    response.once('close', () => {
      if (!response.writableFinished && flight.upstream?.destroyed === false) flight.upstream.socket?.resetAndDestroy();
    });
    try {
      await Promise.race([failed.promise, middleware(request, response, (error?: unknown) => failed.reject(error))]);
    } finally {
      clearTimeout(timer);
      flights.delete(request);
    }
  }

  return { forward, close: () => agent.destroy() };
}

/** The library's own plugins log every exchange and write their own error page; this is what the gateway needs of its events. */
function watchFlights(flights: ReadonlyMap<IncomingMessage, Flight>, draining: () => boolean): Plugin<IncomingMessage, ServerResponse> {
  return (proxy) => {
    proxy.on('proxyReq', (upstream, request) => {
      const flight = flights.get(request);
      if (flight) flight.upstream = upstream;
    });
    proxy.on('proxyRes', (answer, request, response) => {
      clearTimeout(flights.get(request)?.timer);
      cleanAnswer(answer.headers);
      answer.headers.connection = response.shouldKeepAlive && !draining() ? 'keep-alive' : 'close';
    });
    proxy.on('error', (error, request) => {
      if (request) flights.get(request)?.fail(error);
    });
  };
}

function cleanAnswer(headers: IncomingHttpHeaders): void {
  const named = namedByConnection(headers.connection);
  for (const name of Object.keys(headers)) {
    if (STAYS_INSIDE.has(name) || named?.has(name) || name.startsWith('x-estate-')) delete headers[name];
  }
}

/** The library pipes what it sends. The body is all here, or there is none: it goes out with the headers, without a stream in between. */
class WholeBody extends Stream {
  readonly #body: Buffer | undefined;

  constructor(body: Buffer | undefined) {
    super();
    this.#body = body;
  }

  override pipe<Destination extends NodeJS.WritableStream>(upstream: Destination): Destination {
    if (this.#body) upstream.end(this.#body);
    else upstream.end();
    return upstream;
  }
}

function dependencyProblem(application: Application, error: Error): Problem {
  const { code } = error as NodeJS.ErrnoException;
  const dependency = application;
  if (error instanceof TooSlow || code === 'ETIMEDOUT') {
    return new Problem('dependency_timeout', `${application} did not answer in time; whether it acted is not known.`, { dependency });
  }
  if (UNREACHABLE.has(code)) {
    return new Problem('dependency_unavailable', `${application} cannot be reached.`, { dependency, retryAfter: 1 });
  }
  return new Problem('dependency_error', `The connection to ${application} broke before it answered; whether it acted is not known.`, {
    dependency,
  });
}
