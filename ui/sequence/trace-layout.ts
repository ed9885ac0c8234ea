import { columnsOf, type Layout, layOut } from './sequence-layout.ts';
import type { TraceRow, TraceTree } from './trace-tree.ts';

/** A trace in reading order: each call below its caller. @param room available pixels */
export function traceLayout({ rows, afterwards }: TraceTree, room: number): Layout<TraceRow> {
  const columns = columnsOf([...new Set(rows.flatMap(({ from, hop }) => [from, hop.application]))], room);
  const hasNote = afterwards > 0 && afterwards < rows.length;
  const later = rows.slice(afterwards);
  const lines = hasNote ? [...rows.slice(0, afterwards), { note: 'Afterwards: events delivered, timers' }, ...later] : rows;
  return layOut<TraceRow>(lines, columns, { callerOf: ({ parent }) => (parent === undefined ? undefined : rows[parent]), hasHeads: true });
}
