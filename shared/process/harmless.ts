import type { Logger } from './logger.ts';

/** Runs an action that only saves time, such as releasing a lease that expires anyway. A failure is logged. */
export async function ifPossible(log: Pick<Logger, 'warn'>, doing: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    log.warn({ err: error }, `${doing} failed`);
  }
}

/** Runs an action that only reports on a request. A failure is logged, and the request continues. @param doing names it in the log */
export function withoutFailing(log: Pick<Logger, 'error'>, doing: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    try {
      log.error({ err: error }, `${doing} failed`);
    } catch {
      // A failing log must not make the request fail either.
    }
  }
}
