import type { Logger } from './logger.ts';

/**
 * Does what only tells of a request: its hop for the journal, its metrics, its span. When that fails it is logged, and the request goes on.
 * @param doing as it stands in the log line
 */
export function withoutFailing(log: Pick<Logger, 'error'>, doing: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    try {
      log.error({ err: error }, `${doing} failed`);
    } catch {
      // There is nobody left to tell.
    }
  }
}
