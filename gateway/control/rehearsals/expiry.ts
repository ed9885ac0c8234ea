import type { Logger } from '../../../shared/process/logger.ts';
import { pause } from '../../../shared/process/waiting.ts';
import type { RehearsalStore } from '../../../shared/store/ports/rehearsals.ts';

/** How often it is looked for rehearsals whose end has come: one question, whatever there is. */
const LOOK_MS = 1_000;

export interface ExpiryOptions {
  readonly worlds: Pick<RehearsalStore, 'expire'>;
  readonly log: Logger;
}

/**
 * Ends rehearsals that nobody has used for as long as they may be idle. The store keeps them in the order of their ends and says which
 * gateway sweeps, so those that live cost nothing. What ends so is as if it had been deleted.
 */
export function startExpiry({ worlds, log }: ExpiryOptions) {
  const stopping = new AbortController();
  let failing = false;

  async function sweep(): Promise<void> {
    try {
      const ended = await worlds.expire();
      if (ended.length > 0) log.info({ rehearsals: ended }, 'rehearsals ended, since nobody had used them');
      failing = false;
    } catch (error) {
      // A store that is away for an hour is said once, not with every look.
      log[failing ? 'debug' : 'warn']({ err: error }, 'ending idle rehearsals failed');
      failing = true;
    }
  }

  const sweeping = (async () => {
    while (!stopping.signal.aborted) {
      await sweep();
      await pause(LOOK_MS, stopping.signal);
    }
  })();

  return {
    async stop(): Promise<void> {
      stopping.abort();
      await sweeping;
    },
  };
}
