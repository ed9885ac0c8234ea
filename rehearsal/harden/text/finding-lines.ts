import { inOneLine } from '../../../shared/domain/printable.ts';
import { counted } from '../../../shared/domain/text.ts';
import { styled } from '../../../shared/process/terminal.ts';
import type { Cell, Finding, HardenRun } from '../run.ts';
import { conditions, differencesOf, effort, HEADS, headline, notTried, openFindings, sortedFindings, titleOf, toneOf } from '../words.ts';
import { inTone } from './matrix-lines.ts';
import { padded, wrapped } from './wrapped.ts';

/** The most findings on a terminal, and figures and cells of each. The report has all. */
const MOST_FINDINGS = 30;
const MOST_FIGURES = 5;
const MOST_CELLS = 6;

interface Form {
  readonly width: number;
  readonly colour: boolean;
}

/** The findings as paragraphs, then what was not checked and not tried, and the outcome. */
export function findingLines(run: HardenRun, width = 80, colour = false): readonly string[] {
  const form = { width, colour };
  const sites = new Map(run.sites.map(({ id, label }) => [id, label]));
  const cells = new Map(run.cells.map((cell) => [cell.id, cell]));
  const sorted = sortedFindings(run);
  const more = sorted.length - MOST_FINDINGS;
  return [
    ...sorted
      .slice(0, MOST_FINDINGS)
      .flatMap((finding) => [...linesOf(finding, { site: sites.get(finding.site) ?? finding.site, cells, form }), '']),
    ...(more > 0 ? [`and ${counted(more, 'more finding')}: the report has them.`, ''] : []),
    ...section('Not checked', run.notJudged, form),
    ...section('Not tried', notTried(run), form),
    ...conditions(run).flatMap((sentence) => wrapped(sentence, width).map((line) => inTone(undefined, line, colour))),
    `${inTone(openFindings(run).length > 0 ? 'bad' : 'good', headline(run), colour)}. ${effort(run)}.`,
  ];
}

interface About {
  readonly site: string;
  readonly cells: ReadonlyMap<string, Cell>;
  readonly form: Form;
}

function linesOf(finding: Finding, { site, cells, form: { width, colour } }: About): readonly string[] {
  const { id, paragraph, remedy, repeat, files = [] } = finding;
  const own = finding.cells.flatMap((cell) => cells.get(cell) ?? []);
  const indented = (text: string, indent = '    '): readonly string[] =>
    wrapped(inOneLine(text, 4_000), width - indent.length).map((line) => indent + line);
  const families = [...new Set(own.map(({ family }) => HEADS[family].toLowerCase()))];
  const head = `${inOneLine(id, 20)}  ${titleOf(finding)}`;
  const where = [inOneLine(site, 120), ...families].join(', ');
  return [
    `${inTone(toneOf(finding), head, colour)}  ${colour ? styled('bold', where, { validateStream: false }) : where}`,
    ...indented(paragraph),
    ...figures(own, width),
    ...indented(`Remedy: ${remedy}`),
    ...indented(`Cells: ${named(finding.cells)}`),
    // A command is not broken, so that it can be copied.
    `    Again: ${inOneLine(repeat, 4_000)}`,
    ...(files.length === 0 ? [] : indented(`Files: ${files.join(', ')}`)),
  ];
}

/** `what  baseline → try` */
function figures(own: readonly Cell[], width: number): readonly string[] {
  const differences = differencesOf(own);
  const shown = differences.slice(0, MOST_FIGURES);
  const most = Math.min(Math.max(0, width - 30), Math.max(0, ...shown.map(({ what }) => inOneLine(what, 60).length)));
  const more = differences.length - shown.length;
  return [
    ...shown.map(
      ({ what, baseline, tried }) =>
        `      ${padded(inOneLine(what, Math.max(10, most)), most)}  ${inOneLine(baseline, 60) || '–'} → ${inOneLine(tried, 60) || '–'}`,
    ),
    ...(more > 0 ? [`      and ${more} more`] : []),
  ];
}

/** `C17, C18 and 3 more` */
function named(ids: readonly string[]): string {
  const more = ids.length - MOST_CELLS;
  return `${ids.slice(0, MOST_CELLS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const section = (title: string, sentences: readonly string[], { width, colour }: Form): readonly string[] =>
  sentences.length === 0
    ? []
    : [
        inTone('warn', `${title}:`, colour),
        ...sentences.flatMap((sentence) =>
          wrapped(inOneLine(sentence, 1_000), width - 2).map((line, place) => `${place === 0 ? '- ' : '  '}${line}`),
        ),
        '',
      ];
