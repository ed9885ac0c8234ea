import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { explainObject } from '../../shared/catalog/control/operations/explanations.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { type Look, table } from './table.ts';

type Explained = ControlOutput<typeof explainObject>;
type Brief = Explained['waitsFor'][number];

/** The sentences about an object and about what it waits for, and its verbs. */
export function showExplanation({ moves, waitsFor, cause, ...about }: Explained, look: Look): string {
  const trace =
    cause?.correlationId === undefined ? [] : [look.style('dim', `Its trace: estate journal ${inOneLine(cause.correlationId)}`)];
  const rows = moves.map(({ verb, call, by, possible, why }) => [possible ? 'yes' : 'no', verb, call ?? by, why ?? '']);
  const verbs = rows.length === 0 ? [] : ['', table(['now', 'verb', 'by', 'why'], rows, look)];
  const nested = waitsFor.flatMap((one) => ['', ...paragraph(one, look)]);
  return [...paragraph(about, look), ...trace, ...nested, ...verbs].join('\n');
}

/** The first sentence is the text without its reasons. */
function paragraph({ reasons, head }: Pick<Brief, 'reasons' | 'head'>, { style }: Look): readonly string[] {
  const colour = { cause: 'dim', wait: 'bold', trouble: 'red' } as const;
  return [inOneLine(head), ...reasons.map(({ kind, text }) => `  ${style(colour[kind], inOneLine(text))}`)];
}
