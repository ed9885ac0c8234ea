import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { Stream } from 'node:stream';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
import type { Application } from '../shared/catalog/applications.ts';
import type { Problem } from '../shared/catalog/problems.ts';
import { didNotConnect } from '../shared/process/connection-trouble.ts';
import { Agent } from '../shared/process/node-http.ts';
import { spreadLookup } from '../shared/process/spread-lookup.ts';
import { brokenOff, timedOut, unreachable } from '../shared/transport/transport.ts';
import { answerHead, type OwnHeader } from './application-headers.ts';
import { type ForwardedRequest, type Forwarder, type ForwarderOptions, isLast } from './forwarder.ts';

interface ProxyOptions extends ForwarderOptions {
  readonly addressOf: (application: Application) => string;
  /** Wall time after which an idle connection to an application is closed. */
  readonly idleMs?: number;
}

/**
 * Less than the 65 s after which an application closes an idle connection, because a request on a connection that is just being closed fails.
 * Node's agent respects the idle time that the application announces only if it has a limit itself.
 */
const IDLE_MS = 60_000;

interface ForwardedExchange {
  readonly target: URL;
  readonly body: WholeBody;
  readonly ownHeaders: readonly OwnHeader[];
  readonly timer: NodeJS.Timeout;
  readonly fail: (error: Error) => void;
  readonly answered: (() => void) | undefined;
  upstream?: ClientRequest;
}

/** Forwards requests to applications over HTTP. The time limit also applies between two parts of an answer. */
export function createProxy({ addressOf, timeoutMs, idleMs = IDLE_MS, draining }: ProxyOptions): Forwarder {
  // Not a Map: V8 links each table of a Map to the next one, and so keeps the exchanges of replaced tables until a full collection.
  const exchanges = new WeakMap<IncomingMessage, ForwardedExchange>();
  const targets = new Map<string, URL>();
  const agent = new Agent({ keepAlive: true, timeout: idleMs, maxFreeSockets: 256, lookup: spreadLookup });
  const middleware = createProxyMiddleware<IncomingMessage, ServerResponse>({
    // The target comes from the route in the catalog, never from the request.
    router: (request, _response, options) => {
      const exchange = exchanges.get(request);
      if (exchange) options.buffer = exchange.body;
      return exchange?.target ?? '';
    },
    agent,
    proxyTimeout: timeoutMs,
    ejectPlugins: true,
    plugins: [watchExchanges(exchanges, draining)],
  });

  function targetOf(application: Application): URL {
    const address = addressOf(application);
    const target = targets.get(address) ?? new URL(address);
    targets.set(address, target);
    return target;
  }

  function forward(
    request: IncomingMessage,
    response: ServerResponse,
    { application, body, ownHeaders }: ForwardedRequest,
    answered?: () => void,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const target = targetOf(application);
      const timer = setTimeout(() => exchange.upstream?.destroy(new AnswerTimeout()), timeoutMs);
      const fail = (error: Error): void => reject(dependencyProblem(application, error));
      const exchange: ForwardedExchange = { target, body: new WholeBody(body), ownHeaders, timer, fail, answered };
      exchanges.set(request, exchange);
      // This must run before the library's own listener, which half-closes the connection: an application would treat the request as complete.
      response.once('close', () => {
        clearTimeout(timer);
        exchanges.delete(request);
        if (!response.writableFinished && exchange.upstream?.destroyed === false) exchange.upstream.socket?.resetAndDestroy();
        answered?.();
        resolve();
      });
      middleware(request, response, reject).catch(reject);
    });
  }

  return { forward, close: () => agent.destroy() };
}

/** Replaces the library's own plugins, which log every exchange and write an error page. */
function watchExchanges(
  exchanges: WeakMap<IncomingMessage, ForwardedExchange>,
  draining: () => boolean,
): Plugin<IncomingMessage, ServerResponse> {
  return (proxy) => {
    proxy.on('proxyReq', (upstream, request) => {
      const exchange = exchanges.get(request);
      if (exchange) exchange.upstream = upstream;
    });
    proxy.on('proxyRes', (answer, request, response) => {
      const exchange = exchanges.get(request);
      clearTimeout(exchange?.timer);
      exchange?.answered?.();
      if (exchange && !response.headersSent)
        writeHead(response, answer, { own: exchange.ownHeaders, isLast: isLast(request, response, draining) });
    });
    proxy.on('error', (error, request) => {
      if (request) exchanges.get(request)?.fail(error);
    });
  };
}

interface Head {
  readonly own: readonly OwnHeader[];
  /** Whether the connection to the client ends with this answer. */
  readonly isLast: boolean;
}

/** Writes all headers together. The library would set them one by one, which costs more than all checks of the gateway. */
function writeHead(response: ServerResponse, { statusCode = 502, statusMessage, headers }: IncomingMessage, { own, isLast }: Head): void {
  response.writeHead(statusCode, statusMessage || undefined, answerHead(own, headers, isLast ? 'close' : 'keep-alive'));
}

/** The request's body as a stream, which the library pipes. A complete body is sent together with the headers, without a stream. */
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

/** Whether the application did not answer within the time limit. */
class AnswerTimeout extends Error {}

/** The problem for a request that reached no application or got no answer. */
function dependencyProblem(application: Application, error: Error): Problem {
  if (error instanceof AnswerTimeout || (error as NodeJS.ErrnoException).code === 'ETIMEDOUT') return timedOut(application);
  return didNotConnect(error) ? unreachable(application) : brokenOff(application);
}
