import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import type { Span } from '../shared/observability/observer.ts';
import type { WorldView } from '../shared/store/ports/directory.ts';
import type { AuthenticatedCaller } from './credentials.ts';
import type { ForwardedRequest } from './forwarder.ts';
import type { RequestIds } from './request-ids.ts';

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** A value of `performance.now()`. */
  readonly started: number;
}

/** The part that answers a request: an API, or a part of the gateway. */
export type Target =
  | { readonly target: 'api'; readonly api: ApiDefinition }
  | { readonly target: 'preflight' | 'health' | 'metrics' | 'control plane' | 'documents'; readonly api?: undefined };

/** The facts that the steps may have established about a request. A refusal and the access log use the available ones. */
export interface ProvedFacts extends Exchange {
  /** The path without the query. */
  readonly path?: string;
  readonly target?: Target['target'];
  readonly api?: ApiDefinition | undefined;
  readonly span?: Span | undefined;
  /** W3C trace context for the spans and logs of the request. */
  readonly traceparent?: string | undefined;
  /** The authenticated caller. Undefined for anonymous callers and for signed requests. */
  readonly caller?: AuthenticatedCaller | undefined;
  readonly view?: WorldView | undefined;
  readonly ids?: RequestIds;
  /** Whether the application may have received the request. */
  readonly forwarded?: ForwardedRequest;
}

/** How far a request came, and what ended it before its answer. */
export interface Outcome {
  readonly facts: ProvedFacts;
  /** The value that a step threw. It may be of any type. */
  readonly refusal?: { readonly error: unknown };
}
