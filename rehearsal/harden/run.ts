/** A family of misfortunes. */
export type Family = 'absent' | 'lost-answers' | 'delivery' | 'forged' | 'credentials' | 'permitted' | 'forbidden' | 'calendar';

/** @internal Sorted as the columns of a matrix. */
export const FAMILIES: readonly Family[] = [
  'absent',
  'lost-answers',
  'delivery',
  'forged',
  'credentials',
  'permitted',
  'forbidden',
  'calendar',
];

/** The first five fail a run. */
export type Verdict = 'twice' | 'half' | 'silent' | 'wrong' | 'stuck' | 'unstable' | 'failed-cleanly' | 'not-struck' | 'survived';

/** @internal Verdicts that fail a run, the gravest first. */
export const FAILING: readonly Verdict[] = ['twice', 'half', 'silent', 'wrong', 'stuck'];
/** @internal All verdicts. */
export const VERDICTS: readonly Verdict[] = [...FAILING, 'unstable', 'failed-cleanly', 'not-struck', 'survived'];

/** @internal */
export const isFailing = (verdict: Verdict): boolean => FAILING.includes(verdict);

/** A place in the story of the user's system that a misfortune can strike. */
export interface Site {
  /** `confirm-order-api#1`, `webhook copy order-created#2`, `start` */
  readonly id: string;
  readonly kind: 'call' | 'delivery' | 'start';
  readonly label: string;
}

/** An entry of the books or a member of the check that differs. */
export interface Difference {
  readonly what: string;
  readonly baseline: string;
  readonly tried: string;
}

/** One misfortune at one site. */
export interface Cell {
  /** `C17` */
  readonly id: string;
  readonly site: string;
  readonly family: Family;
  /** `lost-504`, `unknown-member`. */
  readonly misfortune: string;
  readonly label: string;
  /** Undefined while it was not tried. */
  readonly verdict?: Verdict;
  readonly reason?: string;
  /** Exit code of the command; undefined if it did not end, or was not run. A function that throws counts as 1. */
  readonly exitCode?: number;
  /** Wall time of the try in milliseconds. */
  readonly ms?: number;
  readonly rehearsal?: string;
  readonly differences?: readonly Difference[];
  readonly finding?: string;
}

/** One cause: cells with one site, verdict and difference. */
export interface Finding {
  /** `F1` */
  readonly id: string;
  readonly verdict: Verdict;
  readonly site: string;
  readonly cells: readonly string[];
  readonly paragraph: string;
  readonly remedy: string;
  /** A command, or a call of `harden`. */
  readonly repeat: string;
  /** Text of a scenario file that plays the first cell. */
  readonly scenario?: string;
  readonly files?: readonly string[];
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
