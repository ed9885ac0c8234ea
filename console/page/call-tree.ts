import { h } from 'preact';
import { apiTitle, applicationTitle } from './facts.ts';
import { duration } from './format.ts';
import type { ListedHop } from './hop.ts';
import { Badge, StatusBadge } from './parts.ts';
import type { TraceRow, TraceTree } from './trace-tree.ts';

export interface TraceViewProps {
  readonly tree: TraceTree;
  readonly selected: TraceRow | undefined;
  readonly hopLink: (hop: ListedHop) => string;
}

/** Deeper calls are indented no further. */
const DEEPEST = 6;

/** The hops of a trace as a list, each call below its caller. It says the same as the diagram. */
export const CallTree = ({ tree, selected, hopLink }: TraceViewProps) =>
  h(
    'ol',
    { class: 'tree rows' },
    tree.rows.map((row, index) => {
      const { hop, from, depth, kind } = row;
      return [
        index === tree.afterwards && index > 0 && h('li', { key: 'afterwards', class: 'part' }, 'Afterwards'),
        h(
          'li',
          { key: `${hop.requestId} ${hop.sequence}` },
          h(
            'a',
            { class: `d${Math.min(depth, DEEPEST)}`, href: hopLink(hop), 'aria-current': row === selected ? 'true' : undefined },
            h('span', { class: kind === 'delivery' ? 'what event-text' : 'what' }, apiTitle(hop.api)),
            h('span', {}, h(StatusBadge, { status: hop.status })),
            h(
              'span',
              { class: 'meta' },
              `${applicationTitle(from)} → ${applicationTitle(hop.application)} · ${duration(hop.durationMs)}`,
              hop.faults.map((fault) => h(Badge, { key: fault, tone: 'warn' }, '⚡ ', h('span', { class: 'clip' }, fault))),
            ),
          ),
        ),
      ];
    }),
  );
