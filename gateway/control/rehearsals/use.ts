import type { Ms } from '../../../shared/domain/time.ts';
import type { Logger } from '../../../shared/process/logger.ts';
import type { RehearsalStore } from '../../../shared/store/ports/rehearsals.ts';

/** A rehearsal that is used all the time is noted this often by a process, or ten times within its idle time if that is more. */
const NOTED_MS: Ms = 5_000;
const NOTES_PER_IDLE_TIME = 10;
/** How often it is seen to that a rehearsal counts as used while one of its operations runs. */
const RUNNING_MS: Ms = 500;

/** Notes that rehearsals are used, so that they do not end. It costs a write every few seconds, not one per request. */
export function createUse({ worlds, log }: { readonly worlds: Pick<RehearsalStore, 'use'>; readonly log: Logger }) {
  /** Noted a moment ago, or about to be. */
  const noted = new Set<string>();

  function note(rehearsal: string): void {
    if (noted.has(rehearsal)) return;
    noted.add(rehearsal);
    worlds
      .use(rehearsal)
      .catch((error: unknown) => {
        log.debug({ err: error, rehearsal }, 'the use of a rehearsal was not noted');
        return null;
      })
      .then((idleMs) => {
        const wait = Math.min(NOTED_MS, (idleMs ?? NOTED_MS * NOTES_PER_IDLE_TIME) / NOTES_PER_IDLE_TIME);
        setTimeout(() => noted.delete(rehearsal), wait).unref();
      });
  }

  return {
    note,
    /** It is used for as long as something runs: a wait may be longer than a rehearsal lives without use. */
    async during<T>(rehearsal: string, run: () => Promise<T>): Promise<T> {
      note(rehearsal);
      const noting = setInterval(() => note(rehearsal), RUNNING_MS).unref();
      try {
        return await run();
      } finally {
        clearInterval(noting);
        note(rehearsal);
      }
    },
  };
}

export type Use = ReturnType<typeof createUse>;
