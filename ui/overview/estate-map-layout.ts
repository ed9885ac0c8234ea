/** Calls from one application to another. */
export interface MapCall {
  readonly from: string;
  readonly to: string;
  readonly calls: number;
  readonly failed: number;
}
export interface PlacedNode {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}
export interface DrawnCall extends MapCall {
  /** Data of an SVG path. */
  readonly line: string;
  readonly tip: string;
  readonly thickness: number;
}
export interface PlacedLane {
  readonly title: string;
  readonly x: number;
}
export interface EstateMapLayout {
  readonly lanes: readonly PlacedLane[];
  readonly nodes: readonly PlacedNode[];
  readonly calls: readonly DrawnCall[];
}

const LANES = [
  { title: 'Channels', nodes: ['pos', 'ecommerce-platform', 'clienteling-app', 'touchpoint'] },
  { title: 'Selling', nodes: ['oms', 'payment-hub', 'promotion-engine', 'loyalty-platform', 'crm'] },
  { title: 'Stock, fulfillment', nodes: ['fms', 'sim', 'inventory-service', 'wms', 'carrier-platform'] },
] as const;
export const NODE = { width: 140, height: 44 } as const;
export const LANE = { width: 180, height: 342, top: 4 } as const;
export const MAP = { width: 720, height: 350 } as const;
const LANE_X = [4, 270, 536] as const;
/** Between the border of a lane and its nodes: room for the lines within the lane. */
const MARGIN = (LANE.width - NODE.width) / 2;
const ROW = 62;
const FIRST_ROW = 36;
const GAP = ROW - NODE.height;
/** Lines side by side between two rows. */
const TRACKS = [0, -5, 5];
const MOST_ROWS = Math.max(...LANES.map(({ nodes }) => nodes.length));
const MIDDLE = 1;
const LAST = 2;

interface Place {
  readonly lane: number;
  readonly row: number;
  readonly x: number;
  readonly y: number;
}
type Side = 'left' | 'right';

const PLACES: ReadonlyMap<string, Place> = new Map(
  LANES.flatMap(({ nodes }, lane) =>
    nodes.map(
      (id, row) =>
        [id, { lane, row, x: (LANE_X[lane] ?? 0) + MARGIN, y: FIRST_ROW + row * ROW + ((MOST_ROWS - nodes.length) * ROW) / 2 }] as const,
    ),
  ),
);

/** The map: nodes in fixed lanes, and lines that pass between them. Calls of nodes that are not on the map are left out. */
export function layoutEstateMap(calls: readonly MapCall[]): EstateMapLayout {
  const drawn = calls.flatMap((call) => {
    const [from, to] = [PLACES.get(call.from), PLACES.get(call.to)];
    return from && to && from !== to && call.calls > 0 ? [{ call, from, to }] : [];
  });
  const ports = portsOf(drawn);
  const freeTracks = new Map<number, number>();
  return {
    lanes: LANES.map(({ title }, lane) => ({ title, x: LANE_X[lane] ?? 0 })),
    nodes: [...PLACES].map(([id, { x, y }]) => ({ id, x, y })),
    calls: drawn.map(({ call, from, to }, position) => {
      const start = { x: sideX(from, leaves(from, to)), y: ports.get(`${position} from`) ?? 0 };
      const end = { x: sideX(to, leaves(to, from)), y: ports.get(`${position} to`) ?? 0 };
      const inward = leaves(to, from) === 'left' ? -1 : 1;
      return {
        ...call,
        line: lineBetween(from, to, start, end, () => takeTrack(freeTracks, (start.y + end.y) / 2)),
        tip: `M${end.x} ${end.y}l${inward * 7} -4v8z`,
        thickness: thicknessOf(call.calls),
      };
    }),
  };
}

const thicknessOf = (calls: number): number => Math.min(5, Math.round((1.4 + 0.7 * Math.log2(calls)) * 10) / 10);

/** The side of a node where a line begins or ends. */
const leaves = (of: Place, other: Place): Side =>
  of.lane === other.lane ? (of.lane === LAST ? 'right' : 'left') : of.lane < other.lane ? 'right' : 'left';
const sideX = ({ x }: Place, side: Side): number => (side === 'left' ? x : x + NODE.width);

/** Where each line begins and ends: the lines of one side share its height, sorted by their other ends. */
function portsOf(drawn: readonly { readonly from: Place; readonly to: Place }[]): ReadonlyMap<string, number> {
  const ends = drawn.flatMap(({ from, to }, position) => [
    { key: `${position} from`, at: from, other: to },
    { key: `${position} to`, at: to, other: from },
  ]);
  const sides = Map.groupBy(ends, ({ at, other }) => `${at.lane} ${at.row} ${leaves(at, other)}`);
  const ports = [...sides.values()].flatMap((ofSide) => {
    const distance = Math.min(8, (NODE.height - 8) / ofSide.length);
    const sorted = ofSide.toSorted((one, two) => one.other.y - two.other.y || one.other.x - two.other.x);
    return sorted.map(({ key, at }, place) => [key, at.y + NODE.height / 2 + (place - (sorted.length - 1) / 2) * distance] as const);
  });
  return new Map(ports);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function lineBetween(from: Place, to: Place, start: Point, end: Point, track: () => number): string {
  const begin = `M${start.x} ${start.y}`;
  if (from.lane === to.lane) {
    const bulge = (from.lane === LAST ? 1 : -1) * (14 + 3 * Math.abs(from.row - to.row));
    return `${begin}C${start.x + bulge} ${start.y} ${end.x + bulge} ${end.y} ${end.x} ${end.y}`;
  }
  if (Math.abs(from.lane - to.lane) === 1) return begin + curve(start, end);
  const left = { x: (LANE_X[MIDDLE] ?? 0) + MARGIN - 6, y: track() };
  const right = { x: left.x + NODE.width + 12, y: left.y };
  const [first, second] = start.x < end.x ? [left, right] : [right, left];
  return `${begin}${curve(start, first)}H${second.x}${curve(second, end)}`;
}

const curve = (start: Point, end: Point): string => {
  const middle = (start.x + end.x) / 2;
  return `C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}`;
};

/** A free place between two rows of the middle lane, near a height. */
function takeTrack(taken: Map<number, number>, near: number): number {
  const gaps = LANES[MIDDLE].nodes.map((_, row) => FIRST_ROW + row * ROW + NODE.height + GAP / 2);
  const nearest = gaps.toSorted((one, other) => Math.abs(one - near) - Math.abs(other - near));
  const gap = nearest.find((one) => (taken.get(one) ?? 0) < TRACKS.length) ?? nearest[0] ?? near;
  const count = taken.get(gap) ?? 0;
  taken.set(gap, count + 1);
  return gap + (TRACKS[count % TRACKS.length] ?? 0);
}
