import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Agent } from 'undici';
import type { AgentRequest } from '../shared/control/admitted.ts';
import { hmacOf } from '../shared/control/credentials.ts';
import { acceptedIn, headerFor, inAcceptedType } from './accepted-types.ts';
import { createAgentServer } from './server.ts';
import { worldsOfCredential } from './worlds.ts';

export interface AgentEndpointOptions {
  readonly version: string;
  /** Address of the gateway of this process. */
  readonly gateway: string;
  /** Credentials that reach the APIs of every rehearsal. */
  readonly bearer: string;
  readonly apiKey: string;
  /** Signs the handles of worlds. */
  readonly pepper: string;
  readonly agent: Agent;
  readonly onError: (error: Error) => void;
}

/** Characters of a signature: 96 bits. */
const SIGNATURE = 24;

/**
 * Answers MCP over streamable HTTP. No request needs another one's memory, so any gateway may answer it. An agent's calls go through the
 * gateway like any client's, its control operations with the agent's own credential.
 */
export function createAgentEndpoint({ version, pepper, onError, ...access }: AgentEndpointOptions) {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const { clientId: principal = '', token: admin = '' } = authInfo ?? {};
      const sign = (world: string): string => hmacOf(pepper, `world of an agent: ${principal} ${world}`).slice(0, SIGNATURE);
      return createAgentServer(version, worldsOfCredential({ ...access, admin, sign }));
    },
    { onerror: onError },
  );
  return async ({ request, body, principal, key }: AgentRequest, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { method = 'GET' } = request;
    const accepted = acceptedIn(request.headers.accept);
    const accept = headerFor(accepted, request.headers.accept);
    const sent = new Request(new URL('/mcp', access.gateway), {
      method,
      headers: headersOf({ ...request.headers, accept }),
      body: method === 'GET' || method === 'HEAD' ? null : new Uint8Array(body ?? []),
      signal: gone.signal,
    });
    const given = await handler.fetch(sent, { authInfo: { token: key, clientId: principal, scopes: [] } });
    const answer = await inAcceptedType(given, accepted);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) await pipeline(answer.body, response);
    else response.end();
  };
}

const headersOf = (headers: IncomingHttpHeaders): Headers =>
  new Headers(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]])));
