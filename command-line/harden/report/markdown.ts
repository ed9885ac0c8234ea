import { matrixOf } from '../../../rehearsal/harden/matrix.ts';
import type { Finding, HardenRun } from '../../../rehearsal/harden/run.ts';
import {
  conditions,
  differencesOf,
  effort,
  HEADS,
  headline,
  notTried,
  openFindings,
  sortedFindings,
  startText,
  titleOf,
  toneOf,
} from '../../../rehearsal/harden/words.ts';
import { inOneLine } from '../../../shared/domain/printable.ts';
import { counted } from '../../../ui/kit/format.ts';
import { code, plain } from '../../rehearse/report/markdown.ts';

/** The most rows and findings: GitHub limits a job summary to 1 MiB. */
const MOST_ROWS = 100;
const MOST_DETAILED = 50;
const MOST_FIGURES = 10;
const MOST_LETTERS = 4_000;

/** The run as Markdown, for the summary of a job. */
export function hardenMarkdown(run: HardenRun): string {
  const findings = sortedFindings(run);
  const more = findings.length - MOST_DETAILED;
  return `${[
    `## ${openFindings(run).length > 0 ? '❌' : '✅'} ${headline(run)}: ${effort(run)}`,
    code(run.command),
    ...listed('Not checked', run.notJudged),
    matrix(run),
    ...findings.slice(0, MOST_DETAILED).map((finding) => detail(finding, run)),
    ...(more > 0 ? [`index.html has ${counted(more, 'more finding')}.`] : []),
    ...listed('Not tried', notTried(run)),
    plain([...conditions(run), `Estate ${run.estate}${startText(run)}.`].join(' ')),
  ].join('\n\n')}\n`;
}

const listed = (title: string, sentences: readonly string[]): readonly string[] =>
  sentences.length === 0 ? [] : [[`**${title}**`, '', ...sentences.map((sentence) => `- ${plain(sentence)}`)].join('\n')];

const SIGNS = { bad: '❌ ', warn: '⚠️ ', good: '✅ ' } as const;

/** Rows with a finding come first, because later rows may be left out. */
function matrix(run: HardenRun): string {
  const { families, rows } = matrixOf(run);
  if (rows.length === 0) return 'No misfortune is planned.';
  const sorted = rows.length > MOST_ROWS ? rows.toSorted((one, other) => Number(other.isFound) - Number(one.isFound)) : rows;
  const lines = sorted.slice(0, MOST_ROWS).map(({ site, fields }) => {
    const cells = fields.map((field) => {
      if (!field) return '';
      const { worst } = field;
      const sign = worst.tone === 'bad' || worst.tone === 'warn' || worst.tone === 'good' ? SIGNS[worst.tone] : '';
      return `${sign}${worst.word}`;
    });
    return `| ${[plain(site.label), ...cells].join(' | ')} |`;
  });
  const more = rows.length - lines.length;
  return [
    `| | ${families.map((family) => HEADS[family]).join(' | ')} |`,
    `|---|${families.map(() => '---|').join('')}`,
    ...lines,
    ...(more > 0 ? ['', `index.html has ${counted(more, 'more site')}.`] : []),
  ].join('\n');
}

function detail(finding: Finding, run: HardenRun): string {
  const { id, site, cells, paragraph, remedy, repeat } = finding;
  const own = new Set(cells);
  const found = run.cells.filter((cell) => own.has(cell.id));
  const label = run.sites.find((one) => one.id === site)?.label ?? site;
  const rows = differencesOf(found)
    .slice(0, MOST_FIGURES)
    .map(({ what, baseline, tried }) => `| ${plain(what)} | ${plain(baseline)} | ${plain(tried)} |`);
  return [
    `### ${SIGNS[toneOf(finding)]}${plain(inOneLine(id, 40))} ${titleOf(finding)}: ${plain(label)}`,
    plain(paragraph, MOST_LETTERS),
    ...(rows.length === 0 ? [] : [['| | Baseline | This try |', '|---|---|---|', ...rows].join('\n')]),
    `**Remedy:** ${plain(remedy, MOST_LETTERS)}`,
    `Again: ${code(repeat)}`,
  ].join('\n\n');
}
