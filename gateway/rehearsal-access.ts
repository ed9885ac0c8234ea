import { Problem } from '../shared/catalog/problems.ts';
import type { Logger } from '../shared/process/logger.ts';
import type { Directory, WorldView } from '../shared/store/ports/rehearsals.ts';

export interface RehearsalAccessOptions {
  readonly directory: Pick<Directory, 'resolve'>;
  readonly createRehearsal: (name: string) => Promise<WorldView>;
  readonly log: Logger;
}

export interface RehearsalAccess {
  readonly resolve: (rehearsal: string) => Promise<WorldView | undefined>;
  /** Seeds a world for the first use of a name. */
  readonly create: (rehearsal: string) => Promise<WorldView>;
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
  };
}
