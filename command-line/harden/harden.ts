import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { ConnectionError, createEstateClient } from '../../rehearsal/estate-client.ts';
import { DEMO_CREDENTIALS, type EstateCredentials, type EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import type { PlannedCell } from '../../rehearsal/harden/cells.ts';
import { pairsOf } from '../../rehearsal/harden/pairs.ts';
import { type Cell, FAMILIES, type Family, type HardenRun } from '../../rehearsal/harden/run.ts';
import { hardenRunSchema, MOST_CELLS } from '../../rehearsal/harden/run-schema.ts';
import {
  BaselineFailed,
  DEFAULTS,
  endedBadly,
  type HardenOptions,
  hardenSystem,
  MOST_PARALLEL,
  type PreparedRun,
  type Wording,
} from '../../rehearsal/harden/runner.ts';
import { findingLines } from '../../rehearsal/harden/text/finding-lines.ts';
import { runLines } from '../../rehearsal/harden/text/run-text.ts';
import { openFindings } from '../../rehearsal/harden/words.ts';
import { Duration } from '../../shared/catalog/duration.ts';
import { ENDING, packed } from '../../shared/domain/estate-file.ts';
import { exceededLimit, FILE_KINDS } from '../../shared/domain/json-limits.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import { counted, errorMessage } from '../../shared/domain/text.ts';
import { readTextWithin } from '../../shared/process/bounded-file.ts';
import { print, printError, printJson } from '../../shared/process/terminal.ts';
import { requireReady } from '../connection/ask.ts';
import { adminOption, againstOption, apiKeyOption, bearerOption, jsonOption } from '../connection/connection.ts';
import { refusedCredentials } from '../connection/credentials.ts';
import { CommandFailure, EXIT, misuse } from '../failure.ts';
import { withExample } from '../help.ts';
import { lookOf, progressOn } from '../output/table.ts';
import { makeFolder, writeGiven } from '../output/written-file.ts';
import { startOwnEstate } from '../rehearse/own-estate.ts';
import { endProcess, type Interrupted, interruptions, superviseProcess } from '../rehearse/supervision.ts';
import { repeatable } from '../repeatable.ts';
import { progressLine } from './progress-line.ts';
import { keepsRunIn, prepareHardenReport, RUN_FILE, writeHardenReport } from './report/report.ts';
import { storyNamed } from './story.ts';
import { type SameAs, sameAsOf, userSystem } from './user-system.ts';

interface Options extends EstateCredentials {
  readonly story?: string;
  readonly ready?: string;
  readonly check?: string;
  readonly sameAs?: readonly SameAs[];
  readonly before?: string;
  readonly url?: string;
  readonly only?: readonly Family[];
  readonly all?: boolean;
  readonly plan?: boolean;
  readonly pairs?: boolean;
  readonly again?: string;
  readonly from?: string;
  readonly patience: string;
  readonly parallel?: number;
  readonly budget?: string;
  readonly report?: string;
  readonly accept?: string;
  readonly resume?: boolean;
  readonly seed: string;
  readonly startsAt: string;
  readonly against?: string;
  readonly json?: boolean;
}

export function hardenCommand(): Command {
  const command = new Command('harden')
    .description(
      'Finds the mistakes of your integration. Runs your command once per misfortune, such as a lost answer or an event that arrives twice, and compares what it left.',
    )
    .argument(
      '[command...]',
      'Your command, after --. It finds the estate and its rehearsal in ESTATE_URL and the other variables of estate env.',
    )
    .addOption(
      new Option(
        '--story <file>',
        'A scenario that the estate plays while your command runs beside it, as a service. It is started and stopped for each run.',
      ),
    )
    .addOption(
      new Option(
        '--ready <url>',
        'With --story: address that answers when your service is ready. Without it, the service has registered a webhook by then.',
      ).argParser(readyOf),
    )
    .addOption(
      new Option(
        '--check <command or file>',
        'A command whose output is what your system holds to be true, or a file that exports a function.',
      ),
    )
    .addOption(
      repeatable(
        new Option(
          '--same-as <type=url>',
          'Your system returns objects of this type as the estate does: order=http://localhost:3000/orders/{id}.',
        ),
        (text) => [sameAsOf(text)],
      ),
    )
    .addOption(new Option('--before <command>', 'Resets your system before each run of your command.'))
    .addOption(
      new Option(
        '--url <url>',
        'Address of your system with {rehearsal}, if it keeps rehearsals apart. Your command gets it as HARDEN_URL.',
      ).argParser(urlOf),
    )
    .addOption(
      repeatable(new Option('--only <family>', `Tries these families: ${FAMILIES.join(', ')}.`), (text) => text.split(',').map(familyOf)),
    )
    .addOption(new Option('--all', 'Try all calls and events of a kind, in place of the first ones and the last.'))
    .addOption(new Option('--pairs', 'Then try pairs of misfortunes that your command survives alone, while the budget lasts.'))
    .addOption(new Option('--plan', 'Print what would be tried.'))
    .addOption(new Option('--again <cell>', 'Try one cell again, such as C17, or a pair, such as C17+C20.'))
    .addOption(new Option('--from <snapshot>', 'Begin each run with a kept world: snapshot:two-orders.'))
    .addOption(
      new Option('--patience <duration>', 'Time that the clock runs after each try, so that what heals without help may heal.')
        .default(DEFAULTS.patience)
        .argParser(durationOf),
    )
    .addOption(
      new Option(
        '--parallel <number>',
        'Most runs at the same time. They grow from one while runs without misfortune stay equal. Default: the processors of this machine; with --before or --story, 1.',
      ).argParser(parallelOf),
    )
    .addOption(new Option('--budget <duration>', 'Wall time after which no further cell is tried: 10m.').argParser(budgetOf))
    .addOption(
      new Option('--report <folder>', 'Write index.html, harden.json, junit.xml, summary.md and the worlds of findings to this folder.'),
    )
    .addOption(new Option('--accept <file>', 'A harden.json whose findings are accepted. They do not fail the run.'))
    .addOption(new Option('--resume', 'Continue the run in the folder of the report.'))
    .addOption(new Option('--seed <text>', 'Ids derive from it.').default(DEFAULTS.seed))
    .addOption(
      new Option('--starts-at <instant>', 'Time of the clock at the start of each run. The clock is frozen.').default(DEFAULTS.startsAt),
    )
    .addOption(againstOption())
    .addOption(bearerOption())
    .addOption(apiKeyOption())
    .addOption(adminOption())
    .addOption(jsonOption())
    .addHelpText('after', HELP);
  return withExample(command, 'harden --plan -- node examples/harden/javascript/welcome-points.mjs').action(harden);
}

const HELP = `
Without --against and ESTATE_URL, an estate is started for the run. Your command may write what it
holds to be true into the file named by CHECK_FILE: it counts as a check.
Exit codes: 0 nothing was found, 1 findings, 2 misuse, 3 no estate can be reached.`;

function familyOf(text: string): Family {
  const family = FAMILIES.find((one) => one === text.trim());
  if (family === undefined) throw misuse(unknownWord('family of misfortunes', text, FAMILIES));
  return family;
}

function durationOf(text: string): string {
  const { success } = Duration.safeParse(text);
  if (!success) throw misuse(`--patience ${text}: give an ISO 8601 duration, such as P1D or PT2H.`);
  return text;
}

function parallelOf(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= MOST_PARALLEL) return number;
  throw misuse(`--parallel ${text}: give a number from 1 to ${MOST_PARALLEL}.`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Checks the text; `budgetMs` reads it. */
function budgetOf(text: string): string {
  if ((budgetMs(text) ?? 0) > 0) return text;
  throw misuse(`--budget ${text}: give a number above zero with s, m or h, such as 10m.`);
}

function readyOf(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text)) return text;
  throw misuse(`--ready ${text}: give an address, such as http://localhost:3000/healthz.`);
}

function urlOf(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text) && text.includes('{rehearsal}')) return text;
  throw misuse(`--url ${text}: give an address with {rehearsal}, such as http://localhost:3000/t/{rehearsal}.`);
}

function budgetMs(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  return number === '' ? undefined : Number(number) * (UNITS[unit] ?? 0);
}

async function harden(words: readonly string[], options: Options): Promise<void> {
  if (words.length === 0) throw misuse('harden needs your command after --, such as estate harden -- npm test.');
  if (options.resume && options.report === undefined) throw misuse('--resume continues the run in a folder; name it with --report.');
  if (options.pairs && options.budget === undefined)
    throw misuse('--pairs may try two thousand pairs. Limit it with --budget, such as --pairs --budget 10m.');
  if (options.ready !== undefined && options.story === undefined)
    throw misuse('--ready belongs to --story: it names the address of a service that runs beside a story. Leave it out.');
  if (options.from !== undefined) requireKeptWorld(options);
  const [accepted, earlier] = [
    options.accept === undefined ? undefined : await readRun(options.accept, '--accept'),
    await earlierRun(options, commandOf(words, options)),
  ];
  const report = options.again === undefined && !options.plan ? options.report : undefined;
  // A run to resume stays until the continued one is written.
  if (report !== undefined && !options.resume) await prepareHardenReport(report);
  const interrupted = interruptions();
  const progress = progressOn(process.stderr);
  if (options.against === undefined) progress.show('starting an estate …');
  const failures: string[] = [];
  const unkept: string[] = [];
  const keeper = report === undefined ? undefined : keepsRunIn(report);
  const own = options.against === undefined ? await startOwnEstate() : undefined;
  const gateway = options.against ?? own?.gateway ?? '';
  try {
    await requireReady(gateway);
    const refused = await refusedCredentials({ ...options, against: gateway });
    if (refused.length > 0) throw misuse(refused.join('\n'));
    const showProgress = progressOf(progress, options);
    const hardening = await hardenOptions(words, options, { gateway, interrupted, isOwn: own !== undefined, failures, unkept });
    progress.show('running your command twice without misfortune …');
    const run = await hardenSystem({
      ...hardening,
      accepted,
      resumed: options.again === undefined ? earlier : undefined,
      onPlanned: async (prepared) => {
        if (own !== undefined) await requireAlone(gateway, hardening);
        progress.clear();
        if (options.plan) showPlan(prepared, options);
        return !options.plan;
      },
      onProgress: (known) => {
        keeper?.keep(known);
        showProgress(known);
      },
    });
    await keeper?.close();
    progress.clear();
    for (const sentence of unkept) printError(`${sentence}\n`);
    if (!options.plan) await showRun(run, { ...options, report }, earlier);
  } catch (error) {
    if (interrupted.aborted) endInterrupted(interrupted.reason as Interrupted);
    throw error instanceof BaselineFailed ? refusalOf(error, failures) : error;
  } finally {
    progress.clear();
    await own?.stop();
  }
  if (interrupted.aborted) endInterrupted(interrupted.reason as Interrupted);
}

function endInterrupted({ message, exitCode }: Interrupted): never {
  printError(`${message}\n`);
  return endProcess(exitCode);
}

/** @throws CommandFailure when the world in --from cannot exist, or has another start */
function requireKeptWorld({ from, against, startsAt }: Options): void {
  if (against === undefined)
    throw misuse(`--from ${from}: an estate that is started for the run has no kept world. Name the estate that has it with --against.`);
  if (startsAt !== DEFAULTS.startsAt) throw misuse('--starts-at: the kept world in --from has its start already. Leave one of them out.');
}

/** The command as typed. */
const commandOf = (words: readonly string[], { story }: Options): string =>
  `${story === undefined ? '' : `--story ${story} -- `}${words.join(' ')}`;

interface Circumstances {
  readonly gateway: string;
  readonly interrupted: AbortSignal;
  readonly isOwn: boolean;
  /** Receives the outputs of commands that failed. */
  readonly failures: string[];
  /** Receives why the world of a cell is not in the report. */
  readonly unkept: string[];
}

async function hardenOptions(
  words: readonly string[],
  options: Options,
  { gateway, interrupted, isOwn, failures, unkept }: Circumstances,
): Promise<HardenOptions> {
  const { admin, check, sameAs, before, url, ready } = options;
  if (options.story !== undefined) superviseProcess();
  const story = options.story === undefined ? undefined : await storyNamed(options.story);
  const system = await userSystem({
    command: words,
    gateway,
    admin,
    check,
    sameAs,
    before,
    url,
    story,
    ready,
    onFailure: (output) => failures.push(output),
  });
  const repeat = repeatOf(words, options);
  return {
    access: { gateway, credentials: { ...DEMO_CREDENTIALS, ...credentialsOf(options) } },
    system,
    command: commandOf(words, options),
    seed: options.seed,
    startsAt: options.startsAt === DEFAULTS.startsAt ? (story?.startsAt ?? options.startsAt) : options.startsAt,
    data: story?.data,
    patience: options.patience,
    from: options.from === undefined ? undefined : { snapshot: options.from.replace(/^snapshot:/, '') },
    state: before !== undefined ? 'before' : url !== undefined ? 'url' : 'none',
    wording: { ...(story === undefined ? WORDING : WORDING_BESIDE), noCell: await noCellOf(options) },
    repeat,
    only: options.again === undefined ? undefined : await onlyAgain(options),
    parallel: before === undefined ? (options.parallel ?? (story === undefined ? availableParallelism() : 1)) : 1,
    budgetMs: options.budget === undefined ? undefined : budgetMs(options.budget),
    all: options.all,
    pairs: options.pairs,
    families: options.only,
    signal: interrupted,
    keepsRehearsals: !isOwn,
    keep: options.report === undefined ? undefined : keeperIn(options.report, unkept),
  };
}

const WORDING: Omit<Wording, 'noCell'> = {
  check: 'Give --check, or write what your system holds to be true into the file named by CHECK_FILE.',
  reset: 'Reset it with --before, or give an address per rehearsal with --url.',
  connection: 'Let it read the address from ESTATE_URL, and send ESTATE_BEARER_TOKEN and ESTATE_REHEARSAL (as X-Rehearsal) with each call.',
};

const WORDING_BESIDE: typeof WORDING = {
  ...WORDING,
  connection: 'Let your service register a webhook, or call the estate with ESTATE_BEARER_TOKEN and ESTATE_REHEARSAL (as X-Rehearsal).',
};

const credentialsOf = ({ bearer, apiKey, admin }: EstateCredentials): EstateCredentials => ({ bearer, apiKey, admin });

/** The command that repeats a cell, with the options that change what is tried. */
function repeatOf(words: readonly string[], options: Options): (cell: string) => string {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--story', options.story],
    ['--ready', options.ready],
    ['--check', options.check],
    ...(options.sameAs ?? []).map(({ type, url }) => ['--same-as', `${type}=${url}`] as const),
    ['--before', options.before],
    ['--url', options.url],
    ['--only', options.only?.join(',')],
    ['--from', options.from],
    ['--patience', options.patience === DEFAULTS.patience ? undefined : options.patience],
    ['--report', options.report],
    ['--seed', options.seed === DEFAULTS.seed ? undefined : options.seed],
    ['--starts-at', options.startsAt === DEFAULTS.startsAt ? undefined : options.startsAt],
    ['--against', options.against],
  ];
  const texts = given.flatMap(([name, value]) => (value === undefined ? [] : [name, quoted(value)]));
  return (cell) => ['estate harden', '--again', cell, ...(options.all ? ['--all'] : []), ...texts, '--', ...words.map(quoted)].join(' ');
}

/** Quotes a value for a POSIX shell. */
const quoted = (value: string): string => (/^[\w.,:/@=-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`);

/** The sentence of a failed baseline, with its differences. The output of the command comes before it. */
function refusalOf({ message, differences }: BaselineFailed, failures: readonly string[]): CommandFailure {
  const output = failures.at(-1)?.trimEnd();
  if (output !== undefined && output !== '') printError(`${output}\n`);
  const lines = differences.slice(0, 20).map(({ what, baseline, tried }) => `  ${what}: ${baseline}, then ${tried}`);
  return new CommandFailure([`Nothing was tried. ${message}`, ...lines].join('\n'), EXIT.misuse);
}

/** A cell by its id, or, when an earlier report has it, by its site and misfortune, which stay when the plan changes. */
async function onlyAgain(options: Options): Promise<(cell: PlannedCell) => boolean> {
  const found = await earlierCell(options);
  if (found === undefined) return ({ id }) => id === options.again;
  return ({ site, family, misfortune }) => site === found.site && family === found.family && misfortune === found.misfortune;
}

async function earlierCell({ again, report }: Options): Promise<Cell | undefined> {
  const run = report === undefined ? undefined : await readRun(join(report, RUN_FILE), '--report').catch(() => undefined);
  return run?.cells.find(({ id }) => id === again);
}

async function noCellOf(options: Options): Promise<string> {
  const found = options.again === undefined ? undefined : await earlierCell(options);
  const what = found === undefined ? '' : ` (${found.misfortune} at ${found.site})`;
  return `The plan has no cell ${options.again}${what} any more. List its cells with --plan in place of --again.`;
}

/** Only our own estate has no other users. @throws BaselineFailed when the command worked in another rehearsal than its own */
async function requireAlone(gateway: string, { access }: HardenOptions): Promise<void> {
  const client = createEstateClient({ gateway, ...access.credentials, rehearsal: 'default' });
  try {
    const { items } = await client.control('list-rehearsals');
    const called = items.filter(({ contents }) => (contents?.journal ?? 0) > 0).map(({ name }) => name);
    if (called.length > 0) throw new BaselineFailed(otherRehearsals(called));
  } finally {
    await client.close();
  }
}

const SHOWN_REHEARSALS = 3;
const otherRehearsals = (names: readonly string[]): string =>
  `The command called another rehearsal than its own: ${names.slice(0, SHOWN_REHEARSALS).join(', ')}${names.length > SHOWN_REHEARSALS ? ', …' : ''}. Send ESTATE_BEARER_TOKEN, and ESTATE_REHEARSAL as X-Rehearsal, with each call.`;

/** Shows how far a run is. Where no line can be replaced, only new findings are reported. */
function progressOf(progress: ReturnType<typeof progressOn>, { json }: Options): (known: HardenRun) => void {
  let [started, doneBefore, shownFindings] = [0, 0, 0];
  return (run) => {
    const { cells } = run;
    const findings = openFindings(run);
    const done = cells.filter(({ verdict, reason }) => verdict !== undefined || reason !== undefined).length;
    if (started === 0) [started, doneBefore] = [Date.now(), done];
    if (!process.stderr.isTTY && !json && findings.length > shownFindings)
      printError(`${counted(findings.length, 'finding')} after ${counted(done, 'cell')}\n`);
    shownFindings = findings.length;
    progress.show(progressLine({ done, doneBefore, planned: cells.length, findings: findings.length, elapsedMs: Date.now() - started }));
  };
}

async function showRun(run: HardenRun, options: Options, earlier: HardenRun | undefined): Promise<void> {
  const files = options.report === undefined ? [] : await writeHardenReport(run, options.report);
  if (options.json) printJson(run, 2);
  else {
    const { columns = 120, style } = lookOf(process.stdout);
    const hasColour = style('red', 'x') !== 'x';
    const before = options.again === undefined ? undefined : earlier?.cells.find(({ id }) => id === options.again);
    if (before !== undefined) print(`Before: ${before.verdict ?? 'not tried'}. ${before.reason ?? ''}\n`);
    const lines =
      options.again === undefined ? runLines(run, columns, hasColour) : [...run.cells.map(again), ...findingLines(run, columns, hasColour)];
    print(`${lines.join('\n')}\n`);
    if (files.length > 0) print(`Report: ${files.join(', ')}\n`);
    if (files.length > 0 && run.endedEarly !== undefined) print('The same command with --resume continues the run.\n');
  }
  const bad = endedBadly(run);
  if (openFindings(run).length > 0) process.exitCode = EXIT.fails;
  else if (bad === 'run') process.exitCode = EXIT.misuse;
  if (bad === 'estate') process.exitCode = EXIT.unreachable;
}

const again = ({ id, site, label, verdict, reason }: Cell): string =>
  `${id} ${site}: ${label}\nNow: ${verdict ?? 'not tried'}. ${reason ?? ''}\n`;

function showPlan({ run, plan, sites }: PreparedRun, { json, pairs }: Options): void {
  if (json) {
    printJson(run, 2);
    return;
  }
  for (const { id, site, family, label } of plan.cells)
    print(`${id.padEnd(6)} ${family.padEnd(12)} ${sites.get(site)?.label ?? site}: ${label}\n`);
  const { calls, deliveries, ms } = run.baseline;
  print(
    `\n${counted(plan.cells.length, 'cell')} for ${counted(calls, 'call')} and ${counted(deliveries, 'delivery', 'deliveries')}. Your command takes ${(ms / 1_000).toFixed(1)} s.\n`,
  );
  if (pairs)
    print(
      `Then at most ${counted(pairsOf(plan.cells, sites).length, 'pair')} of those that your command survives, while the budget lasts.\n`,
    );
  for (const sentence of run.notJudged) print(`${sentence}\n`);
}

const MOST_BYTES = 64 * 1_048_576;
/** Of the text of a run, because the parser takes many times the length of short values. Its schema has the finer ones. */
const LIMITS = { levels: 8, members: MOST_CELLS, values: 1_000_000, kinds: FILE_KINDS } as const;

/** @throws CommandFailure */
function textOfRun(file: string, option: string): string {
  try {
    return readTextWithin(file, { most: MOST_BYTES });
  } catch (error) {
    throw misuse(`${option} ${file}: the file cannot be read: ${errorMessage(error)}. Give the harden.json of a report.`);
  }
}

/** @throws CommandFailure */
async function readRun(file: string, option: string, text = textOfRun(file, option)): Promise<HardenRun> {
  let json: unknown;
  try {
    if (exceededLimit(text, LIMITS) === undefined) json = JSON.parse(text);
  } catch {
    throw misuse(`${option} ${file} is not JSON. Give the harden.json of a report.`);
  }
  if (json === undefined) throw misuse(`${option} ${file} has more than a report can have. Give the harden.json of a report.`);
  const { data, error } = hardenRunSchema.safeParse(json);
  if (data === undefined)
    throw misuse(
      `${option} ${file} is not a harden.json of this version: ${error.issues[0]?.path.join('.') || 'the file'}: ${error.issues[0]?.message}.`,
    );
  if (option === '--accept') requireKnownCells(data, file);
  return data;
}

/** @throws CommandFailure for a finding with cells that the file does not have */
function requireKnownCells({ findings, cells }: HardenRun, file: string): void {
  const ids = new Set(cells.map(({ id }) => id));
  const unknown = findings.flatMap(({ id, cells: own }) => own.filter((cell) => !ids.has(cell)).map((cell) => `${cell} of ${id}`));
  if (unknown.length > 0)
    throw misuse(`--accept ${file} names cells that it does not have: ${unknown.join(', ')}. Give the whole harden.json of a report.`);
}

/** @throws CommandFailure when the verdicts of the earlier run are about something else */
function requireSameRun(
  run: HardenRun,
  { report, ...now }: Pick<HardenRun, 'command' | 'seed' | 'patience'> & { readonly report: string },
): void {
  const one = { ...now, estate: manifest.version };
  const other = (['estate', 'command', 'seed', 'patience'] as const).find((name) => run[name] !== one[name]);
  if (other === undefined) return;
  const what = other === 'estate' ? 'version of the estate' : other;
  throw misuse(`--resume: the run in ${report} has another ${what}: ${run[other]}, now ${one[other]}. Begin a new run without --resume.`);
}

async function earlierRun({ report, resume, again, seed, patience }: Options, command: string): Promise<HardenRun | undefined> {
  if (report === undefined || (!resume && again === undefined)) return undefined;
  const file = join(report, RUN_FILE);
  if (!resume || again !== undefined) return readRun(file, '--report').catch(() => undefined);
  const text = textOfRun(file, '--resume');
  // The run was killed before its first cell was planned.
  if (text === '') return undefined;
  const run = await readRun(file, '--resume', text);
  requireSameRun(run, { report, command, seed, patience });
  return run;
}

/** Writes the world of a cell to the folder of the report. */
const keeperIn =
  (folder: string, unkept: string[]): NonNullable<HardenOptions['keep']> =>
  async (cell: Cell, rehearsal: EstateRehearsal) => {
    const file = `${cell.id}${ENDING}`;
    try {
      const snapshot = await rehearsal.control('export-rehearsal', { params: { name: rehearsal.name } });
      await makeFolder(resolve(folder));
      await writeGiven(join(folder, file), packed({ snapshot }));
      return [file];
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      unkept.push(`The world of ${cell.id} is not in the report. ${join(folder, file)}: ${errorMessage(error)}.`);
      return [];
    }
  };
