import { inOneLine } from '../../../shared/domain/printable.ts';
import { counted } from '../../../shared/domain/text.ts';
import { styled, widthOf } from '../../../shared/process/terminal.ts';
import { type Field, type Matrix, type MatrixRow, matrixOf } from '../matrix.ts';
import type { HardenRun } from '../run.ts';
import { HEADS, type Tone } from '../words.ts';
import { padded, wrapped } from './wrapped.ts';

/** The most rows on a terminal. Above it, sites where nothing was found are counted. */
const MOST_ROWS = 60;
/** Widths of the column of sites. */
const NARROWEST = 14;
const WIDEST = 40;
/** The most lines of a site. */
const MOST_LINES = 3;

/**
 * The sites of a run by families of misfortunes. A wide terminal shows a mark for each misfortune, and the word of the gravest outcome; a
 * narrow one shows the word.
 * @param width characters of the terminal
 */
export function matrixLines(run: HardenRun, width: number, colour: boolean): readonly string[] {
  const matrix = matrixOf(run);
  const { rows, more: left } = fewer(matrix.rows);
  const label = Math.min(WIDEST, Math.max(0, ...rows.map(({ site }) => widthOf(inOneLine(site.label)))));
  const texts = [true, false].map((hasMarks) => columnsOf({ ...matrix, rows }, hasMarks));
  const room = (one: Columns): number => width - one.widths.reduce((sum, column) => sum + column + GAP, 0);
  const [marked, plain] = texts as [Columns, Columns];
  const more = left === undefined ? [] : wrapped(left, width);
  if (rows.length === 0) return wrapped('No misfortune is planned.', width);
  if (room(marked) >= Math.max(NARROWEST, label)) return [...drawn(matrix, rows, marked, Math.min(label, room(marked)), colour), ...more];
  if (room(plain) >= NARROWEST) return [...drawn(matrix, rows, plain, Math.min(WIDEST, label, room(plain)), colour), ...more];
  return [...listed(rows, width, colour), ...more];
}

const GAP = 1;

/** Rows with a finding come before others when there are too many; the story's order stays. */
function fewer(rows: readonly MatrixRow[]): { readonly rows: readonly MatrixRow[]; readonly more: string | undefined } {
  if (rows.length <= MOST_ROWS) return { rows, more: undefined };
  const found = rows.filter(({ isFound }) => isFound);
  const shown = (found.length === 0 ? rows : found).slice(0, MOST_ROWS);
  const areSound = shown.length >= found.length;
  return { rows: shown, more: `and ${counted(rows.length - shown.length, 'more site')}${areSound ? ' without a finding' : ''}` };
}

interface Columns {
  readonly hasMarks: boolean;
  readonly widths: readonly number[];
}

function columnsOf({ families, rows }: Matrix, hasMarks: boolean): Columns {
  const widths = families.map((family, column) => {
    const inHead = Math.max(...HEADS[family].split(' ').map(widthOf));
    return Math.max(inHead, ...rows.map(({ fields }) => widthOf(textOf(fields[column], hasMarks))));
  });
  return { hasMarks, widths };
}

/** The text of a field without colours. */
function textOf(field: Field | undefined, hasMarks: boolean): string {
  if (!field) return '';
  const { cells, worst } = field;
  if (!hasMarks) return worst.word;
  const marks = cells.map(({ mark }) => mark).join('');
  return worst.tone === 'good' ? marks : `${marks} ${worst.word}`;
}

const COLOURS: Readonly<Record<Tone, Parameters<typeof styled>[0]>> = {
  good: 'green',
  warn: 'yellow',
  bad: 'red',
};

/** A text in the colour of its tone. */
export const inTone = (tone: Tone | undefined, text: string, colour: boolean): string =>
  colour && text.trim() !== '' ? styled(tone === undefined ? 'dim' : COLOURS[tone], text, { validateStream: false }) : text;

const bold = (text: string, colour: boolean): string => (colour ? styled('bold', text, { validateStream: false }) : text);

function drawn(
  { families }: Matrix,
  rows: readonly MatrixRow[],
  { widths, hasMarks }: Columns,
  label: number,
  colour: boolean,
): readonly string[] {
  const gap = ' '.repeat(GAP);
  const heads = families.map((family, column) => wrapped(HEADS[family], widths[column] ?? 0));
  const height = Math.max(...heads.map(({ length }) => length));
  const headLines = Array.from({ length: height }, (_, line) =>
    [' '.repeat(label), ...heads.map((words, column) => padded(words[line] ?? '', widths[column] ?? 0))].join(gap).trimEnd(),
  );
  const rowLines = rows.flatMap(({ site, fields, isFound }) => {
    const [first = '', ...others] = nameLines(site.label, label);
    const shown = fields.map((field, column) => {
      const text = inTone(field?.worst.tone, textOf(field, hasMarks), colour);
      return padded(text, widths[column] ?? 0);
    });
    return [[padded(isFound ? bold(first, colour) : first, label), ...shown].join(gap).trimEnd(), ...others];
  });
  return [...headLines.map((line) => inTone(undefined, line, colour)), ...rowLines];
}

function nameLines(name: string, width: number): readonly string[] {
  const lines = wrapped(inOneLine(name), width);
  if (lines.length <= MOST_LINES) return lines;
  const [last = ''] = lines.slice(MOST_LINES - 1);
  return [...lines.slice(0, MOST_LINES - 1), `${[...last].slice(0, width - 1).join('')}…`];
}

/** A very narrow terminal: a line for each field with a finding. */
function listed(rows: readonly MatrixRow[], width: number, colour: boolean): readonly string[] {
  const lines = rows.flatMap(({ site, fields }) =>
    fields.flatMap((field) => {
      const { worst, family } = field ?? {};
      if (worst === undefined || family === undefined || (worst.tone !== 'bad' && worst.tone !== 'warn')) return [];
      return wrapped(`${inOneLine(site.label)}: ${HEADS[family].toLowerCase()}: ${worst.word}`, width).map((line) =>
        inTone(worst.tone, line, colour),
      );
    }),
  );
  return lines.length === 0 ? ['Nothing was found.'] : lines;
}
