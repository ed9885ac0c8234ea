import { type Beginning, type Blow, type Misfortune, misfortunes } from './misfortunes.ts';
import { type Cell, FAMILIES, type Family } from './run.ts';
import { ordinal, type PlannedSite } from './sites.ts';

/** A cell with what it needs. */
export interface PlannedCell extends Cell, Blow {
  /** The cells that it joins, if it is a pair. */
  readonly pair?: readonly [PlannedCell, PlannedCell];
}

export interface PlanChoice {
  /** Tries each misfortune at each site, also those that rarely find more. */
  readonly all?: boolean;
  readonly families?: readonly Family[];
}

/** Sites of one API or event that are tried unless all are chosen: the first ones, and the last one. */
const FIRST_SITES = 3;

/** Sites of a repeated call, such as polling, behave alike. */
const isLeftOut = (site: PlannedSite): boolean => site.kind !== 'start' && site.place > FIRST_SITES && !site.isLast;

export interface Plan {
  readonly cells: readonly PlannedCell[];
  /** What the plan leaves out, as sentences. */
  readonly leftOut: readonly string[];
}

/** The cells of a run, those first that find most. */
export function planCells(
  sites: readonly PlannedSite[],
  beginning: Beginning,
  { all = false, families = FAMILIES }: PlanChoice = {},
): Plan {
  const chosen = misfortunes.filter(({ family }) => families.includes(family));
  const left = all ? [] : sites.filter(isLeftOut);
  const pairs = sites
    .filter((site) => !left.includes(site))
    .flatMap((site, place) => chosen.flatMap((misfortune) => pairOf(site, place, misfortune, beginning)))
    .toSorted((one, other) => weightOf(one) - weightOf(other) || one.place - other.place);
  const cells = pairs.map(
    ({ site, misfortune: { family, id, label }, blow }, index): PlannedCell => ({
      id: `C${index + 1}`,
      site: site.id,
      family,
      misfortune: id,
      label,
      ...blow,
    }),
  );
  return { cells, leftOut: left.length === 0 ? [] : [leftOutOf(left)] };
}

const leftOutOf = (left: readonly PlannedSite[]): string =>
  `${left.length} calls or deliveries between the ${ordinal(FIRST_SITES)} and the last of their kind were not tried; --all tries them.`;

interface Pair {
  readonly site: PlannedSite;
  readonly place: number;
  readonly misfortune: Misfortune;
  readonly blow: Blow;
}

function pairOf(site: PlannedSite, place: number, misfortune: Misfortune, beginning: Beginning): readonly Pair[] {
  const blow = misfortune.at(site, beginning);
  return blow === undefined ? [] : [{ site, place, misfortune, blow }];
}

/** A lost answer matters most for a call that changes something. */
const weightOf = ({ site, misfortune }: Pair): number => misfortune.rank * 2 + (site.kind === 'call' && !site.changes ? 1 : 0);

/**
 * Whether the plan skips a cell after what was found: an event of a type that broke the receiver breaks it again.
 * @param failed cells that failed so far
 */
export function isSuperfluous(cell: Cell, failed: readonly Cell[], sites: ReadonlyMap<string, PlannedSite>): boolean {
  if (cell.family !== 'delivery') return false;
  const key = typeOf(sites.get(cell.site));
  return key !== undefined && failed.some((one) => one.family === 'delivery' && typeOf(sites.get(one.site)) === key);
}

const typeOf = (site: PlannedSite | undefined): string | undefined =>
  site?.kind === 'delivery' ? `${site.webhook} ${site.event}` : undefined;
