import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { readTimeline } from '../../shared/catalog/control/operations/timelines.ts';
import { inOneLine } from '../../shared/domain/printable.ts';
import { showRows } from './show-answer.ts';
import type { Look } from './table.ts';

const COLUMNS = { at: 'clock', kind: 'kind', application: 'application', words: 'what', outcome: 'outcome', trace: 'trace' };

/** The marks of a timeline, and what is missing. */
export function showTimeline({ name, marks, omitted, truncated }: ControlOutput<typeof readTimeline>, look: Look): string {
  const missing = [
    ...(omitted > 0 ? [`${omitted} older marks are left out: give a higher --limit.`] : []),
    ...(truncated ? ['Older calls are gone: the journal has reached its limit.'] : []),
  ];
  return [look.style('bold', inOneLine(name)), showRows(marks, COLUMNS, look), ...missing.map((text) => look.style('dim', text))].join(
    '\n',
  );
}
