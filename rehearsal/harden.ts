import { errorMessage } from '../shared/domain/text.ts';
import type { EstateAccess, EstateRehearsal } from './estate-rehearsal.ts';
import { checkOfFunction, playOfFunction } from './harden/functions.ts';
import { FAMILIES, type Family, type HardenRun } from './harden/run.ts';
import { hardenRunSchema } from './harden/run-schema.ts';
import { BaselineFailed, DEFAULTS, endedBadly, hardenSystem, MOST_PARALLEL, type Wording } from './harden/runner.ts';
import { runLines } from './harden/text/run-text.ts';
import { openFindings } from './harden/words.ts';

/**
 * A story of your code: it works in the rehearsal that it gets, and throws if your code reports a failure. What it returns is compared
 * between runs, so it holds no random value. Ids of the estate do not count.
 * @param how its signal aborts when the story takes too long
 */
export type HardenStory = (rehearsal: EstateRehearsal, how: { readonly signal: AbortSignal }) => unknown;

export interface HardenChoices {
  /** Name of the story in the report; by default the name of the function. */
  readonly name?: string;
  /** Reads what your system holds to be true, after the patience. It is compared as the result of the story is. */
  readonly check?: (rehearsal: EstateRehearsal) => unknown;
  readonly before?: (rehearsal: EstateRehearsal) => unknown;
  /** Tries only these families of misfortunes. */
  readonly families?: readonly Family[];
  readonly all?: boolean;
  /** Then tries pairs of survived misfortunes, within `budgetMs`. */
  readonly pairs?: boolean;
  /** Tries only this cell of the plan, or pair: `C17+C20`. */
  readonly again?: string;
  /** Name of a snapshot of the estate that each story continues. */
  readonly from?: string;
  /** Ids derive from it; `harden` by default. */
  readonly seed?: string;
  /** RFC 3339 instant of the frozen clock of each story; a Monday morning by default. */
  readonly startsAt?: string;
  /** ISO 8601 duration that the clock runs after each story; `P1D` by default. */
  readonly patience?: string;
  /** Most stories at the same time, 1 to 64. 1 by default: stories of one process may share state. */
  readonly parallel?: number;
  /** Wall time in milliseconds after which no misfortune is tried. */
  readonly budgetMs?: number;
  /** A run whose findings your team has accepted. */
  readonly accepted?: HardenRun;
  readonly signal?: AbortSignal;
}

/** Mistakes were found, or the run could not be made. The message is the text that `estate harden` prints. */
export class HardenFailed extends Error {
  override readonly name = 'HardenFailed';
  /** What was tried and found; undefined when nothing was tried. */
  readonly run: HardenRun | undefined;
  constructor(message: string, run?: HardenRun, options?: ErrorOptions) {
    super(message, options);
    this.run = run;
  }
}

const WIDTH = 100;

/**
 * Plays a story once for each misfortune that can strike it, each time in a fresh rehearsal, and compares what it left with a story
 * without misfortune. It takes minutes: raise the time limit of the test, or set `budgetMs`.
 * @throws HardenFailed when a finding is not accepted, or when nothing could be tried
 */
export async function harden(estate: EstateAccess, story: HardenStory, choices: HardenChoices = {}): Promise<HardenRun> {
  requireSense(story, choices);
  const { before, check, again, from, families, all, pairs, budgetMs, accepted, signal, parallel = 1 } = choices;
  const { name = story.name || 'story', seed = DEFAULTS.seed, startsAt = DEFAULTS.startsAt, patience = DEFAULTS.patience } = choices;
  let failure: unknown;
  const run = await hardenSystem({
    access: estate,
    command: name,
    seed,
    startsAt,
    patience,
    from: from === undefined ? undefined : { snapshot: from },
    system: {
      play: playOfFunction(story, (error) => {
        failure = error;
      }),
      ...(check && { check: checkOfFunction(check) }),
      ...(before && {
        before: async (rehearsal) => {
          await before(rehearsal);
        },
      }),
    },
    state: before ? 'before' : 'none',
    wording: { ...WORDING, noCell: `The plan has no cell ${again} any more. Leave out again: the member cells of the run lists them.` },
    repeat: (cell) => `harden(estate, story, { ${[`again: '${cell}'`, ...repeated(choices)].join(', ')} })`,
    parallel,
    budgetMs,
    families,
    all,
    pairs,
    only: again === undefined ? undefined : ({ id }) => id === again,
    accepted,
    signal,
  }).catch((error: unknown) => {
    if (!(error instanceof BaselineFailed)) throw error;
    const differences = error.differences.slice(0, 20).map(({ what, baseline, tried }) => `\n  ${what}: ${baseline}, then ${tried}`);
    const why = failure === undefined ? '' : `\n${errorMessage(failure)}`;
    throw new HardenFailed(`Nothing was tried. ${error.message}${differences.join('')}${why}`, undefined, { cause: failure ?? error });
  });
  if (openFindings(run).length > 0 || endedBadly(run) !== undefined)
    throw new HardenFailed(`${name}\n\n${runLines(run, WIDTH, false).join('\n')}`, run);
  return run;
}

/** The choices that decide which cells a plan has. */
const repeated = ({ families, all }: HardenChoices): readonly string[] => [
  ...(families === undefined ? [] : [`families: [${families.map((family) => `'${family}'`).join(', ')}]`]),
  ...(all ? ['all: true'] : []),
];

const WORDING: Omit<Wording, 'noCell'> = {
  check: 'Give check, or return what your system holds to be true.',
  reset: 'Reset it with before, or keep its data by rehearsal.',
  connection: 'Let it call the estate through the rehearsal that it gets, or with the credentials of that rehearsal.',
};

/** @throws TypeError that names the choice and the remedy */
function requireSense(story: unknown, { families = [], parallel = 1, budgetMs, pairs, accepted }: HardenChoices): void {
  if (typeof story !== 'function') throw new TypeError('harden needs a story: harden(estate, async (rehearsal) => { … }).');
  const unknown = families.filter((family) => !FAMILIES.includes(family));
  if (unknown.length > 0) throw new TypeError(`families: there is no ${unknown.join(', ')}; choose from ${FAMILIES.join(', ')}.`);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > MOST_PARALLEL)
    throw new TypeError(`parallel: give a number from 1 to ${MOST_PARALLEL}, not ${parallel}.`);
  if (pairs && budgetMs === undefined)
    throw new TypeError('pairs: there may be two thousand pairs. Limit their wall time with budgetMs, such as 600_000.');
  if (budgetMs !== undefined && !(budgetMs > 0)) throw new TypeError(`budgetMs: give milliseconds above zero, not ${budgetMs}.`);
  const [issue] = (accepted !== undefined && hardenRunSchema.safeParse(accepted).error?.issues) || [];
  if (issue) throw new TypeError(`accepted: give the run of an earlier harden. ${issue.path.join('.')}: ${issue.message}.`);
}
