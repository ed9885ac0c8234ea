import { instant } from '../../../shared/domain/time.ts';
import type { WorldView } from '../../../shared/store/ports/directory.ts';
import type { Lifetime, RehearsalRecord } from '../../../shared/store/ports/rehearsals.ts';

/** A rehearsal whose world was seeded just now. */
export const describeNewWorld = ({ rehearsal, world, now }: WorldView) => ({
  name: rehearsal,
  world,
  createdAt: new Date().toISOString(),
  now: instant(now),
});

/** A rehearsal as a list shows it; `trouble` says why part of it cannot be read. */
export function describeRehearsal({ rehearsal, current, trouble, ...lifetime }: RehearsalRecord) {
  const known = { name: rehearsal, ...describeLifetime(lifetime) };
  if (!current) return { ...known, trouble: trouble ?? 'It cannot be read.' };
  const { world, createdAt, now, contents } = current;
  try {
    return { ...known, world, createdAt, now: instant(now), contents };
  } catch {
    return { ...known, world, createdAt, contents, trouble: `Its clock stands at ${now}, which is no instant.` };
  }
}

export const describeLifetime = ({ lastUsedAt, endsAt }: Lifetime) => ({
  lastUsedAt: instant(lastUsedAt),
  ...(endsAt !== null && { endsAt: instant(endsAt) }),
});
