import type { IncomingHttpHeaders } from 'node:http';
import { CorrelationId } from '../shared/catalog/headers.ts';
import { secretIn } from '../shared/domain/redaction.ts';

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

export interface RequestIds {
  readonly requestId: string;
  readonly correlationId: string;
}

/** The correlation id of the client. If it is absent, malformed or contains a secret, the request's own id replaces it. */
export function identify(headers: IncomingHttpHeaders, requestId: string): RequestIds {
  const sent = headers['x-correlation-id'];
  const fits = typeof sent === 'string' && CorrelationId.safeParse(sent).success && secretIn(sent) === undefined;
  return { requestId, correlationId: fits ? sent : requestId };
}

/** @returns the W3C traceparent of the client; undefined when it is absent or malformed */
export function traceparentOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}
