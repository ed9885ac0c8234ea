import type { Figure, Ratio, Settings } from './benchmark.ts';

export interface Rounds<Round> {
  readonly ours: readonly Round[];
  readonly reference: readonly Round[];
}

interface Contest<Round> {
  readonly ours: () => Promise<Round>;
  readonly reference: () => Promise<Round>;
  /** Warm-up rounds of figure and reference, which are not counted. */
  readonly warmUps?: number;
}

/** Alternates figure and reference, so that other load on the machine affects both. Each round is compared with its neighbour. */
export async function inTurn<Round>(
  { rounds, progress }: Pick<Settings, 'rounds' | 'progress'>,
  what: string,
  { ours, reference, warmUps = 0 }: Contest<Round>,
): Promise<Rounds<Round>> {
  for (let warmUp = 0; warmUp < warmUps; warmUp++) for (const contestant of [ours, reference]) await contestant();
  const taken = { ours: [] as Round[], reference: [] as Round[] };
  for (let round = 1; round <= rounds; round++) {
    progress(`${what}, round ${round} of ${rounds}`);
    taken.ours.push(await ours());
    taken.reference.push(await reference());
  }
  return taken;
}

/** Divides the figure of each round by the reference of that round. @returns the medians of figures, references and ratios */
export function compare<Round>(
  { ours, reference }: Rounds<Round>,
  of: (round: Round) => number,
): Required<Pick<Figure, 'figure' | 'reference' | 'ratio'>> {
  const ratios = ours.flatMap((round, index) => {
    const neighbour = reference[index];
    return neighbour === undefined ? [] : [of(round) / of(neighbour)];
  });
  return { figure: median(ours.map(of)), reference: median(reference.map(of)), ratio: spread(ratios) };
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** @param at between 0 and 1. Interpolates between neighbours. */
export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * at;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

const spread = (ratios: readonly number[]): Ratio => ({
  median: median(ratios),
  lowest: Math.min(...ratios),
  highest: Math.max(...ratios),
});
