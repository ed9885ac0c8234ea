import { inOneLine, withoutCommands } from '../../../shared/domain/printable.ts';
import { duration } from '../../../ui/kit/format.ts';
import { factsOf, seconds, violations, wallTimeOf, worldSentence } from '../../../ui/report/facts.ts';
import type { Recorded, ReportedRun } from '../../../ui/report/recorded.ts';
import { diagramOf } from '../../../ui/report/sections.ts';
import { mermaidOf } from '../../../ui/sequence/mermaid.ts';

/** The most failed scenarios in detail, and arrows in the diagram of each: GitHub limits a job summary to 1 MiB. */
const MOST_DETAILED = 10;
const MOST_ARROWS = 100;

/** The run as Markdown, for the summary of a job. */
export function markdownOf({ scenarios, gateway, startedAt, version }: ReportedRun): string {
  const failed = scenarios.filter(({ failure }) => failure !== undefined);
  const headline = `${scenarios.length - failed.length} of ${scenarios.length} scenarios passed in ${seconds(wallTimeOf(scenarios))}`;
  const rows = scenarios.map(
    (run) =>
      `| ${run.failure === undefined ? '✅ passed' : '❌ **failed**'} | ${plain(run.scenario.name)} | ${plain(run.scenario.title)} | ${duration(run.ms)} | ${plain(factsOf(run))} |`,
  );
  const more = failed.length > MOST_DETAILED ? [`report.html has the details of ${failed.length - MOST_DETAILED} more.`] : [];
  return [
    `## ${failed.length > 0 ? '❌' : '✅'} ${headline}`,
    ['| | Scenario | What happens | Time | Facts |', '|---|---|---|---:|---|', ...rows].join('\n'),
    ...failed.slice(0, MOST_DETAILED).map(detail),
    ...more,
    `Estate ${plain(version)} at ${code(gateway)}, ${new Date(startedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC. The page report.html has every step, diagram, event and invariant.\n`,
  ].join('\n\n');
}

function detail(run: Recorded): string {
  const { scenario, failure = '', entries } = run;
  const steps = entries.map((entry) =>
    'step' in entry
      ? `1. \`${entry.step.status}\` ${plain(entry.step.title)} (${code(entry.step.call)}, ${entry.step.ms} ms)`
      : `   - ${plain(entry.note)}`,
  );
  const broken = violations(run).map((line) => `> ${plain(line)}\n>`);
  return [
    `### ❌ ${plain(scenario.name)}: ${plain(scenario.title)}`,
    [`> ${plain(failure)}`, ...(broken.length > 0 ? ['>'] : []), ...broken].join('\n'),
    ...[worldSentence(run) ?? []].flat().map((sentence) => plain(sentence)),
    `<details><summary>Steps</summary>\n\n${steps.join('\n')}\n\n</details>`,
    ...sequence(run),
  ].join('\n\n');
}

/** The end of the sequence, because a scenario stops at its failure. */
function sequence(run: Recorded): readonly string[] {
  const { sequence: whole, sections } = diagramOf(run);
  if (whole.arrows.length === 0) return [];
  const drawn = new Set(whole.arrows.slice(-MOST_ARROWS));
  const last = sections.flatMap(({ title, arrows }) => {
    const left = arrows.filter((arrow) => drawn.has(arrow));
    return left.length > 0 ? [{ title, arrows: left }] : [];
  });
  const used = new Set([...drawn].flatMap(({ from, to }) => [from, to]));
  const diagram = mermaidOf({ ...whole, participants: whole.participants.filter((id) => used.has(id)) }, last);
  const which = drawn.size < whole.arrows.length ? `Sequence: the last ${drawn.size} of ${whole.arrows.length} hops` : 'Sequence';
  return [`<details><summary>${which}</summary>\n\n\`\`\`mermaid\n${diagram}\`\`\`\n\n</details>`];
}

/** Text as code of Markdown, in one line. */
export const code = (text: string): string => `\`${withoutCommands(inOneLine(text, 200)).replaceAll('`', '´')}\``;

/** Escapes text for Markdown, so that it contains no markup, link or mention, and begins no list, line or heading. */
export const plain = (text: string, characters?: number): string =>
  withoutCommands(inOneLine(text, characters))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_{}[\]()#|~!]/g, '\\$&')
    .replaceAll(/@(?=\w)|(?<=\w):(?=\/\/)|\bwww(?=\.)/gi, '$&\u200B')
    .replace(/^[-+=]|^\d+(?=\.)/, (start) => (/^\d/.test(start) ? `${start}\\` : `\\${start}`));
