import type { Agent } from 'undici';
import type { Application } from '../catalog/applications.ts';
import type { Problem } from '../catalog/problems.ts';
import { didNotConnect } from '../process/connection-trouble.ts';
import { request } from '../process/http-client.ts';
import { withTimeLimit } from '../process/waiting.ts';
import { headersOf } from './estate-headers.ts';
import { brokenOff, type OutgoingCall, type Reply, type Transport, timedOut, unreachable } from './transport.ts';

interface HttpTransportOptions {
  /** Called for every call: ports are known only after all applications have started. */
  readonly addressOf: (application: Application) => string;
  /** Authenticates calls within the estate. */
  readonly token: string;
  readonly agent: Agent;
}

/** Calls over HTTP, on kept connections. */
export function createHttpTransport({ addressOf, token, agent }: HttpTransportOptions): Transport {
  const urlOf = (application: Application, path: string): string => `${addressOf(application)}${path}`;

  async function send(call: OutgoingCall): Promise<Reply> {
    const { application, method, path, body, timeoutMs } = call;
    const headers = headersOf(call, token);
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

/** Without a connection nothing was done. After any other failure the work may be done, and only the answer is missing. */
function noReply(dependency: Application, error: unknown): Problem {
  const { name } = error as { name?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return timedOut(dependency);
  return didNotConnect(error) ? unreachable(dependency) : brokenOff(dependency);
}
