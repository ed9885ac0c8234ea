import { instant, type Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { LogStore } from '../../shared/store/ports/logs.ts';
import { WorldGone } from '../../shared/store/ports/rehearsals.ts';
import type { InvariantResult } from './invariant.ts';

/** What a verification found, as the log of the world has it. */
interface StoredVerdict {
  /** Wall time. */
  readonly at: Ms;
  /** The clock of the rehearsal. */
  readonly now: Ms;
  readonly holds: boolean;
  readonly invariants: string[];
  readonly broken: string[];
}

type Logs = Pick<LogStore, 'addEntry' | 'entries'>;

export const addVerdict = (
  logs: Logs,
  world: World,
  { now, holds, invariants }: { readonly now: Ms; readonly holds: boolean; readonly invariants: readonly InvariantResult[] },
): Promise<number> => {
  const checked = invariants.filter(({ basis }) => basis !== 'not-checked');
  const verdict: StoredVerdict = {
    ...{ at: Date.now(), now, holds },
    invariants: checked.map(({ id }) => id),
    broken: checked.filter((one) => !one.holds).map(({ id }) => id),
  };
  return logs.addEntry(world, 'verdicts', JSON.stringify(verdict));
};

/** The latest verdicts of a world, newest first. */
export async function verdictsOf(logs: Logs, world: World, page: { readonly before?: number | undefined; readonly limit: number }) {
  const entries = await logs.entries(
    world,
    'verdicts',
    page.before === undefined ? { limit: page.limit } : { ...page, before: page.before },
  );
  return entries.map(({ number, json }) => {
    const { at, now, ...found } = JSON.parse(json) as StoredVerdict;
    return { number, at: instant(at), now: instant(now), ...found };
  });
}

/** @returns undefined for a world that was never verified, or that has ended */
export async function lastVerdict(logs: Logs, world: World): Promise<{ readonly at: string; readonly holds: boolean } | undefined> {
  try {
    const [last] = await verdictsOf(logs, world, { limit: 1 });
    return last && { at: last.at, holds: last.holds };
  } catch (error) {
    if (error instanceof WorldGone) return undefined;
    throw error;
  }
}
