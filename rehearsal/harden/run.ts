/** Families of misfortunes, sorted as the columns of a matrix. */
export const FAMILIES = ['absent', 'lost-answers', 'delivery', 'forged', 'credentials', 'permitted', 'forbidden', 'calendar'] as const;
export type Family = (typeof FAMILIES)[number];

/** Verdicts that fail a run, the gravest first. */
export const FAILING = ['twice', 'half', 'silent', 'wrong', 'stuck'] as const;
/** All verdicts. `FAILING` lists those that fail a run. */
export const VERDICTS = [...FAILING, 'unstable', 'failed-cleanly', 'not-struck', 'survived'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const isFailing = (verdict: Verdict): boolean => (FAILING as readonly Verdict[]).includes(verdict);

/** A place in the story of the user's system that a misfortune can strike. */
export interface Site {
  /** Stable between runs: `confirm-order-api#1`, `webhook copy order-created#2`, `start`. */
  readonly id: string;
  /** A call of the user's system, a delivery to it, or the start of the story. */
  readonly kind: 'call' | 'delivery' | 'start';
  /** For people: `Confirm Order`, `order-created to the webhook copy`, `Start of the story`. */
  readonly label: string;
}

/** A figure that differs between the baseline and a try: an entry of the books, or a member of the check. */
export interface Difference {
  readonly what: string;
  readonly baseline: string;
  readonly tried: string;
}

/** One misfortune at one site. */
export interface Cell {
  /** Stable within a run and its repetitions: `C17`. */
  readonly id: string;
  readonly site: string;
  readonly family: Family;
  /** `lost-504`, `unknown-member`. */
  readonly misfortune: string;
  /** For people: `The answer is lost (504).` */
  readonly label: string;
  /** Undefined while it was not tried. */
  readonly verdict?: Verdict;
  /** Why it has this verdict, in a sentence. */
  readonly reason?: string;
  /** Exit code of the command; undefined if it did not end, or was not run. A function that throws counts as 1. */
  readonly exitCode?: number;
  /** Wall time of the try in milliseconds. */
  readonly ms?: number;
  /** The rehearsal of the last try. */
  readonly rehearsal?: string;
  readonly differences?: readonly Difference[];
  /** The finding that has this cell. */
  readonly finding?: string;
}

/** One cause: cells with one site, verdict and difference. */
export interface Finding {
  /** `F1` */
  readonly id: string;
  readonly verdict: Verdict;
  readonly site: string;
  /** Ids of at least one cell. */
  readonly cells: readonly string[];
  /** What happened, as one paragraph. */
  readonly paragraph: string;
  readonly remedy: string;
  /** What repeats the first cell: a command, or a call of `harden`. */
  readonly repeat: string;
  /** Text of a scenario file that plays the first cell. */
  readonly scenario?: string;
  /** Files of the report folder that hold the world and the scenario. */
  readonly files?: readonly string[];
  /** The team has accepted it. */
  readonly accepted?: boolean;
}

/** A run of harden: what was tried and what was found. The file `harden.json` of a report. */
export interface HardenRun {
  readonly version: 1;
  /** Version of the estate. */
  readonly estate: string;
  /** The user's command, as typed, or the name of the function. */
  readonly command: string;
  /** Instant of wall time: `2026-11-29T10:00:00Z`. */
  readonly startedAt: string;
  /** Duration of the run in milliseconds. */
  readonly ms: number;
  readonly seed: string;
  /** ISO 8601 duration that the clock runs after each try. */
  readonly patience: string;
  /** How the user's own state is kept apart. */
  readonly state: 'none' | 'url' | 'before' | 'container';
  readonly baseline: { readonly ms: number; readonly calls: number; readonly deliveries: number };
  readonly sites: readonly Site[];
  /** All cells of the plan, also those that were not tried. */
  readonly cells: readonly Cell[];
  readonly findings: readonly Finding[];
  /** Sentences: each names a thing that was not checked, and the reason. */
  readonly notJudged: readonly string[];
  /** The reason if the run ended before all cells of the plan were tried. */
  readonly endedEarly?: string;
}
