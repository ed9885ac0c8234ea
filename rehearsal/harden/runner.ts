import manifest from '../../package.json' with { type: 'json' };
import { FORBIDDEN, type ForbiddenChange } from '../../shared/catalog/control/drift.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import { ConnectionError, ControlError, createAgent } from '../estate-client.ts';
import type { EstateRehearsal } from '../estate-rehearsal.ts';
import { isSuperfluous, type Plan, type PlanChoice, type PlannedCell, planCells } from './cells.ts';
import { causeKeyOf, groupsOf, isAccepted, paragraphOf, remedyOf } from './findings.ts';
import { trouble } from './functions.ts';
import { findPair, pairsOf } from './pairs.ts';
import { NotPossible, storiesIn, type Telling, type UserSystem, type World } from './play.ts';
import {
  type Cell,
  type Difference,
  FAMILIES,
  type Family,
  type Finding,
  type HardenRun,
  isFailing,
  VERDICTS,
  type Verdict,
} from './run.ts';
import { isCutShort, type PlannedSite, sitesOf, undeliveredTo } from './sites.ts';
import { differencesOfStories, type Facts, type Judgement, judge, judgeRepetition } from './verdict.ts';

export interface HardenOptions extends World, PlanChoice {
  readonly system: UserSystem;
  /** The user's command, as typed, or the name of the function. */
  readonly command: string;
  readonly state: HardenRun['state'];
  readonly wording: Wording;
  /** What repeats a cell. */
  readonly repeat: (cell: string) => string;
  /** Most stories that run at the same time. */
  readonly parallel: number;
  /** Wall time in milliseconds that the run may take. */
  readonly budgetMs?: number;
  /** Cells of an earlier run keep their verdicts. */
  readonly resumed?: HardenRun;
  /** Findings that the team has accepted. */
  readonly accepted?: HardenRun;
  /** Tries pairs of survived misfortunes after all single ones. */
  readonly pairs?: boolean;
  /** Only these cells, or the one pair. */
  readonly only?: (cell: PlannedCell) => boolean;
  /** Called before the first cell is tried. @returns whether cells are tried at all */
  readonly onPlanned?: (prepared: PreparedRun) => Promise<boolean>;
  /** Ends the run; what is known is returned. Its reason has the sentence. */
  readonly signal?: AbortSignal;
  /** Called with what is known before the first cell, and after each. */
  readonly onProgress?: (run: HardenRun) => void;
  /** Keeps the rehearsals of cells that fail. */
  readonly keepsRehearsals?: boolean;
  /** Keeps the world of a cell that fails for a new cause. @returns the names of its files */
  readonly keep?: (cell: Cell, rehearsal: EstateRehearsal) => Promise<readonly string[]>;
}

/** Sentences that name what a caller of the run can give. */
export interface Wording {
  /** How to add a check. */
  readonly check: string;
  /** How to reset the user's system. */
  readonly reset: string;
  /** How the user's work reaches its rehearsal. */
  readonly connection: string;
  /** The plan does not have the chosen cell. */
  readonly noCell: string;
}

/** Most stories at the same time. */
export const MOST_PARALLEL = 64;

export const DEFAULTS = {
  /** A Monday morning, so that a story ends within its week. */
  startsAt: '2026-03-02T10:00:00Z',
  seed: 'harden',
  patience: 'P1D',
} as const;

/** Nothing was tried, because the story without misfortune cannot be compared with. */
export class BaselineFailed extends Error {
  override readonly name = 'BaselineFailed';
  readonly differences: readonly Difference[];
  constructor(sentence: string, differences: readonly Difference[] = []) {
    super(sentence);
    this.differences = differences;
  }
}

/** Longest baseline. */
const LONGEST_BASELINE_MS = 600_000;
/** A story is stopped after so many times its baseline. */
const PATIENCE_FACTOR = 10;
/** A client may wait so long for a single answer, however short its baseline is. */
const SHORTEST_LIMIT_MS = 20_000;
/** Cells between two baselines. */
const CELLS_PER_BASELINE = 10;
const TRIES = 3;

/** Tries the user's system under each misfortune. @throws BaselineFailed */
export async function hardenSystem(given: HardenOptions): Promise<HardenRun> {
  const agent = createAgent();
  const options = { ...given, access: { ...given.access, agent } };
  try {
    const prepared = await prepareRun(options);
    const isTried = (await options.onPlanned?.(prepared)) ?? true;
    return isTried ? await tryCells(prepared, options) : prepared.run;
  } finally {
    await agent.destroy();
  }
}

export interface PreparedRun {
  readonly baseline: Telling;
  readonly sites: ReadonlyMap<string, PlannedSite>;
  readonly plan: Plan;
  /** All cells are untried. */
  readonly run: HardenRun;
}

/** Plays the story twice without misfortune, and plans the cells. @throws BaselineFailed */
async function prepareRun(options: HardenOptions): Promise<PreparedRun> {
  const { startsAt, from, seed, patience, command, state, wording, system } = options;
  const hasStory = system.beside !== undefined;
  const startedAt = new Date();
  const stories = storiesIn(options, system);
  const tell = () => stories.tell({ limitMs: LONGEST_BASELINE_MS, signal: options.signal }, async (told) => told);
  const [baseline, second] = await twice(tell);
  requireSound(baseline, second, wording);
  requireCheck(baseline, system);
  const all = sitesOf(baseline.journal, baseline.deliveries);
  if (all.length === 1) throw new BaselineFailed(`${NO_CALLS} ${wording.connection}`);
  const plan = planCells(all, { startsAt, isFixed: from !== undefined, hasStory }, options);
  const sites = new Map(all.map((site) => [site.id, site]));
  const cells = chosenOf(plan.cells, sites, options.only);
  if (options.only !== undefined && cells.length === 0) throw new BaselineFailed(wording.noCell);
  const run: HardenRun = {
    version: 1,
    estate: manifest.version,
    command,
    startedAt: startedAt.toISOString(),
    ms: Date.now() - startedAt.getTime(),
    seed,
    patience,
    state,
    baseline: { ms: Math.round((baseline.ms + second.ms) / 2), calls: countOf(all, 'call'), deliveries: countOf(all, 'delivery') },
    sites: all.map(({ id, kind, label }) => ({ id, kind, label })),
    cells: cells.map(untried),
    findings: [],
    notJudged: [
      ...notJudged(baseline, options.families ?? FAMILIES, wording),
      ...plan.leftOut,
      ...(hasStory ? [STORY_READS] : []),
      ...withoutPlace(sites, options),
    ],
  };
  return { baseline, sites, plan: { ...plan, cells }, run };
}

function chosenOf(
  cells: readonly PlannedCell[],
  sites: ReadonlyMap<string, PlannedSite>,
  only: HardenOptions['only'],
): readonly PlannedCell[] {
  if (only === undefined) return cells;
  const chosen = cells.filter(only);
  return chosen.length > 0 ? chosen : [findPair(cells, sites, only)].filter((pair) => pair !== undefined);
}

/** Two stories without misfortune. @throws BaselineFailed when the estate refuses their rehearsals */
async function twice(tell: () => Promise<Telling>): Promise<readonly [Telling, Telling]> {
  try {
    return [await tell(), await tell()];
  } catch (error) {
    if (!(error instanceof ControlError) || error.status >= 500) throw error;
    throw new BaselineFailed(`The estate refuses what the run needs. ${error.message}`);
  }
}

const NO_CALLS = 'The command made no call in its rehearsal, so nothing can strike it.';
const STORY_READS = 'Missing and swapped events were not tried, because the story expects each event itself.';

const SHOWN_PLACES = 3;

/** Sentences about earlier runs whose places the story does not have any more. */
function withoutPlace(
  sites: ReadonlyMap<string, PlannedSite>,
  { accepted, resumed }: Pick<HardenOptions, 'accepted' | 'resumed'>,
): readonly string[] {
  const missing = (earlier: readonly { readonly id: string; readonly site: string }[] = []): readonly string[] =>
    earlier.filter(({ site }) => !sites.has(site)).map(({ id, site }) => `${id} at ${site}`);
  const [findings, cells] = [missing(accepted?.findings), missing(resumed?.cells.filter(({ verdict }) => verdict !== undefined))];
  return [
    ...(findings.length > 0 ? [`These accepted findings ${NO_PLACE}: ${firstOf(findings)}. Leave them out of the accepted run.`] : []),
    ...(cells.length > 0 ? [`These cells of the earlier run ${NO_PLACE}: ${firstOf(cells)}. Their verdicts were left out.`] : []),
  ];
}

const NO_PLACE = 'are at places that the story does not have any more';
const firstOf = (texts: readonly string[]): string =>
  `${texts.slice(0, SHOWN_PLACES).join(', ')}${texts.length > SHOWN_PLACES ? ` and ${texts.length - SHOWN_PLACES} more` : ''}`;

const countOf = (sites: readonly PlannedSite[], kind: PlannedSite['kind']): number => sites.filter((one) => one.kind === kind).length;

const untried = ({ id, site, family, misfortune, label }: PlannedCell): Cell => ({ id, site, family, misfortune, label });

/** Of the families, those that strike the deliveries of webhooks. */
const OF_DELIVERIES: readonly Family[] = ['delivery', 'forged'];
const NO_DELIVERY = 'No webhook got an event, so none was repeated, delayed or forged. What a consumer of Kafka gets is not struck.';

function notJudged({ check, deliveries }: Telling, families: readonly Family[], wording: Wording): readonly string[] {
  const unstruck = deliveries.length === 0 && families.some((family) => OF_DELIVERIES.includes(family)) ? [NO_DELIVERY] : [];
  if (check !== undefined) return unstruck;
  return [
    ...unstruck,
    `There is no check of your system, so only the exit code and the books of the estate were compared. ${wording.check}`,
    ...(families.includes('forbidden') ? ['Without a check, wrong values in answers count as not reached.'] : []),
  ];
}

/** @throws BaselineFailed unless both stories ended well and alike */
function requireSound(one: Telling, other: Telling, { reset }: Wording): void {
  for (const { exitCode, ending } of [one, other]) {
    if (exitCode !== 0 && ending !== undefined) throw new BaselineFailed(`${ending} There was no misfortune: correct it first.`);
    if (exitCode === undefined)
      throw new BaselineFailed('The command did not end within ten minutes without any misfortune. Choose a shorter part of your tests.');
    if (exitCode !== 0)
      throw new BaselineFailed(`The command failed with exit code ${exitCode} without any misfortune. Make it pass first.`);
  }
  const differences = differencesOfStories(one, other);
  if (differences.length === 0) return;
  throw new BaselineFailed(
    `Two runs without any misfortune differ. Let your command do the same in each run, and leave times and random values out of the check. Your system may keep state between rehearsals. ${reset}`,
    differences,
  );
}

/** @throws BaselineFailed unless the check did its work */
function requireCheck({ check = '' }: Telling, system: UserSystem): void {
  const found = trouble(check);
  const why = found === undefined ? system.unfit?.(check) : `${found}\n${CORRECT_CHECK}`;
  if (why !== undefined) throw new BaselineFailed(`The check cannot be used. ${why}`);
}

const CORRECT_CHECK = 'Correct it, so that it returns what your system holds to be true when there is no misfortune.';

type Task = { readonly cell: PlannedCell } | { readonly isBaseline: true };

/** Tries the cells of a plan. An estate that ends, a signal and the budget end the run early; what is known is returned. */
async function tryCells(prepared: PreparedRun, options: HardenOptions): Promise<HardenRun> {
  const { baseline, sites, plan } = prepared;
  const { signal, budgetMs, resumed } = options;
  const stories = storiesIn(options, options.system);
  const begun = Date.now() - prepared.run.ms;
  const limitMs = Math.max(Math.ceil(PATIENCE_FACTOR * baseline.ms), SHORTEST_LIMIT_MS);
  const outcomes = new Map<string, Outcome>();
  const confirmed = new Set<string>();
  const planned: PlannedCell[] = [];
  const queue: Task[] = [];
  const sinceGreen = new Set<string>();
  let [parallel, most] = [1, Math.max(1, options.parallel)];
  let endedEarly: string | undefined;
  let untilBaseline = CELLS_PER_BASELINE;

  function add(cells: readonly PlannedCell[]): void {
    planned.push(...cells);
    for (const [id, outcome] of earlierOutcomes(resumed, cells)) {
      outcomes.set(id, outcome);
      if (isFailing(outcome.cell.verdict ?? 'survived')) confirmed.add(causeKeyOf(outcome.cell));
    }
    queue.push(...cells.filter(({ id }) => !outcomes.has(id)).map((cell) => ({ cell })));
  }

  const known = (): HardenRun => {
    const cells = planned.map((cell): Cell => ({ ...untried(cell), ...outcomes.get(cell.id)?.cell }));
    const findings = findingsOf(cells, outcomes, options);
    const of = new Map(findings.flatMap(({ id, cells: own }) => own.map((cell) => [cell, id])));
    return {
      ...prepared.run,
      ms: Date.now() - begun + (resumed?.ms ?? 0),
      cells: cells.map((cell) => (of.has(cell.id) ? { ...cell, finding: of.get(cell.id) } : cell)),
      findings,
      ...(endedEarly !== undefined && { endedEarly }),
    };
  };

  async function tryCell(cell: PlannedCell): Promise<void> {
    const absent = plan.cells.find(({ site, misfortune }) => site === cell.site && misfortune === 'outage');
    const whenAbsent = absent && outcomes.get(absent.id)?.cell.verdict;
    const outcome = await tryOften(cell, { stories, prepared, limitMs: limitMs + (cell.delayMs ?? 0), confirmed, whenAbsent, options });
    outcomes.set(cell.id, outcome);
    if (isFailing(outcome.cell.verdict ?? 'survived')) sinceGreen.add(cell.id);
  }

  async function repeatBaseline(): Promise<void> {
    const isGreen = async (): Promise<boolean> =>
      differencesOfStories(baseline, await stories.tell({ limitMs, signal }, async (told) => told)).length === 0;
    if (await isGreen()) {
      sinceGreen.clear();
      parallel = Math.min(most, parallel + 1);
      return;
    }
    // The machine may be too slow for parallel stories.
    if (parallel > 1) {
      [parallel, most] = [1, 1];
      for (const id of sinceGreen) {
        outcomes.delete(id);
        queue.unshift(...planned.filter((cell) => cell.id === id).map((cell) => ({ cell })));
      }
      sinceGreen.clear();
      queue.unshift({ isBaseline: true });
      return;
    }
    const drifted = `${DRIFTED} ${options.wording.reset}`;
    endedEarly = drifted;
    for (const id of sinceGreen) {
      const outcome = outcomes.get(id);
      if (outcome) outcomes.set(id, { ...outcome, cell: { ...outcome.cell, verdict: 'unstable', reason: drifted } });
    }
  }

  const running = new Set<Promise<void>>();
  const isOver = (): boolean => {
    if (signal?.aborted) endedEarly ??= errorMessage(signal.reason);
    else if (budgetMs !== undefined && Date.now() - begun > budgetMs) endedEarly ??= BUDGET_USED;
    return endedEarly !== undefined;
  };
  add(plan.cells);
  options.onProgress?.(known());
  let hasPairs = options.pairs !== true || options.only !== undefined;
  for (;;) {
    if (queue.length + running.size === 0 && !hasPairs) {
      hasPairs = true;
      add(
        pairsOf(
          plan.cells.filter(({ id }) => outcomes.get(id)?.cell.verdict === 'survived'),
          sites,
        ),
      );
    }
    // The last findings need a sound baseline after them, as the others.
    if (queue.length + running.size === 0 && sinceGreen.size > 0 && !isOver()) queue.push({ isBaseline: true });
    if (queue.length + running.size === 0) break;
    while (running.size < parallel && queue.length > 0 && !isOver()) {
      const next = untilBaseline <= 0 ? ({ isBaseline: true } as const) : (queue.shift() as Task);
      if ('cell' in next && !options.all && isSuperfluous(next.cell, failedSo(outcomes), sites)) {
        outcomes.set(next.cell.id, { cell: { ...untried(next.cell), reason: SUPERFLUOUS }, files: [] });
        continue;
      }
      untilBaseline = 'cell' in next ? untilBaseline - 1 : CELLS_PER_BASELINE;
      const work: Promise<void> = ('cell' in next ? tryCell(next.cell) : repeatBaseline())
        .catch((error: unknown) => {
          if (!signal?.aborted) endedEarly ??= endOf(error);
        })
        .finally(() => {
          running.delete(work);
          options.onProgress?.(known());
        });
      running.add(work);
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  if (endedEarly === BUDGET_USED && sinceGreen.size > 0) {
    parallel = 1;
    await repeatBaseline().catch((error: unknown) => {
      if (!signal?.aborted) endedEarly = endOf(error);
    });
  }
  return known();
}

const BUDGET_USED = 'The budget was used up.';
const DRIFTED = 'A run without any misfortune differs from the baseline now: your system keeps state between rehearsals.';
const SUPERFLUOUS = 'Not tried: an event of this type has broken the receiver already. --all tries it.';

function endOf(error: unknown): string {
  if (error instanceof ConnectionError) return `${ESTATE_ENDED}: ${error.message} When it answers again, continue with --resume.`;
  return `${RUN_FAILED}: ${errorMessage(error)}`;
}

const ESTATE_ENDED = 'The estate ended or cannot be reached';
const RUN_FAILED = 'The run failed';

/** Why a run ended before it could show anything; undefined for a budget, and for a user who ended it. */
export function endedBadly({ endedEarly = '' }: HardenRun): 'estate' | 'run' | undefined {
  if (endedEarly.startsWith(ESTATE_ENDED)) return 'estate';
  return endedEarly.startsWith(RUN_FAILED) || endedEarly.startsWith(DRIFTED) ? 'run' : undefined;
}

interface Outcome {
  readonly cell: Cell;
  readonly paragraph?: string;
  readonly scenario?: string;
  readonly files: readonly string[];
}

const failedSo = (outcomes: ReadonlyMap<string, Outcome>): readonly Cell[] =>
  [...outcomes.values()].map(({ cell }) => cell).filter(({ verdict }) => verdict !== undefined && isFailing(verdict));

/** Cells of an earlier run that this plan has too. */
function earlierOutcomes(resumed: HardenRun | undefined, cells: readonly PlannedCell[]): readonly (readonly [string, Outcome])[] {
  if (resumed === undefined) return [];
  const keyOf = ({ site, misfortune, family }: Cell): string => JSON.stringify([site, family, misfortune]);
  const earlier = new Map(resumed.cells.filter(({ verdict }) => verdict !== undefined).map((cell) => [keyOf(cell), cell]));
  const findings = new Map(resumed.findings.toReversed().flatMap((finding) => finding.cells.map((id) => [id, finding])));
  return cells.flatMap((cell) => {
    const found = earlier.get(keyOf(cell));
    if (found === undefined) return [];
    const finding = findings.get(found.id);
    const { finding: _id, ...rest } = found;
    const isFirst = finding?.cells[0] === found.id;
    return [
      [
        cell.id,
        {
          cell: { ...rest, id: cell.id },
          ...(isFirst && { paragraph: finding?.paragraph, scenario: finding?.scenario }),
          files: isFirst ? (finding?.files ?? []) : [],
        },
      ] as const,
    ];
  });
}

function findingsOf(
  cells: readonly Cell[],
  outcomes: ReadonlyMap<string, Outcome>,
  { repeat, accepted }: Pick<HardenOptions, 'repeat' | 'accepted'>,
): Finding[] {
  return groupsOf(cells, VERDICTS).map((group, index): Finding => {
    const [first] = group;
    const told = group.map(({ id }) => outcomes.get(id)).find((outcome) => outcome?.paragraph !== undefined);
    const finding = { site: first.site, verdict: first.verdict ?? 'unstable', cells: group.map(({ id }) => id) };
    return {
      id: `F${index + 1}`,
      ...finding,
      paragraph: told?.paragraph ?? first.reason ?? first.label,
      remedy: remedyOf(first),
      repeat: repeat(first.id),
      scenario: told?.scenario,
      ...(told !== undefined && told.files.length > 0 && { files: [...told.files] }),
      ...(accepted !== undefined && isAccepted(finding, cells, accepted) && { accepted: true }),
    };
  });
}

interface Trying {
  readonly stories: ReturnType<typeof storiesIn>;
  readonly prepared: PreparedRun;
  readonly limitMs: number;
  /** Causes that three tries have confirmed. */
  readonly confirmed: Set<string>;
  readonly whenAbsent: Verdict | undefined;
  readonly options: HardenOptions;
}

/** Tries a cell, and a suspicious one twice more. */
async function tryOften(planned: PlannedCell, trying: Trying): Promise<Outcome> {
  const first = await tryOnce(planned, trying);
  const { verdict } = first.cell;
  if (verdict === undefined || !isFailing(verdict) || trying.confirmed.has(causeKeyOf(first.cell))) return first;
  for (let count = 1; count < TRIES; count++) {
    const { cell } = await tryOnce(planned, trying, true);
    if (cell.verdict === verdict) continue;
    const reason = `One try ended with ${verdict}, another one with ${cell.verdict}.`;
    const paragraph = first.paragraph === undefined ? reason : `${reason} In the first one: ${first.paragraph}`;
    return { ...first, paragraph, cell: { ...first.cell, verdict: 'unstable', reason } };
  }
  trying.confirmed.add(causeKeyOf(first.cell));
  return first;
}

async function tryOnce(
  planned: PlannedCell,
  { stories, prepared, limitMs, confirmed, whenAbsent, options }: Trying,
  isRepeated = false,
): Promise<Outcome> {
  const started = performance.now();
  const site = prepared.sites.get(planned.site) as PlannedSite;
  const ended = (judgement: Judgement, told?: Telling): Cell => ({
    ...untried(planned),
    verdict: judgement.verdict,
    reason: judgement.reason,
    exitCode: told?.exitCode,
    ms: Math.round(performance.now() - started),
    rehearsal: told?.rehearsal,
    ...(judgement.differences.length > 0 && { differences: [...judgement.differences] }),
  });
  try {
    return await stories.tell(
      { cell: planned, limitMs, signal: options.signal },
      async (told, rehearsal): Promise<Outcome> => {
        const judged = judge(prepared.baseline, told, { ...factsOf(planned, site, told, prepared.baseline), whenAbsent });
        // Written before a repetition adds to the world.
        const cell = ended('needsRepetition' in judged ? judged.needsRepetition : judged, told);
        const isNew = isFailing(cell.verdict ?? 'survived') && !isRepeated && !confirmed.has(causeKeyOf(cell));
        const [files, scenario] = isNew ? [(await options.keep?.(cell, rehearsal)) ?? [], await storyOf(rehearsal)] : [[], undefined];
        const causes = (planned.pair ?? [planned]).map((one) => ({ cell: one, site: prepared.sites.get(one.site) as PlannedSite }));
        const paragraph = paragraphOf({
          cell,
          causes,
          site,
          exitCode: told.exitCode,
          ending: told.ending,
          journal: told.journal,
          struck: told.struck,
        });
        if (!('needsRepetition' in judged)) return { cell, paragraph, scenario, files };
        const repeated = await stories.tellIn(rehearsal, told.startsAt, { limitMs, signal: options.signal, isRepeated: true });
        const final = judgeRepetition(prepared.baseline, repeated, judged.needsRepetition);
        return { cell: ended(final, told), paragraph, scenario, files };
      },
      ({ cell }) => options.keepsRehearsals === true && isFailing(cell.verdict ?? 'survived') && !isRepeated,
    );
  } catch (error) {
    if (!(error instanceof NotPossible)) throw error;
    return {
      cell: ended({ verdict: 'not-struck', reason: `The estate refuses this misfortune: ${error.message}`, differences: [] }),
      files: [],
    };
  }
}

/** A story that cannot be recorded has no scenario. */
const storyOf = (rehearsal: EstateRehearsal): Promise<string | undefined> =>
  rehearsal.control('read-story').then(
    ({ text }) => (text.length <= LONGEST_SCENARIO ? text : undefined),
    () => undefined,
  );
const LONGEST_SCENARIO = 400_000;

function factsOf(cell: PlannedCell, site: PlannedSite, told: Telling, baseline: Telling): Facts {
  const struckHop = told.journal.find(({ requestId }) => told.struck.has(requestId));
  const change = FORBIDDEN.find((name) => name === cell.misfortune) as ForbiddenChange | undefined;
  return {
    cell,
    hits: told.hits,
    isUndelivered: site.kind === 'delivery' && undeliveredTo(site.webhook, told.journal) > undeliveredTo(site.webhook, baseline.journal),
    isCutShort: isCutShort(baseline.journal, told.journal, {
      struck: told.struck,
      lost: (cell.pair ?? [cell]).some(({ family }) => family === 'lost-answers'),
    }),
    ...(cell.family === 'forged' && { forgedStatus: struckHop?.status }),
    ...(cell.family === 'forbidden' &&
      change !== undefined && {
        forbidden: { change, isCall: site.kind === 'call', baseline: baseline.journal, tried: told.journal, struck: told.struck },
      }),
  };
}
