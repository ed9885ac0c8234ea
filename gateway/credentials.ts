import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { AuthScheme } from '../shared/catalog/define.ts';
import { Problem } from '../shared/catalog/problems.ts';
import { hmacOf, rehearsalOfClient, rehearsalOfKey } from '../shared/control/credentials.ts';
import type { EstateCall } from '../shared/control/estate-call.ts';
import { instant, type Ms } from '../shared/domain/time.ts';
import { rehearsalOf } from '../shared/domain/world.ts';
import type { WorldView } from '../shared/store/ports/rehearsals.ts';
import { type AccessTokens, isAccessToken } from './oauth/access-tokens.ts';
import { ProblemWithHeaders } from './problems.ts';
import type { Revocations } from './rehearsal-access.ts';

/** Schemes that present a key. A signed webhook presents none: the application verifies its signature. */
type KeyScheme = Exclude<AuthScheme, 'none' | 'signature'>;

export interface Credential {
  readonly name: string;
  readonly kind: KeyScheme;
  readonly key: string;
  readonly scopes: readonly string[];
}

/** Schemes that an operation may require of the gateway; `none` accepts callers without a key. */
type RequiredScheme = Exclude<AuthScheme, 'signature'>;

/** Lets a credential call the APIs of the catalog. */
export const CATALOG_SCOPE = 'catalog';
/** Lets a credential drive the control plane. */
export const CONTROL_SCOPE = 'control';

/** A key in a request. Comparison, rate limits and caches use its HMAC. */
export interface PresentedKey {
  readonly kind: KeyScheme;
  readonly key: string;
  readonly hash: string;
}

export interface AuthenticatedCaller {
  readonly principal: string;
  readonly scopes: readonly string[];
  /** The rehearsal that the credential is bound to. */
  readonly boundTo?: WorldView;
  /** Set for a caller with an access token: its generation. */
  readonly tokenGeneration?: number;
  /** Set for the real system of a swapped application. */
  readonly estateCall?: EstateCall;
}

interface RequiredCredential {
  readonly scheme: RequiredScheme;
  readonly scope: string;
}

interface KeyringOptions {
  readonly credentials: readonly Credential[];
  readonly pepper: string;
  readonly accessTokens: AccessTokens;
  readonly revocations: Pick<Revocations, 'isRevoked'>;
  readonly resolve: (rehearsal: string) => Promise<WorldView | undefined>;
}

export interface Keyring {
  /** The key in a request for the given scheme. If the API needs no key, a key of either scheme counts. */
  presentedKey(headers: IncomingHttpHeaders, scheme: RequiredScheme): PresentedKey | undefined;
  /** @returns undefined for an anonymous caller, if the API allows one @throws Problem unauthenticated, forbidden */
  authenticate(presented: PresentedKey | undefined, required: RequiredCredential): Promise<AuthenticatedCaller | undefined>;
}

/** Longer keys are refused without hashing. */
const LONGEST_KEY = 1_024;
const MOST_HASHES = 1_000;
/** Characters of a hash that find a credential. */
const HASH_PREFIX = 16;

export function createKeyring({ credentials, pepper, accessTokens, revocations, resolve }: KeyringOptions): Keyring {
  const hashOf = cachedHash(pepper);
  const dummyHash = Buffer.from(hmacOf(pepper, 'nobody'), 'hex');
  const known = new Map(
    credentials.map(({ key, ...credential }) => {
      const hash = hmacOf(pepper, key);
      return [`${credential.kind}:${hash.slice(0, HASH_PREFIX)}`, { credential, hash: Buffer.from(hash, 'hex') }];
    }),
  );

  function presentedKey(headers: IncomingHttpHeaders, scheme: RequiredScheme): PresentedKey | undefined {
    const bearer = scheme === 'api-key' ? undefined : bearerOf(headers);
    const apiKey = scheme === 'bearer' ? undefined : apiKeyOf(headers);
    const key = bearer ?? apiKey;
    if (key === undefined || key.length > LONGEST_KEY) return undefined;
    return { kind: bearer === undefined ? 'api-key' : 'bearer', key, hash: hashOf(key) };
  }

  /** @throws Problem unauthenticated, with the reason */
  async function callerOfToken(token: string): Promise<AuthenticatedCaller> {
    const grant = accessTokens.read(token);
    if (!grant) throw invalidToken('The access token was not issued here');
    const { client, world, scopes, endsAt, generation } = grant;
    const boundTo = await resolve(rehearsalOf(world));
    if (boundTo?.world !== world) throw invalidToken('The access token ended when its rehearsal was reset or deleted');
    const { now, tokenExpiry = { generation: 0, at: endsAt } } = boundTo;
    const end = generation < tokenExpiry.generation ? Math.min(tokenExpiry.at, endsAt) : endsAt;
    if (now >= end) throw expiredToken(end);
    if (await revocations.isRevoked(grant)) throw invalidToken('The access token was revoked');
    return {
      principal: rehearsalOfClient(client) === undefined ? client : `reh:${boundTo.rehearsal}`,
      scopes,
      boundTo,
      tokenGeneration: generation,
    };
  }

  async function findCaller({ kind, key, hash }: PresentedKey): Promise<AuthenticatedCaller | undefined> {
    if (kind === 'bearer' && isAccessToken(key)) return callerOfToken(key);
    const given = Buffer.from(hash, 'hex');
    const rehearsal = rehearsalOfKey(key);
    if (rehearsal !== undefined) {
      const boundTo = await resolve(rehearsal);
      const stored = boundTo && Buffer.from(kind === 'bearer' ? boundTo.credentials.bearer : boundTo.credentials.apiKey, 'hex');
      if (!equal(given, stored, dummyHash) || !boundTo) return undefined;
      return { principal: `reh:${rehearsal}`, scopes: [CATALOG_SCOPE], boundTo };
    }
    const found = known.get(`${kind}:${hash.slice(0, HASH_PREFIX)}`);
    if (!equal(given, found?.hash, dummyHash) || !found) return undefined;
    return { principal: found.credential.name, scopes: found.credential.scopes };
  }

  async function authenticate(
    given: PresentedKey | undefined,
    { scheme, scope }: RequiredCredential,
  ): Promise<AuthenticatedCaller | undefined> {
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

  return { presentedKey, authenticate };
}

/** Compares in constant time. Without a stored hash it compares a dummy, so that an unknown name takes the same time. */
function equal(given: Buffer, stored: Buffer | undefined, dummy: Buffer): boolean {
  const expected = stored ?? dummy;
  return given.length === expected.length && timingSafeEqual(given, expected) && stored !== undefined;
}

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

const unauthenticated = (scheme: KeyScheme): ProblemWithHeaders =>
  new ProblemWithHeaders('unauthenticated', {
    detail:
      scheme === 'bearer'
        ? 'Send a known token as "Authorization: Bearer <token>". The token of a deleted or ended rehearsal is unknown.'
        : 'Send a known key as "X-API-Key: <key>". The key of a deleted or ended rehearsal is unknown.',
    headers: { 'WWW-Authenticate': `${scheme === 'bearer' ? 'Bearer' : 'ApiKey'} realm="unified-commerce"` },
  });

/** @param fault the name of the fault that made the token expire before this call */
export const expiredToken = (at: Ms, fault?: string): ProblemWithHeaders =>
  invalidToken(`The access token expired at ${instant(at)}, on the clock of the rehearsal`, fault);

/** RFC 6750 §3. @param reason a sentence without its full stop, in ASCII without quotation marks */
const invalidToken = (reason: string, fault?: string): ProblemWithHeaders =>
  new ProblemWithHeaders('unauthenticated', {
    fault,
    detail: `${reason}. Fetch a new one with POST /oauth/token.`,
    headers: { 'WWW-Authenticate': `Bearer realm="unified-commerce", error="invalid_token", error_description="${reason}"` },
  });
