import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import express from 'express';
import { pino } from 'pino';
import { type GatewayOptions, startGateway } from '../../gateway/gateway.ts';
import { apis } from '../../shared/catalog/apis.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import type { Context } from '../../shared/control/context.ts';
import { mintCredentials, type PlainCredentials } from '../../shared/control/credentials.ts';
import { type JournalRecord, recordOf } from '../../shared/control/journal.ts';
import { listen } from '../../shared/process/fair-server.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { decodeContext } from '../../shared/transport/estate-headers.ts';

export const PEPPER = 'a-pepper-of-this-test';
export const TOKEN = 'the-token-of-the-estate';
export const BEARER = 'integration-token';
export const ADMIN = 'admin-token';
export const NO_SCOPE = 'token-without-scopes';
export const API_KEY = 'carrier-key';
/** An API for holders of an API key. */
export const PARCEL = '/shipments/shp_1/tracking';
export const SEEDED_AT = Date.UTC(2026, 2, 1, 10);

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly context: Context | undefined;
}

/** A server in place of all applications. Records requests and answers 200, unless the test sets another answer. */
export interface Upstream {
  readonly url: string;
  readonly received: Received[];
  /** Requests whose client disconnected before the answer. */
  readonly abandoned: string[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

async function anUpstream(): Promise<Upstream> {
  const received: Received[] = [];
  const abandoned: string[] = [];
  const upstream = { received, abandoned, answer: answerWell } as unknown as Upstream;
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    response.once('close', () => void (response.writableFinished || abandoned.push(url)));
    const body = await text(incoming).catch(() => '');
    received.push({ method, url, headers, body, context: decodeContext(String(headers['x-estate-context'] ?? '')) });
    upstream.answer(incoming, response);
  });
  const url = await listen(server, 0, '127.0.0.1');
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return Object.assign(upstream, { url, close });
}

function answerWell(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end('{"answered":true}');
}

/** A gateway with real limits and a world `default`, in front of one upstream for all applications. */
export async function aRig(options: Partial<GatewayOptions> = {}) {
  const upstream = await anUpstream();
  const adapter = createMemoryStore();
  const rehearsal = async (name: string): Promise<PlainCredentials> => {
    const { plain, stored } = mintCredentials(name, PEPPER);
    await adapter.worlds.open(name, { now: SEEDED_AT, applications: {}, due: [] }, stored);
    return plain;
  };
  await rehearsal('default');
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    directory: adapter.worlds,
    createRehearsal: async (name) => {
      await rehearsal(name);
      return (await adapter.worlds.resolve(name)) as WorldView;
    },
    credentials: [
      { name: 'integration', kind: 'bearer', key: BEARER, scopes: ['catalog'] },
      { name: 'carrier', kind: 'api-key', key: API_KEY, scopes: ['catalog'] },
      { name: 'admin', kind: 'bearer', key: ADMIN, scopes: ['control'] },
      { name: 'nobody-much', kind: 'bearer', key: NO_SCOPE, scopes: [] },
    ],
    pepper: PEPPER,
    addressOf: () => upstream.url,
    token: TOKEN,
    control: adapter.control,
    log,
    controlPlane: async ({ path }) => {
      throw new Problem('not_found', `Nothing is at ${path}.`);
    },
    agents: async (_admitted, response) => void response.end(),
    documents: express.Router(),
    limits: { perAddressPerMinute: 100_000, perKeyPerMinute: 100_000 },
    states: () => [],
    applicationStates: async () => [],
    // The gateway must not route the calls between applications.
    apis: [...Object.values(apis), ...Object.values(internalCalls)],
    ...options,
  }).catch(async (error: unknown) => {
    await upstream.close();
    throw error;
  });
  return {
    gateway,
    upstream,
    adapter,
    /** Creates a rehearsal and returns the credentials bound to it. */
    rehearsal,
    call: (call: Call) => send(gateway.url, call),
    raw: (bytes: string, until?: string) => raw(gateway.port, bytes, until),
    world: async (name: string) => {
      const view = await adapter.worlds.resolve(name);
      if (!view) throw new Error(`There is no rehearsal ${name}.`);
      return view.world;
    },
    journal: async (name: string): Promise<readonly JournalRecord[]> => {
      const view = await adapter.worlds.resolve(name);
      const entries = view ? (await adapter.worlds.journalOf(view.world)).entries : [];
      return entries.map(recordOf);
    },
    logged: () => lines.join(''),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await upstream.close();
      await adapter.close();
    },
  };
}

export type Rig = Awaited<ReturnType<typeof aRig>>;

/** A shared gateway for the tests of a file or topic. Received requests are cleared before each test. */
export function sharedRig(options: Partial<GatewayOptions> = {}): Rig {
  let rig: Rig | undefined;
  beforeAll(async () => {
    rig = await aRig(options);
  });
  afterAll(async () => rig?.[Symbol.asyncDispose]());
  beforeEach(() => {
    rig?.upstream.received.splice(0);
    rig?.upstream.abandoned.splice(0);
  });
  return new Proxy({} as Rig, { get: (_target, member) => Reflect.get(rig ?? {}, member) });
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

export const asCarrier = { 'x-api-key': API_KEY };
/** The header of `asIntegration` in bytes. */
export const AUTHORIZED = `Authorization: Bearer ${BEARER}`;
export const asIntegration = { authorization: `Bearer ${BEARER}` };

/** One request on a new connection. The path is sent unchanged. */
export function send(url: string, { method = 'GET', path, headers = {}, body, signal }: Call): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const outgoing = request({ hostname, port, method, path, headers: { ...headers } as never, agent: false, ...(signal && { signal }) });
    outgoing.on('response', (response) => {
      text(response).then((received) => {
        const isJson = /json/.test(response.headers['content-type'] ?? '') && received !== '';
        const json = isJson ? (JSON.parse(received) as Record<string, unknown>) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received, json });
      }, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The head of a request: its line without the version, and its headers. */
export const head = (line: string, ...headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

/** Sends raw bytes. Resolves with the received bytes when the other side closes, or when they contain `until`. */
export function raw(port: number, bytes: string, until?: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (until !== undefined && received.includes(until)) socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(received));
  });
}
