import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { AuthScheme } from '../shared/catalog/define.ts';
import { Problem } from '../shared/catalog/problems.ts';
import { hmacOf, rehearsalOfKey } from '../shared/simulation/credentials.ts';
import type { WorldView } from '../shared/store/ports/directory.ts';
import { EdgeProblem } from './problems.ts';

/** Schemes that present a key. A signed webhook presents none: the application verifies its signature. */
export type Scheme = Exclude<AuthScheme, 'none' | 'signature'>;

export interface Credential {
  readonly name: string;
  readonly kind: Scheme;
  readonly key: string;
  readonly scopes: readonly string[];
}

/** Schemes that the gateway authenticates; `none` accepts callers without a key. */
export type KeyScheme = Exclude<AuthScheme, 'signature'>;

/** Lets a credential call the APIs of the catalog. */
export const CATALOG_SCOPE = 'catalog';
/** Lets a credential drive the simulation plane. */
export const CONTROL_SCOPE = 'sim:admin';

/** A key in a request. Comparison, rate limits and caches use its HMAC. */
export interface Presented {
  readonly kind: Scheme;
  readonly key: string;
  readonly hash: string;
}

/** An authenticated caller; `bound` is the rehearsal of its credential, if the credential belongs to one. */
export interface Caller {
  readonly principal: string;
  readonly scopes: readonly string[];
  readonly bound?: WorldView;
}

export interface Demand {
  readonly scheme: KeyScheme;
  readonly scope: string;
}

export interface KeyringOptions {
  readonly credentials: readonly Credential[];
  readonly pepper: string;
  readonly resolve: (rehearsal: string) => Promise<WorldView | undefined>;
}

export interface Keyring {
  /** The key in a request for a scheme; of either scheme when the API needs none. */
  presented(headers: IncomingHttpHeaders, scheme: KeyScheme): Presented | undefined;
  /**
   * @returns undefined for an anonymous caller, which only APIs without authentication accept
   * @throws Problem unauthenticated, forbidden
   */
  authenticate(presented: Presented | undefined, demand: Demand): Promise<Caller | undefined>;
}

/** Longer keys are refused without hashing. */
const LONGEST_KEY = 256;
const MOST_HASHES = 1_000;
const PREFIX = 16;

export function createKeyring({ credentials, pepper, resolve }: KeyringOptions): Keyring {
  const hashOf = cachedHash(pepper);
  const nobody = Buffer.from(hmacOf(pepper, 'nobody'), 'hex');
  const known = new Map(
    credentials.map(({ key, ...credential }) => {
      const hash = hmacOf(pepper, key);
      return [`${credential.kind}:${hash.slice(0, PREFIX)}`, { credential, hash: Buffer.from(hash, 'hex') }];
    }),
  );

  function presented(headers: IncomingHttpHeaders, scheme: KeyScheme): Presented | undefined {
    const bearer = scheme === 'api-key' ? undefined : bearerOf(headers);
    const apiKey = scheme === 'bearer' ? undefined : apiKeyOf(headers);
    const key = bearer ?? apiKey;
    if (key === undefined || key.length > LONGEST_KEY) return undefined;
    return { kind: bearer === undefined ? 'api-key' : 'bearer', key, hash: hashOf(key) };
  }

  async function findCaller({ kind, key, hash }: Presented): Promise<Caller | undefined> {
    const given = Buffer.from(hash, 'hex');
    const rehearsal = rehearsalOfKey(key);
    if (rehearsal !== undefined) {
      const bound = await resolve(rehearsal);
      const stored = bound && Buffer.from(kind === 'bearer' ? bound.credentials.bearer : bound.credentials.apiKey, 'hex');
      return equal(given, stored, nobody) && bound ? { principal: `reh:${rehearsal}`, scopes: [CATALOG_SCOPE], bound } : undefined;
    }
    const found = known.get(`${kind}:${hash.slice(0, PREFIX)}`);
    if (!equal(given, found?.hash, nobody) || !found) return undefined;
    return { principal: found.credential.name, scopes: found.credential.scopes };
  }

  async function authenticate(given: Presented | undefined, { scheme, scope }: Demand): Promise<Caller | undefined> {
    const caller = given && (await findCaller(given));
    if (scheme === 'none') {
      // The token of a deleted rehearsal must not be answered from another world.
      if (given && !caller && rehearsalOfKey(given.key) !== undefined) throw unauthenticated(given.kind);
      return caller;
    }
    if (!caller) throw unauthenticated(scheme);
    if (!caller.scopes.includes(scope)) throw new Problem('forbidden', `The credential has no scope "${scope}".`, { scope });
    return caller;
  }

  return { presented, authenticate };
}

/** Constant time. Without a stored hash it compares a dummy, so that unknown names take as long. */
function equal(given: Buffer, stored: Buffer | undefined, dummy: Buffer): boolean {
  const expected = stored ?? dummy;
  return given.length === expected.length && timingSafeEqual(given, expected) && stored !== undefined;
}

/** Caches the hashes of recent keys. */
function cachedHash(pepper: string): (key: string) => string {
  const hashes = new LRUCache<string, string>({ max: MOST_HASHES, memoMethod: (key) => hmacOf(pepper, key) });
  return (key) => hashes.memo(key);
}

function bearerOf({ authorization }: IncomingHttpHeaders): string | undefined {
  return authorization === undefined ? undefined : /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1];
}

function apiKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-api-key'];
  return typeof key === 'string' && key !== '' ? key : undefined;
}

const unauthenticated = (scheme: Scheme): EdgeProblem =>
  new EdgeProblem('unauthenticated', {
    detail:
      scheme === 'bearer'
        ? 'Send a known token as "Authorization: Bearer <token>". The token of a rehearsal that was deleted or has ended is not known any more.'
        : 'Send a known key as "X-API-Key: <key>". The key of a rehearsal that was deleted or has ended is not known any more.',
    headers: { 'WWW-Authenticate': `${scheme === 'bearer' ? 'Bearer' : 'ApiKey'} realm="unified-commerce"` },
  });
