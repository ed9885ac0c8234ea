import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Application } from '../shared/catalog/applications.ts';
import type { Context } from '../shared/control/context.ts';
import { bodySentOf, headersOfAnswer } from '../shared/transport/answer.ts';
import { type Answered, type Endpoint, NotListening } from '../shared/transport/endpoint.ts';
import { brokenOff, timedOut, unreachable } from '../shared/transport/transport.ts';
import { answerHead, type OwnHeader } from './application-headers.ts';
import { breakOff } from './break-off.ts';
import { untilClosed } from './hand-over.ts';

/** The data that forwarding needs in addition to the request. The request already has the headers for the application. */
export interface ForwardedRequest {
  readonly application: Application;
  readonly body: Buffer | undefined;
  readonly context: Context;
  /** Headers that the gateway adds to the answer. */
  readonly ownHeaders: readonly OwnHeader[];
}

export interface ForwarderOptions {
  /** Wall time until an application must begin to answer. */
  readonly timeoutMs: number;
  /** Whether answers have `Connection: close`, so that clients reconnect. */
  readonly draining: () => boolean;
}

/** Forwards requests and never retries: a client repeats its request with the same Idempotency-Key to find out whether an application acted. */
export interface Forwarder {
  /**
   * Resolves when the answer was sent or the client has disconnected.
   * @param answered called when the application has answered, before the client gets the answer, or has failed
   * @throws Problem dependency_* before the answer begins
   */
  forward(request: IncomingMessage, response: ServerResponse, forwarded: ForwardedRequest, answered?: () => void): Promise<void>;
  close(): void;
}

/** Whether the connection to the client ends with this answer. HTTP/1.0 connections and old connections end. */
export const isLast = ({ httpVersion }: IncomingMessage, response: ServerResponse, draining: () => boolean): boolean =>
  httpVersion === '1.0' || !response.shouldKeepAlive || response.getHeader('connection') === 'close' || draining();

interface InProcessForwarderOptions extends ForwarderOptions {
  /** The applications of this process, by name. */
  readonly endpointOf: (application: Application) => Endpoint | undefined;
}

/** Forwards requests to applications of the same process without a connection. Clients get the same bytes as through the proxy. */
export function createInProcessForwarder({ endpointOf, timeoutMs, draining }: InProcessForwarderOptions): Forwarder {
  const date = currentDate();

  function send(request: IncomingMessage, response: ServerResponse, { ids, answer }: Answered, { ownHeaders }: ForwardedRequest): void {
    const headers = { ...headersOfAnswer(answer, ids), date: date() };
    response.writeHead(answer.status, answerHead(ownHeaders, headers, isLast(request, response, draining) ? 'close' : 'keep-alive'));
    if (answer.isBrokenOff) breakOff(response, bodySentOf(answer) ?? '');
    else response.end(bodySentOf(answer));
  }

  function forward(request: IncomingMessage, response: ServerResponse, forwarded: ForwardedRequest, answered?: () => void): Promise<void> {
    const { application, body, context } = forwarded;
    const { method = '', url: target = '', headers } = request;
    return untilClosed(response, (fail) => {
      const endpoint = endpointOf(application);
      if (!endpoint) return fail(unreachable(application));
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        fail(timedOut(application));
      }, timeoutMs);
      response.once('close', () => clearTimeout(timer));
      const hasLeft = (): boolean => isLate || (response.destroyed && !response.writableFinished);
      endpoint({ method, target, headers, context, body: () => body, hasLeft })
        .finally(() => {
          clearTimeout(timer);
          answered?.();
        })
        .then(
          (answer) => {
            if (hasLeft()) return;
            if (answer) send(request, response, answer, forwarded);
            else fail(brokenOff(application));
          },
          (error: unknown) => fail(error instanceof NotListening ? unreachable(application) : brokenOff(application)),
        )
        .catch(fail);
    });
  }

  return { forward, close: () => {} };
}

/** The header `Date` as Node writes it, formatted once a second. */
function currentDate(): () => string {
  let second = 0;
  let text = '';
  return () => {
    const now = Math.floor(Date.now() / 1_000);
    if (now !== second) {
      second = now;
      text = new Date(now * 1_000).toUTCString();
    }
    return text;
  };
}
