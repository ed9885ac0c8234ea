/** What the command line decides about every benchmark. */
export interface Settings {
  /** Longest duration of a round. */
  readonly seconds: number;
  /** How often figure and reference take turns. */
  readonly rounds: number;
  /** Folder for a CPU profile of every process that is measured. */
  readonly profiles?: string | undefined;
  /** Tells whoever waits what is going on. */
  readonly progress: (text: string) => void;
}

export interface Benchmark {
  readonly name: string;
  readonly title: string;
  /** It takes so long that it runs only when it is named. */
  readonly onlyByName?: boolean;
  readonly run: (settings: Settings) => Promise<readonly Figure[]>;
}

/** What a figure should be; `of` says whether its ratio is meant or the figure itself. */
export type Aim = { readonly of: 'ratio' | 'figure' } & ({ readonly atLeast: number } | { readonly atMost: number });

/** One line of the result. */
export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly figure: number;
  /** The same of something simpler, measured in the same run. */
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
