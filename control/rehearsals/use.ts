import type { Ms } from '../../shared/domain/time.ts';
import type { Logger } from '../../shared/process/logger.ts';
import type { RehearsalStore } from '../../shared/store/ports/rehearsals.ts';

/** Wall time between two writes about a rehearsal. A rehearsal with a short idle time is written more often. */
const NOTED_MS: Ms = 5_000;
const NOTES_PER_IDLE_TIME = 10;
/** Wall time between records while an operation runs. */
const RUNNING_MS: Ms = 500;

/** Records the use of rehearsals, so that they do not expire: one write every few seconds, not one per request. */
export function createUse({ worlds, log }: { readonly worlds: Pick<RehearsalStore, 'use'>; readonly log: Logger }) {
  const noted = new Set<string>();

  function note(rehearsal: string): void {
    if (noted.has(rehearsal)) return;
    noted.add(rehearsal);
    worlds
      .use(rehearsal)
      .catch((error: unknown) => {
        log.debug({ err: error, rehearsal }, 'recording the use of a rehearsal failed');
        return null;
      })
      .then((idleMs) => {
        const wait = Math.min(NOTED_MS, (idleMs ?? NOTED_MS * NOTES_PER_IDLE_TIME) / NOTES_PER_IDLE_TIME);
        setTimeout(() => noted.delete(rehearsal), wait).unref();
      });
  }

  return {
    note,
    /** Records use while an operation runs, which may outlast the idle time. @param mostMs wall time after which it no longer counts */
    async during<T>(rehearsal: string, run: () => Promise<T>, mostMs: Ms = Number.POSITIVE_INFINITY): Promise<T> {
      const until = Date.now() + mostMs;
      const noteAgain = (): void => {
        if (Date.now() < until) note(rehearsal);
      };
      note(rehearsal);
      const noting = setInterval(noteAgain, RUNNING_MS).unref();
      try {
        return await run();
      } finally {
        clearInterval(noting);
        noteAgain();
      }
    },
  };
}

export type Use = ReturnType<typeof createUse>;
