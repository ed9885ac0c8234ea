import { type Cell, FAMILIES, type Family, type HardenRun, isFailing, type Site, VERDICTS } from './run.ts';
import { type Outcome, outcomeOf } from './words.ts';

/** The misfortunes of one family at one site. */
export interface Field {
  readonly family: Family;
  readonly cells: readonly (Outcome & { readonly cell: Cell })[];
  /** The gravest outcome, which stands for the field. */
  readonly worst: Outcome;
}

export interface MatrixRow {
  readonly site: Site;
  /** One for each family of the matrix; undefined: no misfortune of it applies here. */
  readonly fields: readonly (Field | undefined)[];
  readonly isFound: boolean;
}

export interface Matrix {
  readonly families: readonly Family[];
  readonly rows: readonly MatrixRow[];
}

/** Sites by families, sorted as in the story. Sites and families without a cell are left out. */
export function matrixOf({ sites, cells, findings }: HardenRun): Matrix {
  const accepted = new Set(findings.flatMap((finding) => (finding.accepted ? [finding.id] : [])));
  const bySite = Map.groupBy(cells, ({ site }) => site);
  const families = FAMILIES.filter((family) => cells.some((cell) => cell.family === family));
  const known = new Map(sites.map((site) => [site.id, site]));
  const order = [...known.keys(), ...[...bySite.keys()].filter((id) => !known.has(id))];
  const rows = order.flatMap((id): MatrixRow[] => {
    const byFamily = Map.groupBy(bySite.get(id) ?? [], ({ family }) => family);
    if (byFamily.size === 0) return [];
    const fields = families.map((family) => fieldOf(family, byFamily.get(family), accepted));
    const isFound = fields.some((field) => field?.worst.tone === 'bad' || field?.worst.tone === 'warn');
    return [{ site: known.get(id) ?? { id, kind: 'call', label: id }, fields, isFound }];
  });
  return { families, rows };
}

function fieldOf(family: Family, cells: readonly Cell[] | undefined, accepted: ReadonlySet<string>): Field | undefined {
  if (cells === undefined) return undefined;
  const shown = cells.map((cell) => ({ cell, ...outcomeOf(cell, cell.finding !== undefined && accepted.has(cell.finding)) }));
  const [worst] = shown.toSorted((one, other) => rank(one) - rank(other));
  return worst && { family, cells: shown, worst };
}

/** Failures, gravest first; then what varies, accepted failures, successes, cells that never struck, and cells that were not tried. */
function rank({ cell: { verdict }, tone }: Outcome & { readonly cell: Cell }): number {
  if (verdict === undefined) return 500;
  if (isFailing(verdict)) return VERDICTS.indexOf(verdict) + (tone === 'bad' ? 0 : 200);
  if (verdict === 'unstable') return 100;
  return verdict === 'not-struck' ? 400 : 300;
}
