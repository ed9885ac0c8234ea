import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TraceViewProps } from '../activity/call-tree.tsx';
import { apiTitle, applicationTitle } from '../data/data.ts';
import { duration, useRowWindow } from '../kit/kit.ts';
import { type Column, GEOMETRY, headWidth, type SequenceLayout, type SequenceRow, sequenceLayout } from './sequence-layout.ts';
import { BAR, inLines, lineY, shaft, tip } from './shapes.ts';
import type { TraceRow } from './trace-tree.ts';

/** Estimated pixels of a character. They decide where a label fits. */
const CHARACTER = { name: 6.2, facts: 5.6 } as const;

/** Who called whom, drawn at its own size. A wide trace scrolls; of a long one, the rows in view are drawn. */
export function SequenceDiagram({ tree, selected, hopLink }: TraceViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<number>();
  useLayoutEffect(() => {
    const { current } = frame;
    if (!current) return;
    const watch = new ResizeObserver(([entry]) => entry && setRoom(Math.floor(entry.contentRect.width)));
    watch.observe(current);
    return () => watch.disconnect();
  }, []);
  const layout = useMemo(() => (room === undefined ? undefined : sequenceLayout(tree, room)), [tree, room]);
  const at = selected ? tree.rows.indexOf(selected) : -1;
  const { isPart, first, end, onScroll } = useRowWindow(frame, { count: layout ? tree.rows.length : 0, pitch: GEOMETRY.row, selected: at });
  return (
    <div
      ref={frame}
      class={isPart ? 'seqwrap part-shown' : 'seqwrap'}
      tabIndex={0}
      role="group"
      aria-label={isPart ? `Sequence diagram of ${tree.rows.length} hops` : 'Sequence diagram'}
      onScroll={onScroll}
    >
      {layout && <Diagram layout={layout} selected={selected} hopLink={hopLink} first={first} end={end} />}
    </div>
  );
}

interface DiagramProps extends Pick<TraceViewProps, 'selected' | 'hopLink'> {
  readonly layout: SequenceLayout;
  readonly first: number;
  readonly end: number;
}

/** The names of the columns stay visible. The rows are a separate drawing. */
function Diagram({ layout: { columns, gap, rows, afterwardsY, width, height }, selected, hopLink, first, end }: DiagramProps) {
  const shown = rows.slice(first, end);
  // The bar of a caller is as long as its calls.
  const bars = rows.slice(0, end).filter(({ row }) => row.last >= first);
  const { head } = GEOMETRY;
  return (
    <>
      <svg class="seq heads" width={width} height={head} viewBox={`0 0 ${width} ${head}`}>
        {columns.map((column) => (
          <Head key={column.id} column={column} gap={gap} />
        ))}
      </svg>
      <svg class="seq" width={width} height={height - head} viewBox={`0 ${head} ${width} ${height - head}`}>
        {columns.map(({ id, x }) => (
          <line key={id} class="life" x1={x} x2={x} y1={head + 6} y2={height - 6} />
        ))}
        {afterwardsY !== undefined && (
          <text class="part" x={6} y={afterwardsY}>
            Afterwards: events delivered, timers
          </text>
        )}
        {shown.map((row) => (
          <Arrow key={keyOf(row)} row={row} width={width} href={hopLink(row.row.hop)} isSelected={row.row === selected} />
        ))}
        {bars.map((row) => (
          <rect key={keyOf(row)} class={`act ${toneOf(row.row)}`} x={row.bar.x} y={row.bar.y} width={BAR} height={row.bar.height} rx={2} />
        ))}
        <g class="labels" aria-hidden="true">
          {shown.map((row) => (
            <Label key={keyOf(row)} row={row} width={width} isSelected={row.row === selected} />
          ))}
        </g>
      </svg>
    </>
  );
}

const keyOf = ({ row: { hop } }: SequenceRow): string => `${hop.requestId} ${hop.sequence}`;

/** Red: failed; amber: refused, or a fault struck; violet: an event. */
function toneOf({ hop, kind }: TraceRow): string {
  if (hop.status >= 500) return 'no';
  if (hop.faults.length > 0 || hop.status >= 400) return 'fault';
  return kind === 'call' || kind === 'request' ? '' : 'evt';
}

function Head({ column: { id, x }, gap }: { column: Column; gap: number }) {
  const lines = inLines(applicationTitle(id), Math.min(gap, 128) - 10, 7);
  const box = headWidth(gap);
  return (
    <g>
      <rect class={id === 'client' ? 'headbox client' : 'headbox'} x={x - box / 2} y={2} width={box} height={GEOMETRY.head - 2} rx={6} />
      {lines.map((line, index) => (
        <text key={line} class="head" x={x} y={lineY(lines, index)}>
          {line}
        </text>
      ))}
    </g>
  );
}

interface RowProps {
  readonly row: SequenceRow;
  readonly width: number;
  readonly isSelected: boolean;
}

const isDashed = ({ kind }: TraceRow): boolean => kind === 'delivery' || kind === 'timer';

/** The label of a row: the call and its outcome. */
function wordsOf(row: TraceRow, faults = row.hop.faults): { readonly name: string; readonly facts: string } {
  const { status, durationMs, api, unchanged } = row.hop;
  const outcome = unchanged === undefined ? [] : ['changed nothing'];
  const shown = [...(status >= 400 || !isDashed(row) ? [status] : []), duration(durationMs), ...outcome, ...faults];
  return { name: `${row.hop.faults.length > 0 ? '⚡ ' : ''}${apiTitle(api)}`, facts: shown.join(' · ') };
}

/** The arrow is the link. Its words are drawn later, above the bars. */
function Arrow({ row: { row, number, y, fromX, toX, bar }, width, href, isSelected }: RowProps & { href: string }) {
  const { name, facts } = wordsOf(row);
  return (
    <a
      href={href}
      class={`row ${toneOf(row)} ${isDashed(row) ? 'dashed' : ''}`}
      aria-current={isSelected ? 'true' : undefined}
      aria-label={`${name} ${facts}, hop ${number}, ${applicationTitle(row.from)} to ${applicationTitle(row.hop.application)}`}
    >
      <rect class="hit" x={0} y={y - 21} width={width} height={GEOMETRY.row - 1} />
      <path class="arrow" d={shaft(fromX, toX, y, bar.x)} />
      <path class="tip" d={tip(fromX, toX, y, bar.x)} />
    </a>
  );
}

function Label({ row: { row, y, fromX, toX }, width, isSelected }: RowProps) {
  const left = Math.min(fromX, toX) + (fromX === toX ? 12 : 7);
  const hasRoom = ({ name, facts }: ReturnType<typeof wordsOf>): boolean =>
    left + name.length * CHARACTER.name + facts.length * CHARACTER.facts < width;
  const whole = wordsOf(row);
  const words = hasRoom(whole) ? whole : wordsOf(row, []);
  const fits = hasRoom(words);
  const { name, facts } = words;
  return (
    <text
      class={`label ${toneOf(row)} ${isSelected ? 'selected' : ''}`}
      x={fits ? left : width - 6}
      y={y - 6}
      text-anchor={fits ? 'start' : 'end'}
    >
      {name.length > 60 ? `${name.slice(0, 59)}…` : name}
      <tspan class="ms" dx={5}>
        {facts.length > 60 ? `${facts.slice(0, 59)}…` : facts}
      </tspan>
    </text>
  );
}
