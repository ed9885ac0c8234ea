/**
 * `npm test` tries a random sample of cases. `THOROUGH=true npm test`, as in `.ci/run --thorough`, tries
 * a larger sample of infinite sets, and all cases of finite ones, such as a crash at each commit.
 */
export const isThorough = process.env['THOROUGH'] === 'true';

export const runsOf = ({ usually, thoroughly }: { readonly usually: number; readonly thoroughly: number }): number =>
  isThorough ? thoroughly : usually;

/** All items, or a random sample with this probability per item; never empty unless `all` is. */
export function someOf<T>(all: readonly T[], chance: number): T[] {
  if (isThorough) return [...all];
  const some = all.filter(() => Math.random() < chance);
  return some.length > 0 ? some : all.slice(0, 1);
}
