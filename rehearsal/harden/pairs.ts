import type { PlannedCell } from './cells.ts';
import type { Cell, Family } from './run.ts';
import type { PlannedSite } from './sites.ts';

/** Families with one expectation: a client may fail, and must act neither twice nor by half. */
const PAIRED: readonly Family[] = ['absent', 'lost-answers', 'delivery', 'credentials'];
/** A story may honestly end before such an event arrives. */
const ALONE: readonly string[] = ['late', 'day-late'];
/** The most pairs of a run. */
const MOST_PAIRS = 2_000;

const canPair = ({ family, misfortune }: Cell): boolean => PAIRED.includes(family) && !ALONE.includes(misfortune);

/**
 * The pairs of cells that a story has survived alone, those first that find most. One misfortune of a family stands for the others of its
 * site. @param survivors sorted as in the plan
 */
export function pairsOf(survivors: readonly PlannedCell[], sites: ReadonlyMap<string, PlannedSite>): readonly PlannedCell[] {
  const byPlace = Map.groupBy(survivors.filter(canPair), ({ site, family }) => JSON.stringify([site, family]));
  const chosen = [...byPlace.values()].flatMap(([first]) => first ?? []);
  const pairs = chosen.flatMap((one, index) =>
    chosen.slice(index + 1).map((other, distance) => ({ one, other, weight: 2 * index + distance })),
  );
  return pairs
    .filter(({ one, other }) => one.site !== other.site)
    .toSorted((a, b) => a.weight - b.weight)
    .slice(0, MOST_PAIRS)
    .map(({ one, other }) => pairOf(one, other, sites));
}

/** The pair that has been chosen, among all pairs of a plan. */
export function findPair(
  cells: readonly PlannedCell[],
  sites: ReadonlyMap<string, PlannedSite>,
  isChosen: (cell: PlannedCell) => boolean,
): PlannedCell | undefined {
  const all = cells.filter(canPair);
  for (const [index, one] of all.entries())
    for (const other of all.slice(index + 1)) {
      const pair = one.site === other.site ? undefined : pairOf(one, other, sites);
      if (pair && isChosen(pair)) return pair;
    }
  return undefined;
}

/**
 * Two misfortunes in one story, at the site and in the family of the first one. The name has both, so that a run with another plan finds
 * the pair.
 */
function pairOf(one: PlannedCell, other: PlannedCell, sites: ReadonlyMap<string, PlannedSite>): PlannedCell {
  const where = sites.get(other.site)?.label ?? other.site;
  return {
    id: `${one.id}+${other.id}`,
    site: one.site,
    family: one.family,
    misfortune: `${one.misfortune} + ${other.misfortune} at ${other.site}`.slice(0, 200),
    label: `${one.label} And ${where}: ${other.label}`,
    faults: [...one.faults, ...other.faults],
    delayMs: (one.delayMs ?? 0) + (other.delayMs ?? 0),
    pair: [one, other],
  };
}
