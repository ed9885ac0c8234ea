import type { Titles } from '../activity/explanation.ts';
import { duration } from '../kit/format.ts';
import type { TraceRow, TraceTree } from './trace-tree.ts';

/** The sequence of a trace as the text of a Mermaid diagram: calls with their answers, then deliveries and timers. */
export function mermaidOf({ rows, afterwards }: TraceTree, titles: Titles): string {
  const ids = [...new Set(rows.flatMap(({ from, hop }) => [from, hop.application]))];
  const participant = (id: string): string => `p${ids.indexOf(id) + 1}`;
  const lines = ids.map((id) => `participant ${participant(id)} as ${plain(titles.application(id))}`);
  /** Calls that have not been answered yet, the innermost last. */
  const open: TraceRow[] = [];
  const answerUntil = (index: number): void => {
    for (let row = open.at(-1); row && row.last < index; row = open.at(-1)) {
      lines.push(answer(row, participant));
      open.pop();
    }
  };
  for (const [index, row] of rows.entries()) {
    answerUntil(index);
    const { hop, from, kind } = row;
    if (index === afterwards && index > 0)
      lines.push(`Note over ${[ids[0], ids.at(-1)].map((id = '') => participant(id)).join(',')}: Afterwards`);
    const isCall = kind === 'call' || kind === 'request';
    const struck = hop.faults.length > 0 ? ` (fault ${hop.faults.join(', ')})` : '';
    const outcome = hop.unchanged === undefined ? '' : ' (changed nothing)';
    const words = plain(`${titles.api(hop.api)}${outcome}${struck}`);
    lines.push(`${participant(from)}${isCall ? '->>' : '--)'}${participant(hop.application)}: ${words}`);
    if (isCall) open.push(row);
  }
  answerUntil(rows.length);
  return ['sequenceDiagram', ...lines.map((line) => `  ${line}`), ''].join('\n');
}

const answer = ({ hop, from }: TraceRow, participant: (id: string) => string): string =>
  `${participant(hop.application)}--${hop.status >= 400 ? 'x' : '>>'}${participant(from)}: ${hop.status}, ${duration(hop.durationMs)}`;

/** Mermaid reads these characters as its own. */
const plain = (text: string): string => text.replaceAll(/[\s#;:<>{}"`%\p{Cc}]+/gu, ' ').trim() || '…';
