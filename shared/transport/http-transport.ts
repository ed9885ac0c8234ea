import { type Agent, request } from 'undici';
import type { Application } from '../catalog/applications.ts';
import { Problem } from '../catalog/problems.ts';
import { withTimeLimit } from '../process/waiting.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from './estate-headers.ts';
import { type OutgoingCall, type Reply, type Transport, timedOut } from './transport.ts';

export interface HttpTransportOptions {
  /** Asked at every call: ports are known only after all applications have started. */
  readonly addressOf: (application: Application) => string;
  /** Authenticates calls within the estate. */
  readonly token: string;
  readonly agent: Agent;
}

/** Calls over HTTP, on kept connections. */
export function createHttpTransport({ addressOf, token, agent }: HttpTransportOptions): Transport {
  const urlOf = (application: Application, path: string): string => `${addressOf(application)}${path}`;

  async function send({ application, method, path, context, idempotencyKey, body, timeoutMs }: OutgoingCall): Promise<Reply> {
    const { correlationId, traceparent } = context;
    const headers: Record<string, string> = {
      [CONTEXT_HEADER]: encodeContext(context),
      [TOKEN_HEADER]: token,
      'x-correlation-id': correlationId,
      ...(traceparent !== undefined && { traceparent }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    return withTimeLimit(timeoutMs, async (signal) => {
      const response = await request(urlOf(application, path), { method, headers, body: body ?? null, dispatcher: agent, signal });
      const retryAfter = response.headers['retry-after'];
      return {
        status: response.statusCode,
        text: await response.body.text(),
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      };
    });
  }

  return {
    urlOf,
    send: (call) =>
      send(call).catch((error: unknown) => {
        throw noReply(call.application, error);
      }),
  };
}

const CANNOT_CONNECT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** A refused connection did nothing. After any other failure the work may be done, and only the answer is missing. */
function noReply(dependency: Application, error: unknown): Problem {
  const { name, code } = error as { name?: string; code?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return timedOut(dependency);
  if (CANNOT_CONNECT.has(code)) {
    return new Problem('dependency_unavailable', `${dependency} cannot be reached.`, { dependency, retryAfter: 1 });
  }
  return new Problem('dependency_error', `${dependency} broke off without an answer; whether it did the work is unknown.`, { dependency });
}
