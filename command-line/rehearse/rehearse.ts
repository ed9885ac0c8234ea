import { Command, Option } from 'commander';
import type { EstateCredentials } from '../../rehearsal/estate-rehearsal.ts';
import { type Report, runScenario } from '../../rehearsal/runner.ts';
import type { Scenario } from '../../rehearsal/scenario.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { requireReady } from '../ask.ts';
import { adminOption, againstOption, apiKeyOption, bearerOption, clientOf, jsonOption } from '../connection.ts';
import { refusedCredentials } from '../credentials.ts';
import { EXIT, misuse } from '../failure.ts';
import { withExample } from '../help.ts';
import { type Look, lookOf } from '../output/look.ts';
import { type Progress, progressOn } from '../output/progress.ts';
import { chosenScenarios, listOfScenarios } from './choice.ts';
import { detailReport } from './detail.ts';
import { collect, type Outcome, toAll } from './outcome.ts';
import { startOwnEstate } from './own-estate.ts';

interface Options extends EstateCredentials {
  readonly against?: string;
  readonly all?: boolean;
  readonly list?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

export function rehearseCommand(): Command {
  const command = new Command('rehearse')
    .description(
      'Runs scenarios, each in a rehearsal of its own, and checks stock, money and events at the end; the first scenario when none is named.',
    )
    .argument('[scenario...]', 'Names of scenarios; flow-1 to flow-8 name those of a flow.')
    .addOption(new Option('--all', 'Run every scenario.'))
    .addOption(new Option('--list', 'List the scenarios.'))
    .addOption(new Option('--verbose', 'Print every step, also of several scenarios.'))
    .addOption(againstOption())
    .addOption(bearerOption())
    .addOption(apiKeyOption())
    .addOption(adminOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nWithout --against and ESTATE_URL, an estate is started for the run.');
  return withExample(command, 'rehearse digital-order', 'rehearse --list').action(rehearse);
}

async function rehearse(names: readonly string[], options: Options): Promise<void> {
  const write = (text: string): void => void process.stdout.write(text);
  const look = lookOf(process.stdout);
  const chosen = chosenScenarios(names, options.all);
  if (options.list) {
    const listed = scenarios.map(({ name, title, flows, pains = [] }) => ({ name, title, flows, pains }));
    return write(`${options.json ? JSON.stringify(listed, null, 2) : listOfScenarios(look)}\n`);
  }
  const progress = progressOn(process.stderr);
  if (options.against === undefined) progress.say('starting an estate …');
  const own = options.against === undefined ? await startOwnEstate() : undefined;
  const outcomes: Outcome[] = [];
  try {
    const run = { ...options, against: options.against ?? own?.gateway ?? '', look, write, progress };
    await requireUsable(run);
    const isDetailed = !options.json && (options.verbose || chosen.length === 1);
    for (const [index, scenario] of chosen.entries()) {
      const place = chosen.length > 1 ? `${index + 1} of ${chosen.length}  ` : '';
      outcomes.push(await runOne(scenario, { ...run, isDetailed, place }));
    }
  } finally {
    progress.clear();
    await own?.stop();
  }
  write(options.json ? `${JSON.stringify(asJson(outcomes), null, 2)}\n` : summary(outcomes, look));
  process.exitCode = outcomes.every(({ passed }) => passed) ? EXIT.holds : EXIT.fails;
}

interface Run extends Omit<Options, 'against'> {
  readonly against: string;
  readonly look: Look;
  readonly write: (text: string) => void;
  readonly progress: Progress;
}

/** @throws CommandFailure unless an estate is ready there and accepts all credentials */
async function requireUsable(run: Run): Promise<void> {
  await requireReady(run.against);
  await using client = clientOf({ ...run, rehearsal: 'default' }, run);
  const refused = await refusedCredentials(client, run);
  if (refused.length > 0) throw misuse(refused.join('\n'));
}

async function runOne(
  scenario: Scenario,
  { isDetailed, place, ...run }: Run & { readonly isDetailed: boolean; readonly place: string },
): Promise<Outcome> {
  const { look, progress, json } = run;
  const { outcome, report } = collect(scenario);
  const details: string[] = [];
  const detail = detailReport(look, isDetailed ? run.write : (text) => void details.push(text));
  const spoken: Partial<Report> = isDetailed ? {} : { step: ({ title }) => progress.say(`${place}${scenario.name}: ${title}`) };
  if (isDetailed) progress.clear();
  else progress.say(`${place}${scenario.name}`);
  const started = performance.now();
  try {
    outcome.passed = await runScenario(scenario, { ...run, gateway: run.against, report: toAll([report, detail, spoken]) });
  } catch (error) {
    outcome.failure = error instanceof Error ? error.message : String(error);
    detail.end(scenario, outcome.failure);
  }
  outcome.ms = Math.round(performance.now() - started);
  progress.clear();
  if (!json && !isDetailed) run.write(lineOf(outcome, look) + (outcome.passed ? '' : `${details.join('')}\n`));
  return outcome;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function lineOf({ passed, name, title, ms }: Outcome, { style, columns }: Look): string {
  const room = (columns ?? 120) - 42;
  const shown = title.length > room ? `${title.slice(0, room - 1)}…` : title;
  return `${passed ? style('green', 'passed') : style('red', 'FAILED')}  ${name.padEnd(22)} ${style('dim', seconds(ms).padStart(7))}  ${shown}\n`;
}

function summary(outcomes: readonly Outcome[], { style }: Look): string {
  const failed = outcomes.filter(({ passed }) => !passed);
  const ms = outcomes.reduce((sum, one) => sum + one.ms, 0);
  const counts = `${outcomes.length - failed.length} of ${outcomes.length} passed`;
  const names = failed.length > 0 ? `; failed: ${failed.map(({ name }) => name).join(', ')}` : '';
  return `\n${style(failed.length > 0 ? 'red' : 'green', counts)} in ${seconds(ms)}${names}\n`;
}

const asJson = (outcomes: readonly Outcome[]) => ({
  passed: outcomes.filter(({ passed }) => passed).length,
  failed: outcomes.filter(({ passed }) => !passed).length,
  scenarios: outcomes,
});
