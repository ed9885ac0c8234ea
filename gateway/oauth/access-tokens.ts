import { randomBytes } from 'node:crypto';
import { createSigning } from '../../shared/control/signed-text.ts';
import { ACCESS_TOKEN_PREFIX } from '../../shared/domain/redaction.ts';
import type { Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';

/** What an access token states. */
interface AccessGrant {
  /** Identifies the token when it is revoked. */
  readonly id: string;
  /** The world of its issue. A reset opens another world, whose clock starts again, so the token ends with its world. */
  readonly world: World;
  readonly client: string;
  readonly scopes: readonly string[];
  /** An instant of the rehearsal's clock. */
  readonly endsAt: Ms;
  /** A fault makes all tokens up to a generation expire. */
  readonly generation: number;
}

export interface AccessTokens {
  /** @returns the token, and the id that revokes it */
  issue(grant: Omit<AccessGrant, 'id'>): string;
  /** @returns undefined when this installation has not issued the token */
  read(token: string): AccessGrant | undefined;
}

export const isAccessToken = (key: string): boolean => key.startsWith(ACCESS_TOKEN_PREFIX);

/**
 * Tokens carry their grant and a signature, so that every gateway with the same pepper verifies them without a read. Clients must treat them
 * as opaque: the form may change.
 */
export function createAccessTokens(pepper: string): AccessTokens {
  const signing = createSigning({ prefix: ACCESS_TOKEN_PREFIX, secret: pepper, use: 'access tokens' });
  return {
    issue: ({ world, client, scopes, endsAt, generation }) =>
      signing.sign([randomBytes(12).toString('base64url'), world, client, scopes, endsAt, generation]),
    read(token) {
      const grant = signing.read(token) as [string, World, string, string[], Ms, number?] | undefined;
      if (grant === undefined) return undefined;
      const [id, world, client, scopes, endsAt, generation = 0] = grant;
      return { id, world, client, scopes, endsAt, generation };
    },
  };
}
