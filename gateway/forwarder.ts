import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Application } from '../shared/catalog/applications.ts';
import type { OwnHeader } from './answer-head.ts';

/** The data that forwarding needs in addition to the request. The request already has the headers for the application. */
export interface ForwardedRequest {
  readonly application: Application;
  readonly body: Buffer | undefined;
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
  /** Resolves when the answer was sent or the client has disconnected. @throws Problem dependency_* before the answer begins */
  forward(request: IncomingMessage, response: ServerResponse, forwarded: ForwardedRequest): Promise<void>;
  close(): void;
}

/** Whether the connection to the client ends with this answer. HTTP/1.0 connections and old connections end. */
export const isLast = ({ httpVersion }: IncomingMessage, response: ServerResponse, draining: () => boolean): boolean =>
  httpVersion === '1.0' || !response.shouldKeepAlive || response.getHeader('connection') === 'close' || draining();
