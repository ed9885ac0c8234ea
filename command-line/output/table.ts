import type { WriteStream } from 'node:tty';
import { withoutControls } from '../../shared/domain/printable.ts';
import { print, styled, widthOf } from '../../shared/process/terminal.ts';

const GAP = 2;
/** The least width of a column that is cut to fit. */
const NARROWEST = 6;
/** Ids and the first column are never cut, because users copy them into the next command. */
const IS_ID = /^(?:[\w-]+\/)?(?:[a-z]+_[0-9A-Z]{26}|r-[0-9a-z]{26})$/;

/** Rows with a heading, cut to the width of the terminal. Leaves out empty columns. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], { columns, style }: Look): string {
  const used = headings.flatMap((_, index) => (rows.some((row) => (row[index] ?? '') !== '') ? [index] : []));
  const cells = rows.map((row) => used.map((index) => (row[index] ?? '').replaceAll(/[\r\n]+/g, ' ')));
  const heads = used.map((index) => headings[index] ?? '');
  const widths = fitting([heads, ...cells], columns);
  const isNumeric = heads.map((_, index) => cells.every((row) => /^\d*$/.test(row[index] ?? '')));
  const line = (row: readonly string[]): string =>
    row
      .map((text, index) => padded(text, widths[index] ?? 0, isNumeric[index] === true))
      .join(' '.repeat(GAP))
      .trimEnd();
  return [style('dim', line(heads)), ...cells.map(line)].join('\n');
}

function fitting(rows: readonly (readonly string[])[], columns: number | undefined): readonly number[] {
  const [heads = []] = rows;
  const all = heads.map((_, index) => rows.map((row) => row[index] ?? ''));
  const widths = all.map((texts) => Math.max(...texts.map(widthOf)));
  const canShrink = all.map((texts, index) => index > 0 && !texts.some((text) => IS_ID.test(text)) && (widths[index] ?? 0) > NARROWEST);
  let excess = columns === undefined ? 0 : widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1)) - columns;
  for (; excess > 0; excess--) {
    const [widest] = widths
      .map((width, index) => ({ width, index }))
      .filter(({ width, index }) => canShrink[index] && width > NARROWEST)
      .toSorted((a, b) => b.width - a.width);
    if (widest === undefined) break;
    widths[widest.index] = widest.width - 1;
  }
  return widths;
}

function padded(text: string, width: number, isNumeric: boolean): string {
  const own = widthOf(text);
  if (own > width) return `${[...text].slice(0, Math.max(0, width - 1)).join('')}…`;
  return isNumeric ? ' '.repeat(width - own) + text : text + ' '.repeat(width - own);
}

type Format = Parameters<typeof styled>[0];

export interface Look {
  /** Width of the terminal; undefined when the stream is not one. */
  readonly columns: number | undefined;
  readonly style: (format: Format, text: string) => string;
}

/** Colours and limited width on a terminal only. Respects NO_COLOR and FORCE_COLOR. */
export const lookOf = (stream: WriteStream): Look => ({
  columns: stream.isTTY ? stream.columns || 80 : undefined,
  style: (format, text) => styled(format, text, { stream }),
});

/** A progress line on standard error, on a terminal only. */
export interface Progress {
  show(text: string): void;
  clear(): void;
}

export function progressOn(stream: WriteStream): Progress {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  const clear = (): void => {
    stream.cursorTo(0);
    stream.clearLine(0);
  };
  return {
    show: (text) => {
      clear();
      const line = withoutControls(text).replaceAll(/[\r\n]+/g, ' ');
      print(line.slice(0, Math.max(0, stream.columns - 1)), stream);
    },
    clear,
  };
}
