/**
 * What can be tried in endless ways, `npm test` tries in some of them, others each time; `THOROUGH=true npm test`, as in `.ci/run`, tries
 * more of them, and everything of which there is an end: each death at each commit.
 */
export const isThorough = process.env['THOROUGH'] === 'true';

/** How many runs something random has. */
export const runsOf = ({ usually, thoroughly }: { readonly usually: number; readonly thoroughly: number }): number =>
  isThorough ? thoroughly : usually;

/** Everything, or each with this chance; never nothing of what there is. */
export function someOf<T>(all: readonly T[], chance: number): T[] {
  if (isThorough) return [...all];
  const some = all.filter(() => Math.random() < chance);
  return some.length > 0 ? some : all.slice(0, 1);
}
