import { useRef } from 'preact/hooks';
import { apiTitle, applicationTitle, type ListedHop } from '../data/data.ts';
import { Badge, duration, FaultBadges, StatusBadge, useRowWindow } from '../kit/kit.ts';
import type { TraceRow, TraceTree } from '../sequence/trace-tree.ts';
import css from './activity.module.css';

export interface TraceViewProps {
  readonly tree: TraceTree;
  readonly selected: TraceRow | undefined;
  readonly hopLink: (hop: ListedHop) => string;
}

/** Deeper calls are indented no further. */
const DEEPEST = 6;

/** Pixels of a row in a partly drawn list, as in the sheet. */
const PITCH = 60;

/** The hops of a trace as a list, each call below its caller. It has the same content as the diagram. */
export function CallTree({ tree, selected, hopLink }: TraceViewProps) {
  const frame = useRef<HTMLOListElement>(null);
  const count = tree.rows.length;
  const at = selected ? tree.rows.indexOf(selected) : -1;
  const { isPart, first, end, onScroll } = useRowWindow(frame, { count, pitch: PITCH, selected: at });
  const item = (row: TraceRow, index: number) => (
    <>
      {index === tree.afterwards && index > 0 && !isPart && (
        <li key="afterwards" class={css.afterwards}>
          Afterwards
        </li>
      )}
      <li key={`${row.hop.requestId} ${row.hop.sequence}`} {...(isPart && { 'aria-setsize': count, 'aria-posinset': index + 1 })}>
        <HopLink row={row} href={hopLink(row.hop)} isSelected={row === selected} isAfterwards={isPart && index >= tree.afterwards} />
      </li>
    </>
  );
  return (
    <ol ref={frame} class={`rows ${css.tree} ${isPart ? css.isPart : ''}`} aria-label="Hops" {...(isPart && { tabIndex: 0, onScroll })}>
      <Space key="above" rows={first} />
      {tree.rows.slice(first, end).map((row, index) => item(row, first + index))}
      <Space key="below" rows={count - end} />
    </ol>
  );
}

/** Fills the space of rows that are not drawn. It is an SVG, because the policy forbids style attributes. */
const Space = ({ rows }: { rows: number }) =>
  rows > 0 && (
    <li class={css.gap} aria-hidden="true">
      <svg width={1} height={rows * PITCH} />
    </li>
  );

interface HopLinkProps {
  readonly row: TraceRow;
  readonly href: string;
  readonly isSelected: boolean;
  readonly isAfterwards: boolean;
}

const HopLink = ({ row: { hop, from, depth, kind }, href, isSelected, isAfterwards }: HopLinkProps) => (
  <a style={{ '--depth': Math.min(depth, DEEPEST) }} href={href} aria-current={isSelected ? 'true' : undefined}>
    <span class={`what clip ${kind === 'event' ? 'event-text' : ''}`}>{apiTitle(hop.api)}</span>
    <span>
      <StatusBadge status={hop.status} />
    </span>
    <span class="meta">
      {isAfterwards ? 'afterwards · ' : ''}
      {applicationTitle(from)} → {applicationTitle(hop.application)} · {duration(hop.durationMs)}
      {hop.unchanged !== undefined && <Badge>changed nothing</Badge>}
      <FaultBadges faults={hop.faults} />
    </span>
  </a>
);
