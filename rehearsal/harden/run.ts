import { z } from 'zod';

/** Families of misfortunes, sorted as the columns of a matrix. */
export const FAMILIES = ['absent', 'lost-answers', 'delivery', 'forged', 'credentials', 'permitted', 'forbidden', 'calendar'] as const;
export type Family = (typeof FAMILIES)[number];

/** Verdicts that fail a run, the gravest first. */
export const FAILING = ['twice', 'half', 'silent', 'wrong', 'stuck'] as const;
/** All verdicts. `FAILING` lists those that fail a run. */
export const VERDICTS = [...FAILING, 'unstable', 'failed-cleanly', 'not-struck', 'survived'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const isFailing = (verdict: Verdict): boolean => (FAILING as readonly Verdict[]).includes(verdict);

/** Bounds of a run that is read from a file. */
const MOST_SITES = 2_000;
const MOST_CELLS = 20_000;
const MOST_DIFFERENCES = 50;
const LONGEST_TEXT = 4_000;

const Text = z.string().max(LONGEST_TEXT);
const Id = z.string().max(200);

/** A place in the story of the user's system that a misfortune can strike. */
const Site = z.strictObject({
  /** Stable between runs: `confirm-order-api#1`, `webhook copy order-created#2`, `start`. */
  id: Id,
  /** A call of the user's system, a delivery to it, or the start of the story. */
  kind: z.enum(['call', 'delivery', 'start']),
  /** For people: `Confirm Order`, `order-created to the webhook copy`, `Start of the story`. */
  label: Text,
});
export type Site = z.output<typeof Site>;

/** A figure that differs between the baseline and a try: an entry of the books, or a member of the check. */
const Difference = z.strictObject({ what: Text, baseline: Text, tried: Text });
export type Difference = z.output<typeof Difference>;

/** One misfortune at one site. */
const Cell = z.strictObject({
  /** Stable within a run and its repetitions: `C17`. */
  id: Id,
  site: Id,
  family: z.enum(FAMILIES),
  /** `lost-504`, `unknown-member`. */
  misfortune: Id,
  /** For people: `The answer is lost (504).` */
  label: Text,
  /** Undefined while it was not tried. */
  verdict: z.enum(VERDICTS).optional(),
  /** Why it has this verdict, in a sentence. */
  reason: Text.optional(),
  /** Exit code of the command; undefined if it did not end, or was not run. */
  exitCode: z.int().optional(),
  /** Wall time of the try in milliseconds. */
  ms: z.number().nonnegative().optional(),
  /** The rehearsal of the last try. */
  rehearsal: Id.optional(),
  differences: z.array(Difference).max(MOST_DIFFERENCES).optional(),
  /** The finding that has this cell. */
  finding: Id.optional(),
});
export type Cell = z.output<typeof Cell>;

/** One cause: cells with one site, verdict and difference. */
const Finding = z.strictObject({
  /** `F1` */
  id: Id,
  verdict: z.enum(VERDICTS),
  site: Id,
  cells: z.array(Id).min(1).max(MOST_CELLS),
  /** What happened, as one paragraph. */
  paragraph: Text,
  remedy: Text,
  /** The command that repeats the first cell. */
  repeat: Text,
  /** Text of a scenario file that plays the first cell. */
  scenario: z.string().max(400_000).optional(),
  /** Files of the report folder that hold the world and the scenario. */
  files: z.array(Text).max(10).optional(),
  /** The team has accepted it. */
  accepted: z.boolean().optional(),
});
export type Finding = z.output<typeof Finding>;

/** A run of `estate harden`: what was tried and what was found. The file `harden.json` of a report. */
export const HardenRun = z.strictObject({
  version: z.literal(1),
  /** Version of the estate. */
  estate: Text,
  /** The user's command, as typed. */
  command: Text,
  /** Instant of wall time: `2026-11-29T10:00:00Z`. */
  startedAt: Text,
  /** Duration of the run in milliseconds. */
  ms: z.number().nonnegative(),
  seed: Text,
  /** ISO 8601 duration that the clock runs after each try. */
  patience: Text,
  /** How the user's own state is kept apart. */
  state: z.enum(['none', 'url', 'before', 'container']),
  baseline: z.strictObject({ ms: z.number().nonnegative(), calls: z.int(), deliveries: z.int() }),
  sites: z.array(Site).max(MOST_SITES),
  /** All cells of the plan, also those that were not tried. */
  cells: z.array(Cell).max(MOST_CELLS),
  findings: z.array(Finding).max(MOST_CELLS),
  /** Sentences: each names a thing that was not checked, and the reason. */
  notJudged: z.array(Text).max(100),
  /** The reason if the run ended before all cells of the plan were tried. */
  endedEarly: Text.optional(),
});
export type HardenRun = z.output<typeof HardenRun>;
