import { Command } from 'commander';
import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import { whyUnverified } from '../../shared/catalog/control/drift.ts';
import type { controlOperations } from '../../shared/catalog/control/operations.ts';
import { print, printJson } from '../../shared/process/terminal.ts';
import { askWith } from '../connection/ask.ts';
import { adminOption, againstOption, type Connection, clientOf, DEFAULT_URL, jsonOption } from '../connection/connection.ts';
import { CommandFailure, EXIT, unlessEnded } from '../failure.ts';
import { withExample } from '../help.ts';
import { code, plain } from '../rehearse/report/markdown.ts';
import { journalDiagrams } from './journal-diagrams.ts';

/** The most failed traces with a diagram: GitHub limits a job summary to 1 MiB. */
const MOST_DRAWN = 10;
const MOST_HOPS = 100;

type Output<Id extends keyof typeof controlOperations> = ControlOutput<(typeof controlOperations)[Id]>;
type Verdict = Output<'verify'>;
type Trace = Output<'list-traces'>['items'][number];

interface Summarized {
  readonly name: string;
  /** The answer of verify. */
  readonly verdict: Verdict;
  readonly failed: readonly Trace[];
}

export function summaryCommand(): Command {
  const command = new Command('summary')
    .description('Prints the invariants and the failed traces of every rehearsal as Markdown, for the summary of a job.')
    .addOption(againstOption().default(DEFAULT_URL))
    .addOption(adminOption())
    .addOption(jsonOption());
  return withExample(command, 'summary').action(summarize);
}

async function summarize(options: Omit<Connection, 'rehearsal'>): Promise<void> {
  await using client = clientOf({ ...options, rehearsal: 'default' });
  const { items } = await askWith(client, { ...options, rehearsal: 'default' }, 'list-rehearsals');
  const all: Summarized[] = [];
  const diagrams: string[] = [];
  for (const { name } of items) {
    const found = await unlessEnded(summaryOf(name, options, MOST_DRAWN - diagrams.length));
    if (!found) continue;
    all.push(found.summarized);
    diagrams.push(...found.diagrams);
  }
  const parts = [headlineOf(all), tableOf(all), ...all.flatMap(violationsOf), ...diagrams, ...moreOf(all, diagrams.length)];
  if (options.json) printJson(all, 2);
  else print(`${parts.join('\n\n')}\n`);
  const broken = all.filter(isBroken);
  if (broken.length > 0) throw new CommandFailure(`Invariants do not hold in ${broken.map(({ name }) => name).join(', ')}.`, EXIT.fails);
}

async function summaryOf(name: string, options: Omit<Connection, 'rehearsal'>, mostDrawn: number) {
  const connection = { ...options, rehearsal: name };
  await using own = clientOf(connection);
  const verdict = await askWith(own, connection, 'verify');
  const { items: failed } = await askWith(own, connection, 'list-traces', { query: { status: 'failed', limit: 200 } });
  const diagrams: string[] = [];
  for (const trace of failed.slice(0, mostDrawn)) {
    const query = { correlationId: trace.correlationId, bodies: 'false', limit: MOST_HOPS };
    diagrams.push(traceText(name, trace, journalDiagrams.mermaid(await askWith(own, connection, 'read-journal', { query }))));
  }
  const summarized: Summarized = { name, verdict, failed };
  return { summarized, diagrams };
}

/** A rehearsal that was not verified is not broken. */
const isBroken = ({ verdict }: Summarized): boolean => !verdict.holds && whyUnverified(verdict.forbidden) === undefined;

function headlineOf(all: readonly Summarized[]): string {
  const broken = all.filter(isBroken).length;
  const words = broken > 0 ? `Invariants do not hold in ${broken} of ${all.length} rehearsals` : 'All invariants hold';
  return `## ${broken > 0 ? '❌' : '✅'} ${words}`;
}

function tableOf(all: readonly Summarized[]): string {
  const rows = all.map(({ name, verdict: { invariants, holds, forbidden }, failed }) => {
    const mark = whyUnverified(forbidden) === undefined ? (holds ? '✅' : '❌') : '–';
    const held = invariants.filter((one) => one.holds).length;
    return `| ${mark} | ${code(name)} | ${held} of ${invariants.length} | ${failed.length === 200 ? '200 or more' : failed.length} |`;
  });
  return ['| | Rehearsal | Invariants that hold | Failed traces |', '|---|---|---:|---:|', ...rows].join('\n');
}

function violationsOf({ name, verdict: { holds, settled, invariants, forbidden } }: Summarized): readonly string[] {
  if (holds) return [];
  const unverified = whyUnverified(forbidden);
  if (unverified !== undefined) return [`### ${plain(name)}`, plain(unverified)];
  const lines = invariants.flatMap((one) =>
    one.holds ? [] : [`- ${plain(one.title)}`, ...one.violations.map((text) => `  - ${plain(text)}`)],
  );
  return [`### ❌ ${plain(name)}`, [...(settled ? [] : ['- Work is parked or cannot run.']), ...lines].join('\n')];
}

const traceText = (rehearsal: string, { method, path, status, correlationId }: Trace, diagram: string): string =>
  [
    `<details><summary>${plain(method)} ${plain(path)}: ${status === 0 ? 'not answered' : status}</summary>`,
    `Rehearsal ${code(rehearsal)}, correlation id ${code(correlationId)}`,
    `\`\`\`mermaid\n${diagram}\`\`\``,
    '</details>',
  ].join('\n\n');

function moreOf(all: readonly Summarized[], drawn: number): readonly string[] {
  const more = all.reduce((sum, { failed }) => sum + failed.length, 0) - drawn;
  return more > 0 ? [`${more} more traces failed: estate traces list --status failed lists them.`] : [];
}
