import type { Logger } from '../../shared/process/logger.ts';
import { pause } from '../../shared/process/waiting.ts';
import type { RehearsalStore } from '../../shared/store/ports/rehearsals.ts';
import { isStoreUnavailable } from '../../shared/store/store-unavailable.ts';

/** Wall time between sweeps. A sweep costs one read for any number of rehearsals. */
const SWEEP_MS = 1_000;

/** Ends rehearsals after their idle time. One gateway sweeps at a time, and reads only expired rehearsals. */
export function startExpiry({ worlds, log }: { readonly worlds: Pick<RehearsalStore, 'expire'>; readonly log: Logger }) {
  const stopping = new AbortController();
  let failing = false;

  async function sweep(): Promise<void> {
    try {
      const ended = await worlds.expire();
      if (ended.length > 0) log.info({ rehearsals: ended }, 'idle rehearsals ended');
      failing = false;
    } catch (error) {
      // One warning per outage of the store.
      log[failing || isStoreUnavailable(error) ? 'debug' : 'warn']({ err: error }, 'ending idle rehearsals failed');
      failing = true;
    }
  }

  const sweeping = (async () => {
    while (!stopping.signal.aborted) {
      await sweep();
      await pause(SWEEP_MS, stopping.signal);
    }
  })();

  return {
    async stop(): Promise<void> {
      stopping.abort();
      await sweeping;
    },
  };
}
