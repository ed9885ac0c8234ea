import { Command, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import type { EstateCredentials } from '../../rehearsal/estate-rehearsal.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { print, printError, printJson } from '../../shared/process/terminal.ts';
import { counted } from '../../ui/kit/format.ts';
import { requireReady } from '../connection/ask.ts';
import { adminOption, againstOption, apiKeyOption, bearerOption, jsonOption } from '../connection/connection.ts';
import { type Access, refusedCredentials } from '../connection/credentials.ts';
import { EXIT, misuse } from '../failure.ts';
import { withExample } from '../help.ts';
import { type Look, lookOf, progressOn } from '../output/table.ts';
import { chosenScenarios, listOfScenarios } from './choice.ts';
import { guarded, reportEstate } from './guard.ts';
import type { Outcome } from './outcome.ts';
import { startOwnEstate } from './own-estate.ts';
import { isFile } from './own-scenarios.ts';
import { prepareReport, writeReport } from './report/report.ts';
import { runAll } from './run-all.ts';
import { type Done, lineOf, summary } from './run-one.ts';
import { endProcess, Interrupted, interruptions, superviseProcess } from './supervision.ts';

interface Options extends EstateCredentials {
  readonly against?: string;
  readonly all?: boolean;
  readonly list?: boolean;
  readonly verbose?: boolean;
  readonly report?: string;
  readonly seed?: string;
  readonly startsAt?: string;
  readonly json?: boolean;
}

export function rehearseCommand(): Command {
  const command = new Command('rehearse')
    .description(
      'Runs scenarios, each in a separate rehearsal, and checks the invariants at the end. Runs the first scenario when none is named.',
    )
    .argument(
      '[scenario...]',
      'Names of scenarios; flow-1 to flow-8 select the scenarios of a flow. Files with your scenarios: ./my-scenarios/*.ts.',
    )
    .addOption(new Option('--all', 'Run every scenario.'))
    .addOption(new Option('--list', 'List the scenarios.'))
    .addOption(new Option('--verbose', 'Print every step, even of several scenarios.'))
    .addOption(
      new Option('--report <folder>', 'Write junit.xml, summary.md, report.html and the worlds of failed scenarios to this folder.'),
    )
    .addOption(new Option('--seed <text>', 'Ids and codes derive from it, so they repeat in the next run with this seed and start.'))
    .addOption(
      new Option(
        '--starts-at <instant>',
        'Time of the clock at the start of each rehearsal. The clock is then frozen. Default: now, and the clock flows.',
      ),
    )
    .addOption(againstOption())
    .addOption(bearerOption())
    .addOption(apiKeyOption())
    .addOption(adminOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nWithout --against and ESTATE_URL, an estate is started for the run.');
  return withExample(command, 'rehearse digital-order', 'rehearse --list').action(rehearse);
}

async function rehearse(names: readonly string[], options: Options): Promise<void> {
  const look = lookOf(process.stdout);
  const guard = names.some(isFile) && !options.list ? await guarded() : undefined;
  if (guard) return afterGuard(guard, { ...options, look });
  superviseProcess();
  const interrupted = interruptions();
  interrupted.addEventListener('abort', endBeforeFirst);
  const chosen = await chosenScenarios(names, options.all);
  if (options.list) {
    const own = chosen.flatMap(({ scenario, file }) => (file === undefined ? [] : [scenario]));
    const listed = [...scenarios, ...own].map(({ name, title, flows, pains = [] }) => ({ name, title, flows, pains }));
    return options.json ? printJson(listed, 2) : print(`${listOfScenarios([...scenarios, ...own], look)}\n`);
  }
  if (options.report !== undefined) await prepareReport(options.report, chosen);
  const startedAt = Date.now();
  const progress = progressOn(process.stderr);
  if (options.against === undefined) progress.show('starting an estate …');
  const own = options.against === undefined ? await startOwnEstate() : undefined;
  reportEstate(own?.pid);
  const against = options.against ?? own?.gateway ?? '';
  let done: readonly Done[] = [];
  let ms = 0;
  try {
    await requireUsable({ ...options, against });
    interrupted.removeEventListener('abort', endBeforeFirst);
    const isDetailed = !options.json && (options.verbose === true || chosen.length === 1);
    const run = {
      ...options,
      beginning: { seed: options.seed, startsAt: options.startsAt },
      against,
      look,
      write: print,
      progress,
      isDetailed,
      recording: options.report === undefined ? undefined : { folder: options.report },
      signal: interrupted,
    };
    const began = performance.now();
    done = await runAll(chosen, run);
    ms = performance.now() - began;
  } finally {
    progress.clear();
    await own?.stop();
    reportEstate(undefined);
  }
  const outcomes = done.map(({ outcome }) => outcome);
  if (options.json) printJson(asJson(outcomes), 2);
  else print(summary(outcomes, ms, look));
  if (options.report !== undefined) {
    const recorded = done.flatMap(({ recorded }) => recorded() ?? []);
    const files = await writeReport(options.report, { scenarios: recorded, gateway: against, version: manifest.version, startedAt });
    if (!options.json) print(`Report: ${files.join(', ')}\n`);
  }
  if (!outcomes.every(({ passed }) => passed)) process.exitCode = EXIT.fails;
  if (interrupted.aborted) endInterrupted(interrupted.reason as Interrupted, chosen.length - done.length);
  // An open timer or server of a scenario may keep this process alive.
  interrupted.addEventListener('abort', () => endProcess((interrupted.reason as Interrupted).exitCode));
}

/** Reports what a child did before it was ended. The files of a report need the code that it held. */
function afterGuard(guard: NonNullable<Awaited<ReturnType<typeof guarded>>>, { json, report, look }: Options & { look: Look }): void {
  process.exitCode = guard.exitCode;
  if (!('signal' in guard)) return;
  const { signal, unanswered, ended, running, ms } = guard;
  const cause = unanswered === undefined ? `The run crashed with ${signal}.` : new Interrupted(unanswered).message;
  const held = unanswered === undefined ? '' : ' It never let other work run, so the signal did not reach it, and it was ended.';
  const failure = `${cause}${held}`;
  const failed = running.map((one) => ({ ...one, failure }));
  const outcomes = [...ended, ...failed];
  if (json) printJson(asJson(outcomes), 2);
  else if (failed.length > 0) print(`${failed.map((one) => lineOf(one, look)).join('')}${summary(outcomes, ms, look)}`);
  const steps = failed.map(({ name, steps: made }) => ` The scenario ${name} had made ${counted(made.length, 'step')}.`).join('');
  const left = failed.flatMap(({ rehearsal }) => (rehearsal === undefined ? [] : ` Its rehearsal ${rehearsal} was not deleted.`)).join('');
  const none = failed.length === 0 ? ' No scenario had begun.' : '';
  printError(`${failure}${steps}${left}${none}${report === undefined ? '' : ' No report was written.'}\n`);
}

/** Ends an interrupted run that has nothing to report. */
function endBeforeFirst({ target }: Event): void {
  const { message, exitCode } = (target as AbortSignal).reason as Interrupted;
  printError(`${message} No scenario ran.\n`);
  endProcess(exitCode);
}

/** Ends the process without waiting for unfinished work of the interrupted scenario. */
function endInterrupted({ message, exitCode }: Interrupted, left: number): void {
  printError(`${message}${left > 0 ? ` ${counted(left, 'scenario')} did not run.` : ''}\n`);
  endProcess(exitCode);
}

/** @throws CommandFailure unless the estate is ready and accepts all credentials */
async function requireUsable(access: Access): Promise<void> {
  await requireReady(access.against);
  const refused = await refusedCredentials(access);
  if (refused.length > 0) throw misuse(refused.join('\n'));
}

const asJson = (outcomes: readonly Outcome[]) => ({
  passed: outcomes.filter(({ passed }) => passed).length,
  failed: outcomes.filter(({ passed }) => !passed).length,
  scenarios: outcomes,
});
