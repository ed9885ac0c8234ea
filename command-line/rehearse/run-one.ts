import type { EstateCredentials } from '../../rehearsal/estate-rehearsal.ts';
import { type RunOptions, runScenario } from '../../rehearsal/runner.ts';
import type { Scenario } from '../../rehearsal/scenario.ts';
import type { Report } from '../../rehearsal/stage.ts';
import { stoppable } from '../../rehearsal/stage.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { errorMessage } from '../../shared/domain/text.ts';
import { seconds } from '../../ui/report/facts.ts';
import type { Recorded } from '../../ui/report/recorded.ts';
import { EXIT } from '../failure.ts';
import { showInvariants } from '../output/show-answer.ts';
import type { Look, Progress } from '../output/table.ts';
import type { ChosenScenario } from './choice.ts';
import { reportRun } from './guard.ts';
import { collect, type Outcome, toAll } from './outcome.ts';
import { recordingOf } from './report/recording.ts';
import { supervised } from './supervision.ts';

/** Where a scenario runs, and how it is reported. */
export interface Run extends EstateCredentials, Pick<RunOptions, 'beginning'> {
  readonly against: string;
  readonly look: Look;
  readonly write: (text: string) => void;
  readonly progress: Progress;
  readonly json?: boolean;
  readonly isDetailed: boolean;
  /** `2 of 7  `, when there are several. */
  readonly place: string;
  readonly signal: AbortSignal;
  /** Records the scenario for reports. If it fails, the folder gets its world as a file. */
  readonly recording?: { readonly folder?: string };
  /** Inspects the rehearsal before it is deleted. An exception fails the scenario. */
  readonly examine?: NonNullable<RunOptions['examine']>;
}

export interface Done {
  /** Becomes a failure if the scenario causes an error after its end. */
  readonly outcome: Outcome;
  /** The record with the outcome at the time of the call. */
  readonly recorded: () => Recorded | undefined;
}

export async function runOne(chosen: ChosenScenario, run: Run): Promise<Done> {
  const { look, progress, json, isDetailed, place } = run;
  const { scenario } = chosen;
  const { outcome, report } = collect(scenario);
  const reported = reportRun(outcome);
  const recording = run.recording && recordingOf(chosen, run.recording.folder);
  const details: string[] = [];
  const detail = detailReport(look, isDetailed ? run.write : (text) => void details.push(text));
  const shown: Partial<Report> = isDetailed ? {} : { step: ({ title }) => progress.show(`${place}${scenario.name}: ${inOneLine(title)}`) };
  if (isDetailed) progress.clear();
  else progress.show(`${place}${scenario.name}`);
  let isOver = false;
  const failLate = ({ message }: Error): void => {
    if (outcome.failure !== undefined) return;
    Object.assign(outcome, { passed: false, failure: `After its end: ${message}` });
    if (!isOver) return;
    process.exitCode = EXIT.fails;
    progress.clear();
    if (!json) run.write(`${lineOf(outcome, look)}  ${outcome.failure}\n`);
  };
  const attended: Scenario = {
    ...scenario,
    run: (stage) => supervised((stopped) => scenario.run(stoppable(stage, stopped)), { interrupted: run.signal, late: failLate }),
  };
  const started = performance.now();
  try {
    const ended: Pick<Report, 'end'> = { end: () => detail.end(scenario, outcome.failure) };
    const all = toAll([report, { begin: reported.begin, step: reported.step }, { ...detail, ...ended }, shown, recording?.report ?? {}]);
    const examine: Run['examine'] = async (rehearsal) => {
      await recording?.examine(rehearsal);
      await run.examine?.(rehearsal);
    };
    outcome.passed = (await runScenario(attended, { ...run, gateway: run.against, report: all, examine })) && outcome.failure === undefined;
  } catch (error) {
    outcome.failure ??= errorMessage(error);
    detail.end(scenario, outcome.failure);
  }
  isOver = true;
  outcome.ms = Math.round(performance.now() - started);
  reported.end();
  progress.clear();
  if (!json && !isDetailed) run.write(lineOf(outcome, look) + (outcome.passed ? '' : `${details.join('')}\n`));
  return { outcome, recorded: () => recording?.ended(outcome.failure, outcome.ms) };
}

export function lineOf({ passed, name, title, ms }: Outcome, { style, columns }: Look): string {
  const room = (columns ?? 120) - 42;
  const shown = inOneLine(title, room - 1);
  return `${passed ? style('green', 'passed') : style('red', 'FAILED')}  ${name.padEnd(22)} ${style('dim', seconds(ms).padStart(7))}  ${shown}\n`;
}

/** @param ms wall time of the run, whose scenarios may overlap */
export function summary(outcomes: readonly Outcome[], ms: number, { style }: Look): string {
  const failed = outcomes.filter(({ passed }) => !passed);
  const counts = `${outcomes.length - failed.length} of ${outcomes.length} passed`;
  const names = failed.length > 0 ? `; failed: ${failed.map(({ name }) => name).join(', ')}` : '';
  return `\n${style(failed.length > 0 ? 'red' : 'green', counts)} in ${seconds(ms)}${names}\n`;
}

/** A failure may have several lines, and none of them resembles a line of the run. */
const indented = (failure: string): string => failure.split(/[\r\n]+/).join('\n    ');

/** Prints each step with its application, API, status, time and events. */
function detailReport(look: Look, write: (text: string) => void): Report {
  const { style } = look;
  return {
    begin: ({ name, title }, rehearsal) => write(`\n${style('bold', inOneLine(title))}  ${style('dim', `${name}, in ${rehearsal}`)}\n`),
    step: ({ title: written, application, api, status, ms, events }) => {
      const title = inOneLine(written);
      const shown = style(status < 300 ? 'green' : 'yellow', String(status));
      const where = style('dim', `${application}, ${api}, ${ms} ms`);
      const isWide = (look.columns ?? 120) >= 110;
      write(isWide ? `  ${shown} ${title.padEnd(48)} ${where}\n` : `  ${shown} ${title}\n      ${where}\n`);
      if (events.length > 0) write(`      ${style('dim', '→')} ${events.join(', ')}\n`);
    },
    note: (text) => write(`      ${style('dim', '·')} ${inOneLine(text)}\n`),
    invariants: (invariants) =>
      write(`${showInvariants({ settled: true, waitingFor: [], forbidden: [], invariants }, look).replaceAll(/^/gm, '  ')}\n`),
    end: (_scenario, failure) =>
      write(failure === undefined ? `  ${style('green', 'passed')}\n` : `  ${style('red', 'failed')} ${indented(failure)}\n`),
  };
}
