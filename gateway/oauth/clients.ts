import { comparisonWith, hmacOf, rehearsalOfClient } from '../../shared/control/credentials.ts';
import type { WorldView } from '../../shared/store/ports/rehearsals.ts';
import { type AuthenticatedCaller, CATALOG_SCOPE } from '../credentials.ts';

/** A program that fetches access tokens. */
export interface OAuthClient {
  /** Its `client_id`. */
  readonly name: string;
  readonly secret: string;
  readonly scopes: readonly string[];
  /** Seconds on the rehearsal's clock until its tokens expire. */
  readonly expiresIn?: number | undefined;
}

/** `client_id` and `client_secret` of a request. */
export interface PresentedClient {
  readonly id: string;
  readonly secret: string;
}

/** A client with the right secret. */
export interface KnownClient {
  readonly id: string;
  readonly caller: AuthenticatedCaller;
  /** Seconds. */
  readonly expiresIn: number;
}

export interface OAuthClients {
  /** Rate limits count the requests of a client by this hash. */
  readonly hashOf: (presented: PresentedClient) => string;
  /** @returns undefined for an unknown client or a wrong secret */
  readonly authenticate: (presented: PresentedClient) => Promise<KnownClient | undefined>;
}

interface OAuthClientsOptions {
  readonly clients: readonly OAuthClient[];
  readonly pepper: string;
  readonly resolve: (rehearsal: string) => Promise<WorldView | undefined>;
}

/** Seconds, unless a client has another value. */
const EXPIRES_IN = 3_600;

/** The clients of the fixtures, and one client of each rehearsal. */
export function createOAuthClients({ clients, pepper, resolve }: OAuthClientsOptions): OAuthClients {
  // An unknown client is compared too, so that its refusal takes the same time.
  const isNobody = comparisonWith(hmacOf(pepper, 'nobody'));
  const known = new Map(clients.map((client) => [client.name, { client, isSecret: comparisonWith(hmacOf(pepper, client.secret)) }]));

  async function ofRehearsal(name: string, { id, secret }: PresentedClient): Promise<KnownClient | undefined> {
    const boundTo = await resolve(name);
    const stored = boundTo?.credentials.clientSecret;
    const isSecret = stored === undefined ? isNobody : comparisonWith(stored);
    if (!isSecret(hmacOf(pepper, secret)) || !boundTo) return undefined;
    return { id, caller: { principal: `reh:${name}`, scopes: [CATALOG_SCOPE], boundTo }, expiresIn: EXPIRES_IN };
  }

  async function authenticate(presented: PresentedClient): Promise<KnownClient | undefined> {
    const { id, secret } = presented;
    const rehearsal = rehearsalOfClient(id);
    if (rehearsal !== undefined) return ofRehearsal(rehearsal, presented);
    const found = known.get(id);
    const isRight = (found?.isSecret ?? isNobody)(hmacOf(pepper, secret));
    if (!isRight || !found) return undefined;
    const { scopes, expiresIn = EXPIRES_IN } = found.client;
    return { id, caller: { principal: id, scopes }, expiresIn };
  }

  return { authenticate, hashOf: ({ id, secret }) => hmacOf(pepper, `${id}:${secret}`) };
}
