import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Agent } from 'undici';
import type { AgentRequest } from '../shared/control/admitted.ts';
import { hmacOf } from '../shared/control/credentials.ts';
import { randomToken } from '../shared/domain/ids.ts';
import { excessOfBody } from '../shared/http/request-body.ts';
import { createSequence } from '../shared/process/waiting.ts';
import { jsonIn } from '../shared/transport/answer.ts';
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
      return createAgentServer(version, worldsOfCredential({ ...access, admin, sign }), createSequence());
    },
    { onerror: onError },
  );
  /** The requests that this process answers, by principal, session and id. */
  const running = new Map<string, AbortController>();
  return async ({ request, body, principal, key }: AgentRequest, response: ServerResponse): Promise<void> => {
    const cancelled = new AbortController();
    response.once('close', () => cancelled.abort());
    if (response.destroyed) return;
    if (request.method !== 'POST') {
      // The library answers no other method, and a `Request` refuses some of them.
      response.setHeader('Allow', 'POST');
      refuse(response, `${request.method} is not possible here; POST is.`, 405);
      return;
    }
    const text = String(body ?? '');
    const excess = excessOfBody(text);
    const value = excess === undefined ? jsonIn(text) : undefined;
    const refused = excess ?? excessOfBatch(value);
    if (refused !== undefined) {
      refuse(response, refused);
      return;
    }
    const message = messageIn(value);
    const session = SESSION.exec(String(request.headers[SESSION_HEADER]))?.[0];
    const numbered = (id: unknown): string => JSON.stringify([principal, session, id]);
    if (session !== undefined && message.method === 'notifications/cancelled') running.get(numbered(message.params?.requestId))?.abort();
    const own = session !== undefined && message.id !== undefined ? numbered(message.id) : undefined;
    if (own !== undefined) running.set(own, cancelled);
    const accepted = acceptedIn(request.headers.accept);
    const accept = headerFor(accepted, request.headers.accept);
    const sent = new Request(new URL('/mcp', access.gateway), {
      method: 'POST',
      headers: headersOf({ ...request.headers, accept }),
      body: new Uint8Array(body ?? []),
      signal: cancelled.signal,
    });
    try {
      const given = await handler.fetch(sent, { authInfo: { token: key, clientId: principal, scopes: [] } });
      const answer = await inAcceptedType(given, accepted);
      if (message.method === 'initialize') response.setHeader(SESSION_HEADER, randomToken());
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body) await pipeline(answer.body, response);
      else response.end();
    } finally {
      if (own !== undefined && running.get(own) === cancelled) running.delete(own);
    }
  };
}

/**
 * Clients of the revisions of 2025 number their requests from 0, and cancel one with another request. The session distinguishes their
 * numbers. Nothing else is kept for it, so any gateway answers it. Later revisions cancel a request by closing its connection.
 */
const SESSION_HEADER = 'mcp-session-id';
const SESSION = /^[\w-]{1,64}$/;

interface Message {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

/** The message of a body. The library refuses what is not a message. */
const messageIn = (value: unknown): Message => (typeof value === 'object' && value !== null ? value : {});

/** Messages of a batch, which only the revision 2025-03-26 has. The library reads all of them together; their tools run one after the other. */
const MOST_MESSAGES = 50;

const excessOfBatch = (value: unknown): string | undefined =>
  Array.isArray(value) && value.length > MOST_MESSAGES ? `A batch has at most ${MOST_MESSAGES} messages: send fewer.` : undefined;

/** The code of JSON-RPC for what is not a request. */
const INVALID_REQUEST = -32_600;

/** The library would parse a body before it refuses it. */
function refuse(response: ServerResponse, message: string, status = 400): void {
  const answer = JSON.stringify({ jsonrpc: '2.0', error: { code: INVALID_REQUEST, message }, id: null });
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(answer);
}

const headersOf = (headers: IncomingHttpHeaders): Headers =>
  new Headers(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]])));
