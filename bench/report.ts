import { type Aim, type Figure, isMet, type Ratio } from './benchmark.ts';

const COLUMNS = ['what', 'figure', 'reference', 'ratio (lowest–highest)', 'aim', ''] as const;

/** The figures of one benchmark as a table for a terminal. */
export function tableOf(title: string, figures: readonly Figure[]): string {
  const rows = [COLUMNS, ...figures.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd(),
  );
  return `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function rowOf(figure: Figure): readonly string[] {
  const { what, unit, reference, ratio, aim } = figure;
  const met = isMet(figure);
  return [
    what,
    `${shown(figure.figure)} ${unit}`,
    reference === undefined ? '' : `${shown(reference)} ${unit}`,
    ratio ? ratioText(ratio) : '',
    aim ? aimText(aim, unit) : '',
    met === undefined ? '' : met ? 'met' : 'missed',
  ];
}

function ratioText({ median, lowest, highest }: Ratio): string {
  const digits = median >= 10 ? 0 : median >= 0.1 ? 2 : 3;
  return `${median.toFixed(digits)} (${lowest.toFixed(digits)}–${highest.toFixed(digits)})`;
}

function aimText(aim: Aim, unit: string): string {
  const of = aim.of === 'ratio' ? '' : ` ${unit}`;
  return 'atLeast' in aim ? `≥ ${aim.atLeast}${of}` : `≤ ${aim.atMost}${of}`;
}

const shown = (value: number): string => (value >= 100 ? String(Math.round(value)) : value.toPrecision(3));
