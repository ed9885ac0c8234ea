import type { Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/contract/handler.ts';
import type { DueItem } from '../../shared/store/ports.ts';

/** Rehearsal time until due work that failed before a reply is tried again. */
const FIRST_RETRY_MS = 5_000;

/**
 * Due work that could not be done. What was tried before a reply goes back on the schedule at once; what the clock's driver
 * dispatched fails, so that the driver tries it again with growing pauses and in the end parks it where everybody sees it.
 * @throws Problem the failure, when the driver is to deal with it
 */
export function tryLater({ kind, key, payload }: DueItem, failure: Problem, { work, log }: Scope): void {
  if ((payload as { inRequest?: boolean } | null)?.inRequest !== true) throw failure;
  log.warn({ kind, key, code: failure.code }, 'tried again later');
  work.due(kind, key, work.now + FIRST_RETRY_MS, {});
}
