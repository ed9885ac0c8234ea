export interface Settings {
  /** Longest duration of a round. */
  readonly seconds: number;
  /** Number of rounds; each measures the figure and its reference in turn. */
  readonly rounds: number;
  /** Folder for a CPU profile of every process that is measured. */
  readonly profiles?: string | undefined;
  readonly progress: (text: string) => void;
}

export interface Benchmark {
  readonly name: string;
  readonly title: string;
  /** Runs only when it is named, because it takes long or downloads something. */
  readonly onlyByName?: boolean;
  readonly run: (settings: Settings) => Promise<readonly Figure[]>;
}

/** Target for a figure; `of` selects its ratio or the figure itself. */
export type Aim = { readonly of: 'ratio' | 'figure' } & ({ readonly atLeast: number } | { readonly atMost: number });

export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly figure: number;
  /** The same measurement of a simpler program, in the same run. */
  readonly reference?: number;
  readonly ratio?: Ratio;
  readonly aim?: Aim;
}

/** Figure divided by reference, over the rounds. */
export interface Ratio {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

export function isMet({ figure, ratio, aim }: Figure): boolean | undefined {
  if (!aim) return undefined;
  const value = aim.of === 'figure' ? figure : (ratio?.median ?? Number.NaN);
  return 'atLeast' in aim ? value >= aim.atLeast : value <= aim.atMost;
}
