import type { PortalCaller, PortalCase, PortalDescription } from '../../services/touchpoint-mock/portal-description.ts';
import { quoted } from '../data/curl.ts';
import { parsed } from './json-text.ts';

/** A request as the form has it. */
export interface PortalRequest {
  readonly alias: string;
  /** Where it is sent: to the path of the alias, or to the endpoint of the case. */
  readonly address: string;
  readonly selector: string;
  /** The name of an authorization fixture. */
  readonly caller: string;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
}

/** An exchange: its request, and its answer or why there is none. */
export interface Sent {
  readonly request: PortalRequest;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  readonly answer?: Answer;
  readonly failure?: 'not-sendable' | 'stopped' | 'unreachable';
}

/** @returns the element that fits, or else the first one */
export function firstOf<T>(list: readonly T[], fits: (one: T) => boolean): T {
  const found = list.find(fits) ?? list[0];
  if (found === undefined) throw new Error('The portal has no fixtures.');
  return found;
}

/** The body of a case, with the lane of the caller. */
export const bodyOf = (fixture: PortalCase, caller: PortalCaller): string =>
  JSON.stringify({ ...fixture.request, touchpointId: caller.touchpointId }, null, 2);

/** The request of a case, sent to its alias. */
export const requestOf = (fixture: PortalCase, caller: PortalCaller): PortalRequest => ({
  alias: fixture.alias,
  address: 'alias',
  selector: fixture.case,
  caller: caller.name,
  body: bodyOf(fixture, caller),
});

interface OnTheWire {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Path, headers and body of a request. The path of a scenario endpoint implies the selector. */
export function onTheWire(portal: PortalDescription, { alias, address, selector, caller, body }: PortalRequest): OnTheWire {
  const { authorization } = firstOf(portal.authorization, ({ name }) => name === caller);
  const isScenario = address === 'scenario';
  return {
    path: isScenario ? `/caso${encodeURIComponent(selector)}` : firstOf(portal.aliases, ({ name }) => name === alias).path,
    headers: {
      'Content-Type': 'application/json',
      ...(authorization === null ? {} : { Authorization: authorization }),
      ...(isScenario || selector === '' ? {} : { 'X-Mock-Case': selector }),
    },
    body,
  };
}

/** Sends a request to the mock, through the portal. */
export async function exchange({ path, headers, body }: OnTheWire, signal?: AbortSignal): Promise<Pick<Sent, 'answer' | 'failure'>> {
  let prepared: Headers;
  try {
    prepared = new Headers(headers);
  } catch {
    return { failure: 'not-sendable' };
  }
  try {
    const response = await fetch(`mock${path}`, { method: 'POST', headers: prepared, body, signal });
    const text = await response.text();
    return { answer: { status: response.status, reason: response.statusText, headers: [...response.headers], text } };
  } catch {
    return { failure: signal?.aborted ? 'stopped' : 'unreachable' };
  }
}

/** Systems allow at least 128 KiB for a single argument. */
const LONGEST_ARGUMENT = 100_000;

/**
 * The request as a shell command. `--data-raw`, because `--data` would read a leading @ as a file name. A long body is piped: it does not fit
 * into an argument, and `printf` is part of the shell.
 */
export function curlCommand(url: string, { headers, body }: Omit<OnTheWire, 'path'>): string {
  const isLong = new TextEncoder().encode(body).length > LONGEST_ARGUMENT;
  return [
    `${isLong ? `printf %s ${quoted(body)} | ` : ''}curl -i -X POST ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    isLong ? '  --data-binary @-' : `  --data-raw ${quoted(body)}`,
  ].join(' \\\n');
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/** An address as this browser can reach it: a loopback address gets the host name of the page. */
export function reachable(address: string): string {
  const url = new URL(address);
  if (LOOPBACK.includes(url.hostname)) url.hostname = location.hostname;
  return url.href.replace(/\/$/, '');
}

/** Why the mock finds no lane in a body, as the beginning of a sentence; undefined if it finds one. */
export function laneTrouble(body: string): string | undefined {
  if (body.trim() === '') return 'The body is empty';
  const value = parsed(body);
  if (value === undefined) return 'The body is not JSON';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'The body is not a JSON object';
  return 'touchpointId' in value && typeof value.touchpointId === 'string' ? undefined : 'The body has no lane as its touchpointId';
}
