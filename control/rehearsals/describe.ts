import { instant } from '../../shared/domain/time.ts';
import type { Lifetime, RehearsalRecord, RehearsalStore } from '../../shared/store/ports/rehearsals.ts';
import { unknownRehearsal } from './rehearsals.ts';

/** A rehearsal whose world was seeded just now. @throws Problem unknown_rehearsal when it has been deleted */
export async function describeNewWorld(name: string, worlds: RehearsalStore) {
  const record = await worlds.record(name);
  if (!record?.current) throw unknownRehearsal(name);
  const { world, createdAt, now } = record.current;
  return { name, world, createdAt, now: instant(now) };
}

/** A rehearsal as a list shows it. `trouble` has the reason when parts are missing. */
export function describeRehearsal({ rehearsal, current, trouble, ...record }: RehearsalRecord) {
  const known = { name: rehearsal, ...describeLifetime(record) };
  if (!current) return { ...known, trouble: trouble ?? 'It cannot be read.' };
  const { world, createdAt, now, contents } = current;
  try {
    return { ...known, world, createdAt, now: instant(now), contents };
  } catch {
    return { ...known, world, createdAt, contents, trouble: `Its clock stands at ${now}, which is not an instant.` };
  }
}

export const describeLifetime = ({ lastUsedAt, endsAt, labels }: Lifetime & Pick<RehearsalRecord, 'labels'>) => ({
  labels,
  lastUsedAt: instant(lastUsedAt),
  endsAt: endsAt === null ? undefined : instant(endsAt),
});
