import { readFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll } from '@jest/globals';
import type { z } from 'zod';
import { createPortalPage } from '../../console/serve.ts';
import type { AuthorizationFixture, CaseFixture } from '../../services/touchpoint-mock/contract/fixtures.ts';
import type { MESSAGES } from '../../services/touchpoint-mock/contract/messages.ts';
import type { Listening } from '../../services/touchpoint-mock/http-listening.ts';
import { startTouchpointMock, type TouchpointMockOptions } from '../../services/touchpoint-mock/mock-server.ts';
import { type PortalOptions, startPortal } from '../../services/touchpoint-mock/portal-server.ts';

export const STORE_KEY = 'demo-store-key';
export const CALCULATE = '/retail/touchpoint/basket/calculate';
export const FINISH = '/retail/touchpoint/basket/finish';

/** The cases of the contract, listed independently of the code under test. */
const FROM_14 = ['14', '14refused', '14unavailable', '15', '16', '16b', '17', '18', '19'];
export const CALCULATE_CASES = ['01', '02', '03', '04', '06', '07', '08', ...FROM_14];
export const FINISH_CASES = ['09', '10', '10r', '10c', '10claimed'];
export const ALL_CASES = [...CALCULATE_CASES, ...FINISH_CASES];

type Message<Name extends keyof typeof MESSAGES> = z.output<(typeof MESSAGES)[Name]>;
export type Line = Message<'RequestLine'>;
export type ResponseLine = Message<'ResponseLine'>;

/** A fixture with the members of every kind of request and answer. */
export interface Fixture extends Pick<CaseFixture, 'alias' | 'status'>, Partial<Pick<CaseFixture, 'headers'>> {
  readonly request: Message<'CalculateRequest'> & Partial<Message<'FinishRequest'>>;
  readonly response: Partial<Omit<Message<'StaleDigest'>, 'status'>> & Readonly<Record<string, unknown>>;
}

const folder = new URL('../../fixtures/', import.meta.url);

/** The content of a fixture file. */
export function fixtureOf(name: string): Fixture {
  return JSON.parse(readFileSync(new URL(`touchpoint/${name}.json`, folder), 'utf8')) as Fixture;
}

/** The authorization fixtures for the demo key and lane SCO-01. */
export function authorizationFixtures(): readonly AuthorizationFixture[] {
  const source = readFileSync(new URL('touchpoint-authorization.json', folder), 'utf8');
  return JSON.parse(source.replaceAll('{storeKey}', STORE_KEY).replaceAll('{lane}', 'SCO-01')) as AuthorizationFixture[];
}

const STORE = { storeKey: STORE_KEY, lanes: ['SCO-01'] };
const started: Listening[] = [];

// Includes servers of failed tests, because a listening server keeps the test run from ending.
afterAll(() => Promise.all(started.map((server) => server.close())));

export async function aMock(options: Partial<TouchpointMockOptions> = {}): Promise<Listening> {
  const mock = await startTouchpointMock({ host: '127.0.0.1', port: 0, ...STORE, ...options });
  started.push(mock);
  return mock;
}

export async function aPortal(options: Partial<PortalOptions> & { readonly mockUrl: string }): Promise<Listening> {
  const portal = await startPortal({ page: createPortalPage(), port: 0, ...STORE, ...options });
  started.push(portal);
  return portal;
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One real request, with only the headers that HTTP requires. A whole address as the path is sent as it is, as to a proxy. */
export function call(url: string, { method = 'POST', path, headers = {}, body, agent }: Call): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const target = URL.canParse(path) ? { path } : {};
    const outgoing = request(
      URL.canParse(path) ? url : `${url}${path}`,
      { ...target, method, headers, agent: agent ?? new Agent({ keepAlive: false }) },
      (response) => {
        text(response).then((received) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received }), reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

export const AUTHORIZED = { Authorization: `Bearer ${STORE_KEY}`, 'Content-Type': 'application/json' };

/** A request with the demo key and, by default, a body of lane SCO-01. */
export function authorized(url: string, { body, headers = {}, ...rest }: Omit<Call, 'body'> & { readonly body?: unknown }): Promise<Reply> {
  const content =
    typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body ?? { touchpointId: 'SCO-01', basketId: 'basket-1001' });
  return call(url, { ...rest, headers: { ...AUTHORIZED, ...headers }, body: content });
}

export const statusOf = (received: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1]);
