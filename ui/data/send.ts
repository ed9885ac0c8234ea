import type { ApiInput, ApiOutput, TypedApiId } from '../../rehearsal/call-types.ts';
import { type Api, apis } from './catalog.ts';
import { config } from './config.ts';
import { pathOf } from './path-of.ts';
import { type Refusal, refusalOf, unreachable } from './refusal.ts';
import { here } from './router.ts';
import { credentialsOf } from './session.ts';

/** A request to an API of the estate, as a client of a rehearsal sends it. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly auth: Api['auth'];
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly correlationId: string | undefined;
  /** Set when the estate has refused the request. */
  readonly refusal: Refusal | undefined;
}

/** The credential of this tab for an API of a rehearsal: the rehearsal's own, or the public one of a demonstration. */
export function credentialFor(rehearsal: string, auth: Api['auth']): string | undefined {
  const own = credentialsOf(rehearsal);
  const { demo } = config();
  return auth === 'api-key' ? (own?.apiKey ?? demo?.apiKey) : (own?.bearer ?? demo?.integration);
}

/** Why this tab cannot call an API. */
export function whyNoCall(rehearsal: string, api: string): string | undefined {
  const { auth, name } = apis[api] ?? { auth: 'none', name: api };
  if (auth === 'signature') return `${name} needs a signature. A browser cannot make it.`;
  return auth === 'none' || credentialFor(rehearsal, auth) !== undefined
    ? undefined
    : 'This tab has no credential for the APIs. The tab that creates a rehearsal has its credential.';
}

/** @throws Refusal when the gateway does not answer */
export async function sendRequest(rehearsal: string, { method, path, auth, body, idempotencyKey }: ApiRequest): Promise<Answer> {
  const credential = credentialFor(rehearsal, auth);
  const answer = await fetch(path, {
    method,
    headers: {
      'X-Rehearsal': rehearsal,
      ...(credential !== undefined && auth === 'bearer' && { Authorization: `Bearer ${credential}` }),
      ...(credential !== undefined && auth === 'api-key' && { 'X-API-Key': credential }),
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    cache: 'no-store',
  }).catch((error: unknown) => {
    throw unreachable(error);
  });
  const refusal = answer.ok ? undefined : await refusalOf(answer.clone());
  const text = await answer.text();
  return { status: answer.status, body: asJson(text), correlationId: answer.headers.get('X-Correlation-Id') ?? undefined, refusal };
}

/** Calls an API as a client of the rehearsal in the address. @throws Refusal */
export async function callApi<Id extends TypedApiId>(id: Id, input: ApiInput<Id>, query: '' | '?dryRun=true' = '') {
  const { method = 'GET', path = '', auth = 'none' } = apis[id] ?? {};
  const { params = {}, body = {} } = input as { readonly params?: Readonly<Record<string, string>>; readonly body?: unknown };
  const sent = { method, path: `${pathOf({ path }, params)}${query}`, auth, body: method === 'DELETE' ? undefined : body };
  const answer = await sendRequest(here(), { ...sent, idempotencyKey: newIdempotencyKey() });
  if (answer.refusal) throw answer.refusal;
  return { body: answer.body as ApiOutput<Id>, correlationId: answer.correlationId };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === '' ? null : text;
  }
}

/** `crypto.randomUUID` exists only on pages from a secure origin. */
export const newIdempotencyKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
