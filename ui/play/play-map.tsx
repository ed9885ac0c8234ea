import type { Ref } from 'preact';
import { type MapSize, NARROW, shortTitle, WIDE } from '../overview/estate-map-layout.ts';
import { titles } from './catalog.ts';
import css from './play.module.css';
import { activeLine, playLayout, STRIP } from './play-layout.ts';
import type { Step } from './story.ts';

const OTHERS: Readonly<Record<string, string>> = { client: 'Your client', gateway: 'The gateway', touchpoint: 'Touchpoint' };

/** The name of an application in a node. */
export const nodeTitle = (id: string): string => OTHERS[id] ?? shortTitle(titles[id] ?? id);

interface PlayMapProps {
  readonly steps: readonly Step[];
  /** From 1. */
  readonly at: number;
  readonly isNarrow: boolean;
  readonly picture: Ref<SVGSVGElement>;
}

/** The map with one exchange in colour. What the story has not reached yet is pale. */
export function PlayMap({ steps, at, isNarrow, picture }: PlayMapProps) {
  const size: MapSize = isNarrow ? NARROW : WIDE;
  const layout = playLayout(steps, size);
  const step = steps[at - 1];
  const reached = new Set(steps.slice(0, at).flatMap(({ from, to, kind }) => (kind === 'clock' ? [] : [from, to])));
  const real = new Set(steps.slice(0, at).flatMap(({ to, isReal }) => (isReal ? [to] : [])));
  const line = step && activeLine(step, layout, size);
  const tone = step ? css[toneOf(step)] : '';
  const classOf = (id: string): string =>
    [
      step && step.kind !== 'clock' && id === step.to && `${css.to} ${tone}`,
      step && step.kind !== 'clock' && id === step.from && id !== step.to && css.from,
      reached.has(id) && css.reached,
      real.has(id) && css.real,
    ]
      .filter(Boolean)
      .join(' ');
  const inset = isNarrow ? 8 : 14;
  return (
    <svg
      ref={picture}
      class={`${css.map} ${isNarrow ? css.small : ''}`}
      viewBox={`0 ${-STRIP} ${size.map.width} ${size.map.height + STRIP}`}
      role="img"
      aria-label={step ? `Map: ${step.kind === 'clock' ? 'a move of the clock' : wayOf(step)}` : 'Map of the estate'}
    >
      {layout.lanes.map(({ title, x }) => (
        <g key={title}>
          <rect class={css.lane} x={x} y={size.lane.top} width={size.lane.width} height={size.lane.height} rx={8} />
          <text class={css.laneTitle} x={x + (size.lane.width - size.node.width) / 2} y={23}>
            {title}
          </text>
        </g>
      ))}
      {layout.calls.map(({ from, to, line: path, tip }) => (
        <g key={`${from} ${to}`} class={css.call}>
          <path d={path} />
          <path class={css.tip} d={tip} />
        </g>
      ))}
      {line && (
        <g key={`active ${at}`} class={`${css.active} ${tone}`}>
          <path class={css.line} d={line.line} />
          <path class={css.tip} d={line.tip} />
        </g>
      )}
      {layout.pills.map(({ id, x, y, width, height }) => (
        <g key={id} class={`${css.node} ${classOf(id)}`} data-node={id}>
          <rect x={x} y={y} width={width} height={height} rx={14} />
          <text x={x + width / 2} y={y + height / 2 + 4.5} text-anchor="middle">
            {nodeTitle(id)}
          </text>
        </g>
      ))}
      {layout.nodes.map(({ id, x, y }) => (
        <g key={id} class={`${css.node} ${classOf(id)}`} data-node={id}>
          <rect x={x} y={y} width={size.node.width} height={size.node.height} rx={7} />
          {real.has(id) && <rect class={css.inner} x={x + 3} y={y + 3} width={size.node.width - 6} height={size.node.height - 6} rx={5} />}
          <text x={x + inset} y={y + size.node.height / 2 + 5}>
            {nodeTitle(id)}
          </text>
        </g>
      ))}
    </svg>
  );
}

export const wayOf = ({ from, to }: Step): string => (from === to ? nodeTitle(to) : `${nodeTitle(from)} to ${nodeTitle(to)}`);

/** Red: failed. Amber: refused, or a fault struck. Violet: events and webhooks. */
export function toneOf({ outcome, faults, kind }: Step): 'failed' | 'refused' | 'event' | 'plain' {
  if (outcome === 'failed') return 'failed';
  if (outcome === 'refused' || faults) return 'refused';
  return kind === 'event' || kind === 'webhook' ? 'event' : 'plain';
}
