import { errorMessage } from '../../shared/domain/text.ts';
import { withTimeLimit } from '../../shared/process/waiting.ts';
import type { EstateRehearsal } from '../estate-rehearsal.ts';
import type { Check } from './check.ts';
import type { Play } from './play.ts';

/** Reads what the user's system holds to be true. */
export type ReadCheck = (rehearsal: EstateRehearsal) => Promise<Check>;

/** Wall time of a check in milliseconds. */
export const CHECK_MS = 60_000;
/** Characters of a check that are compared. */
export const LONGEST_CHECK = 1_000_000;
export const NO_CHECK = 'The check printed nothing.';
export const LATE_CHECK = 'The check did not end within a minute';
export const failedCheck = (why: string): string => `The check failed${why}`;
/** A cut check would hide differences. */
export const boundedCheck = (text: string): string => (text.length > LONGEST_CHECK ? LONG_CHECK : text);
const LONG_CHECK = failedCheck(
  `: it has more than ${LONGEST_CHECK.toLocaleString('en')} characters. Leave out what the story does not change.`,
);

/** What a check of the baseline reports when it did no work. */
export const trouble = (text: string): string | undefined =>
  /^(?:The check (?:printed nothing|failed|did not end))[\s\S]*/m.exec(text)?.[0].trimEnd();

/** A function of the user as a check. What it returns is written as JSON; an error is part of what is compared. */
export function checkOfFunction(check: (rehearsal: EstateRehearsal) => unknown): ReadCheck {
  return async (rehearsal) => {
    let isLate = false;
    try {
      const value = await withTimeLimit(CHECK_MS, (limit) => {
        limit.addEventListener('abort', () => {
          isLate = true;
        });
        return untilAborted(limit, async () => check(rehearsal));
      });
      return asText(value) ?? NO_CHECK;
    } catch (error) {
      return isLate ? `${LATE_CHECK}.` : failedCheck(`: ${errorMessage(error)}`);
    }
  };
}

/**
 * A function of the user's test as the user's work: an error counts as exit code 1, and a result as what the user's system holds to be
 * true. A function cannot be stopped: it gets a signal. @param onFailure receives the error
 */
export function playOfFunction(
  story: (rehearsal: EstateRehearsal, how: { readonly signal: AbortSignal }) => unknown,
  onFailure: (error: unknown) => void,
): Play {
  return async (rehearsal, { limitMs, signal: interrupted }) => {
    interrupted?.throwIfAborted();
    let isLate = false;
    try {
      const result = await withTimeLimit(limitMs, (limit) => {
        limit.addEventListener('abort', () => {
          isLate = true;
        });
        const signal = interrupted === undefined ? limit : AbortSignal.any([limit, interrupted]);
        return untilAborted(signal, async () => story(rehearsal, { signal }));
      });
      return { exitCode: 0, check: asText(result) };
    } catch (error) {
      interrupted?.throwIfAborted();
      if (isLate) return { exitCode: undefined };
      onFailure(error);
      return { exitCode: 1 };
    }
  };
}

function untilAborted(signal: AbortSignal, work: () => Promise<unknown>): Promise<unknown> {
  // Listens before the work begins, because the work may cause the abort.
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  return Promise.race([aborted, work()]);
}

/** Undefined for a function that returns nothing. */
function asText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text && boundedCheck(text);
}
