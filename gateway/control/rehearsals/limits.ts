import { Problem } from '../../../shared/catalog/problems.ts';
import { instant, type Ms } from '../../../shared/domain/time.ts';
import type { Lifetime } from '../../../shared/store/ports/rehearsals.ts';

/** What rehearsals may take of the estate. */
export interface Limits {
  /** How many there may be, the default one and those that are kept included. */
  readonly most: number;
  /** Wall time without use after which one ends that says nothing else. */
  readonly idleMs: Ms;
}

/** The default rehearsal is opened however many there are: without it nothing works. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** The refusal names the rehearsal that was idle longest. */
export function tooManyRehearsals({ most }: Limits, longestIdle: (Lifetime & { readonly rehearsal: string }) | undefined): Problem {
  const full = `There are ${most} rehearsals, and no more may be (MAX_REHEARSALS).`;
  if (!longestIdle) return new Problem('too_many_rehearsals', `${full} All of them are kept: delete one.`, { most });
  const { rehearsal, lastUsedAt, endsAt } = longestIdle;
  return new Problem(
    'too_many_rehearsals',
    `${full} Delete one: "${rehearsal}" has not been used for the longest, since ${instant(lastUsedAt)}.`,
    {
      most,
      longestIdle: { name: rehearsal, lastUsedAt: instant(lastUsedAt), ...(endsAt !== null && { endsAt: instant(endsAt) }) },
      ...(endsAt !== null && { retryAfter: Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000)) }),
    },
  );
}
