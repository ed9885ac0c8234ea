import { createHmac, randomBytes } from 'node:crypto';
import { comparisonWith, hmacOf } from '../../shared/control/credentials.ts';
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
  // Another key than the pepper, because stored credentials are HMACs under the pepper.
  const key = hmacOf(pepper, 'signature of access tokens');
  const signatureOf = (content: string): string => createHmac('sha256', key).update(content).digest('base64url');

  return {
    issue({ world, client, scopes, endsAt }) {
      const id = randomBytes(12).toString('base64url');
      const content = Buffer.from(JSON.stringify([id, world, client, scopes, endsAt])).toString('base64url');
      return `${ACCESS_TOKEN_PREFIX}${content}.${signatureOf(content)}`;
    },
    read(token) {
      const [content = '', signature = ''] = token.slice(ACCESS_TOKEN_PREFIX.length).split('.');
      if (!isAccessToken(token) || !comparisonWith(signatureOf(content))(signature)) return undefined;
      const [id, world, client, scopes, endsAt] = JSON.parse(Buffer.from(content, 'base64url').toString());
      return { id, world, client, scopes, endsAt };
    },
  };
}
