import { Problem } from '../shared/catalog/problems.ts';
import { requestIdIn } from '../shared/control/request-id.ts';
import type { World } from '../shared/domain/world.ts';
import type { Logger } from '../shared/process/logger.ts';
import type { Directory, Revocation, RevocationStore, TokenExpiry, WorldView } from '../shared/store/ports/rehearsals.ts';

interface RehearsalAccessOptions {
  readonly directory: Pick<Directory, 'resolve' | 'nextNumber'> & RevocationStore;
  readonly createRehearsal: (name: string) => Promise<WorldView>;
  readonly log: Logger;
}

export interface RehearsalAccess {
  readonly resolve: (rehearsal: string) => Promise<WorldView | undefined>;
  /** Seeds a world for the first use of a name. */
  readonly create: (rehearsal: string) => Promise<WorldView>;
  /** The id of a request in a rehearsal with a seed. @param name as `requestIdIn` takes it */
  readonly requestId: (view: WorldView, name: string) => Promise<string>;
  /** Makes the access tokens of a world expire that belong to an earlier generation. */
  readonly expireTokens: (world: World, expiry: TokenExpiry) => Promise<void>;
  readonly revocations: Revocations;
}

/** Revoked access tokens. All gateways share them. */
export interface Revocations {
  /** Does nothing for a token of a world that was dropped. */
  readonly revoke: (revocation: Revocation) => Promise<void>;
  readonly isRevoked: (revocation: Pick<Revocation, 'world' | 'id'>) => Promise<boolean>;
}

/** Reads rehearsals from the store. An unreachable store is a dependency problem, not an error of the gateway. */
export function rehearsalAccess({ directory, createRehearsal, log }: RehearsalAccessOptions): RehearsalAccess {
  const unreachable = (error: unknown): never => {
    if (error instanceof Problem) throw error;
    log.error({ err: error }, 'the store cannot be reached');
    throw new Problem('dependency_unavailable', 'The store of the estate cannot be reached.', { dependency: 'store', retryAfter: 1 });
  };
  return {
    resolve: (rehearsal) => directory.resolve(rehearsal).catch(unreachable),
    create: (rehearsal) => createRehearsal(rehearsal).catch(unreachable),
    requestId: (view, name) => requestIdIn(view, directory, name).catch(unreachable),
    expireTokens: (world, expiry) => directory.expireTokens(world, expiry).catch(unreachable),
    revocations: {
      revoke: (revocation) => directory.revokeToken(revocation).catch(unreachable),
      isRevoked: (revocation) => directory.isTokenRevoked(revocation).catch(unreachable),
    },
  };
}
