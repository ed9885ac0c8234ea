import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Application } from '../shared/catalog/applications.ts';
import type { Problem } from '../shared/catalog/problems.ts';
import { didNotConnect } from '../shared/process/connection-trouble.ts';
import { Agent, request as sendRequest } from '../shared/process/node-http.ts';
import { spreadLookup } from '../shared/process/spread-lookup.ts';
import { nextTurn } from '../shared/process/waiting.ts';
import { BROKEN_OFF_HEADER, CONTEXT_HEADER, encodeContext } from '../shared/transport/estate-headers.ts';
import { brokenOff, timedOut, unreachable } from '../shared/transport/transport.ts';
import { answerHead } from './application-headers.ts';
import { breakOffReceived } from './break-off.ts';
import { type ForwardedRequest, type Forwarder, type ForwarderOptions, isLast } from './forwarder.ts';
import { untilClosed } from './hand-over.ts';

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

/** Forwards requests to applications over HTTP. The time limit also applies between two parts of an answer. */
export function createProxy({ addressOf, timeoutMs, idleMs = IDLE_MS, draining }: ProxyOptions): Forwarder {
  const agent = new Agent({ keepAlive: true, timeout: idleMs, maxFreeSockets: 256, lookup: spreadLookup });
  const targets = new Map<string, Target>();

  function targetOf(application: Application): Target {
    const address = addressOf(application);
    const known = targets.get(address);
    if (known) return known;
    const target = targetAt(address);
    targets.set(address, target);
    return target;
  }

  function forward(request: IncomingMessage, response: ServerResponse, forwarded: ForwardedRequest, answered?: () => void): Promise<void> {
    const { application, body, context, ownHeaders } = forwarded;
    // The address comes from the route in the catalog, never from the request.
    const { prefix, ...target } = targetOf(application);
    const { method, url: path = '' } = request;
    const headers = { ...request.headers, [CONTEXT_HEADER]: encodeContext(context) };
    return untilClosed(response, (fail) => {
      const upstream = sendRequest({ ...target, agent, method, path: prefix + path, headers });
      const timer = setTimeout(() => {
        if (response.headersSent) response.destroy();
        else fail(timedOut(application));
        upstream.destroy();
      }, timeoutMs);
      response.once('close', () => {
        clearTimeout(timer);
        // A half-closed connection would not show an application that the client has left.
        if (!response.writableFinished) reset(upstream);
        answered?.();
      });
      upstream.on('error', (error) => {
        if (!response.headersSent) fail(problemOf(application, error));
      });
      upstream.on('response', (answer) => {
        timer.refresh();
        answered?.();
        if (response.headersSent || response.destroyed) return;
        const { statusCode = 502, statusMessage } = answer;
        const connection = isLast(request, response, draining) ? 'close' : 'keep-alive';
        response.writeHead(statusCode, statusMessage || undefined, answerHead(ownHeaders, answer.headers, connection));
        if (answer.headers[BROKEN_OFF_HEADER] !== undefined) breakOffReceived(answer, response);
        else void passOn(answer, response, () => timer.refresh());
      });
      upstream.end(body);
    });
  }

  return { forward, close: () => agent.destroy() };
}

interface Target {
  readonly protocol: string;
  readonly host: string;
  readonly port: string;
  /** Begins every path. */
  readonly prefix: string;
}

function targetAt(address: string): Target {
  const { protocol, hostname, port, pathname } = new URL(address);
  return { protocol, host: hostname.replace(/^\[(.*)\]$/, '$1'), port, prefix: pathname.replace(/\/$/, '') };
}

function reset(upstream: ClientRequest): void {
  if (upstream.destroyed) return;
  upstream.socket?.resetAndDestroy();
  upstream.destroy();
}

/** Passes the body of an answer on. A short one came together with its headers, and is sent together with them. @param arrived called for each part */
async function passOn(answer: IncomingMessage, response: ServerResponse, arrived: () => void): Promise<void> {
  answer.on('error', () => response.destroy());
  await nextTurn();
  if (answer.complete) response.end(answer.read());
  else answer.on('data', arrived).pipe(response);
}

/** The problem for a request that reached no application or got no answer. */
function problemOf(application: Application, error: Error): Problem {
  if ((error as NodeJS.ErrnoException).code === 'ETIMEDOUT') return timedOut(application);
  return didNotConnect(error) ? unreachable(application) : brokenOff(application);
}
