import { type DrawnCall, layoutEstateMap, type MapSize } from '../overview/estate-map-layout.ts';
import type { Step } from './story.ts';

/** Senders and receivers outside the map, which stand above it, by their place. */
const OUTSIDE = { client: 0, gateway: 1 } as const;
type Outside = keyof typeof OUTSIDE;
const isOutside = (id: string): id is Outside => id in OUTSIDE;

/** Height of the strip above the lanes. */
export const STRIP = 44;
const PILL = 28;

export interface Pill {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The map of a story: the lines of all its exchanges, and who stands outside. */
export interface PlayLayout {
  readonly lanes: ReturnType<typeof layoutEstateMap>['lanes'];
  readonly nodes: ReturnType<typeof layoutEstateMap>['nodes'];
  readonly calls: readonly DrawnCall[];
  readonly pills: readonly Pill[];
}

export function playLayout(steps: readonly Step[], size: MapSize): PlayLayout {
  const counts = new Map<string, { from: string; to: string; calls: number; failed: number }>();
  for (const { from, to, kind } of steps) {
    if (kind === 'clock' || from === to) continue;
    const call = counts.get(`${from} ${to}`);
    if (call) call.calls += 1;
    else counts.set(`${from} ${to}`, { from, to, calls: 1, failed: 0 });
  }
  const { lanes, nodes, calls } = layoutEstateMap([...counts.values()], size);
  const used = new Set(steps.flatMap(({ from, to, kind }) => (kind === 'clock' ? [] : [from, to])));
  const pills = Object.entries(OUTSIDE).flatMap(([id, lane]): Pill[] =>
    used.has(id) ? [{ id, x: nodeX(size, lane), y: 8 - STRIP, width: size.node.width, height: PILL }] : [],
  );
  return { lanes, nodes, calls, pills };
}

const nodeX = ({ laneX, lane, node }: MapSize, of: number): number => (laneX[of] ?? 0) + (lane.width - node.width) / 2;

/** The line of an exchange, with its head. */
export interface ActiveLine {
  readonly line: string;
  readonly tip: string;
}

/** The line of an exchange. Undefined for due work, a move of the clock, and what the map does not have. */
export function activeLine({ from, to, kind }: Step, { nodes, calls, pills }: PlayLayout, size: MapSize): ActiveLine | undefined {
  if (kind === 'clock' || from === to) return undefined;
  const call = calls.find((one) => one.from === from && one.to === to);
  if (call) return { line: call.line, tip: call.tip };
  const pillOf = (id: string): Pill | undefined => (isOutside(id) ? pills.find((one) => one.id === id) : undefined);
  const [one, other] = [pillOf(from), pillOf(to)];
  if (one && other) return between(one, other);
  const pill = one ?? other;
  const node = nodes.find(({ id }) => id === (one ? to : from));
  return pill && node ? around(pill, { x: node.x, y: node.y + size.node.height / 2 }, one !== undefined) : undefined;
}

/** From one place outside to another, straight. */
function between(one: Pill, other: Pill): ActiveLine {
  const y = one.y + one.height / 2;
  const isRight = one.x < other.x;
  const [start, end] = isRight ? [one.x + one.width, other.x] : [one.x, other.x + other.width];
  return { line: `M${start} ${y}H${end}`, tip: `M${end} ${y}l${isRight ? -8 : 8} -5v10z` };
}

const BEND = 8;

/** From a place outside to the left side of a node, or back: along the strip and down beside the lane. */
function around(pill: Pill, node: { readonly x: number; readonly y: number }, isTo: boolean): ActiveLine {
  const y = pill.y + pill.height / 2;
  const gap = Math.max(1, node.x - 14);
  const isLeft = gap < pill.x + pill.width;
  const [start, turn] = isLeft ? [pill.x, Math.min(gap + BEND, pill.x)] : [pill.x + pill.width, gap - BEND];
  const line = `M${start} ${y}H${turn}Q${gap} ${y} ${gap} ${y + BEND}V${node.y - BEND}Q${gap} ${node.y} ${Math.min(gap + BEND, node.x)} ${node.y}H${node.x}`;
  const side = isLeft ? -1 : 1;
  return { line, tip: isTo ? `M${node.x} ${node.y}l-8 -5v10z` : `M${start} ${y}l${8 * side} -5v10z` };
}
