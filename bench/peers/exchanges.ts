import { isDeepStrictEqual } from 'node:util';
import type { Load } from '../load.ts';
import { CONNECTIONS, fixture, PATH, request } from '../touchpoint.ts';

/** Path of the static GET, which the touchpoint mock answers to health checks. */
export const STATIC_PATH = '/healthz';
export const STATIC_ANSWER = { status: 'ok' } as const;

const ANSWER_MS = 10_000;

export interface Exchange {
  readonly what: string;
  /** Length of the touchpoint mock's answer. */
  readonly bytes: number;
  loadOf(server: Server, seconds: number): Load;
}

export const staticGet: Exchange = {
  what: 'static GET',
  bytes: JSON.stringify(STATIC_ANSWER).length,
  loadOf: ({ url }, seconds) => ({ url: `${url}${STATIC_PATH}`, connections: CONNECTIONS, seconds }),
};

/** @param bytes length of the answer */
export const caseTwo = (bytes: number): Exchange => ({
  what: 'case 02',
  bytes,
  loadOf: ({ url }, seconds) => ({ ...request, url: `${url}${PATH}`, connections: CONNECTIONS, seconds }),
});

/**
 * Sends a server the requests of the benchmark once.
 * @returns the length of its answer to case 02
 * @throws Error when an answer differs from the answer of the touchpoint mock, or when another lane is not refused
 */
export async function checkAnswers(name: string, { url }: Server): Promise<number> {
  const answer = await post(url, request.body);
  const text = await answer.text();
  expectAnswer(name, 'case 02', answer.status === 200 && isDeepStrictEqual(JSON.parse(text), fixture.response));
  const otherLane = await post(url, JSON.stringify({ ...fixture.request, touchpointId: 'SCO-99' }));
  expectAnswer(name, 'case 02 for another lane', otherLane.status >= 400);
  const got = await fetch(`${url}${STATIC_PATH}`, { signal: AbortSignal.timeout(ANSWER_MS) });
  expectAnswer(name, 'the static GET', got.status === 200 && isDeepStrictEqual(await got.json(), STATIC_ANSWER));
  return Buffer.byteLength(text);
}

function post(url: string, body: string): Promise<Response> {
  return fetch(`${url}${PATH}`, { ...request, body, signal: AbortSignal.timeout(ANSWER_MS) });
}

function expectAnswer(name: string, what: string, isRight: boolean): void {
  if (!isRight) throw new Error(`${name} answered ${what} wrongly.`);
}

export interface Server extends AsyncDisposable {
  readonly url: string;
  rssBytes(): Promise<number>;
}

/** A measured program, which can be started any number of times. */
export interface Contestant {
  readonly name: string;
  /** Resolves when the server has given its first answer. */
  start(): Promise<Server>;
}

/** A third-party program, installed on first use, because the project does not depend on it. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  /** @throws Error with the reason when it cannot be installed or run here */
  install(): Promise<Contestant>;
}
