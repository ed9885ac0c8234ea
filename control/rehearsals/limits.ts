import { Problem } from '../../shared/catalog/problems.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import type { Lifetime } from '../../shared/store/ports/rehearsals.ts';

export interface RehearsalLimits {
  /** The number of rehearsals, including the default one and those that are kept. */
  readonly most: number;
  /** Wall time without use after which a rehearsal ends, unless it sets another time. */
  readonly idleMs: Ms;
}

/** The limit for the default rehearsal, which the estate needs to become ready. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** @param longestIdle undefined when all rehearsals are kept */
export function tooManyRehearsals(
  { most }: RehearsalLimits,
  longestIdle: (Lifetime & { readonly rehearsal: string }) | undefined,
): Problem {
  const full = `There are ${most} rehearsals, the most that MAX_REHEARSALS allows.`;
  if (!longestIdle) return new Problem('too_many_rehearsals', `${full} All of them are kept: delete one.`, { most });
  const { rehearsal, lastUsedAt, endsAt } = longestIdle;
  return new Problem('too_many_rehearsals', `${full} Delete one: "${rehearsal}" has been idle longest, since ${instant(lastUsedAt)}.`, {
    most,
    longestIdle: { name: rehearsal, lastUsedAt: instant(lastUsedAt), endsAt: endsAt === null ? undefined : instant(endsAt) },
    retryAfter: endsAt === null ? undefined : Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000)),
  });
}
