/** Calls from one application to another. */
interface MapCall {
  readonly from: string;
  readonly to: string;
  readonly calls: number;
  readonly failed: number;
}
export interface DrawnCall extends MapCall {
  /** Data of an SVG path. */
  readonly line: string;
  readonly tip: string;
  readonly thickness: number;
  /** How strong it is drawn, up to 1: seldom calls stay in the background. */
  readonly weight: number;
}
const LANES = [
  { title: 'Channels', short: 'Channels', nodes: ['pos', 'ecommerce-platform', 'clienteling-app', 'touchpoint'] },
  { title: 'Selling', short: 'Selling', nodes: ['oms', 'payment-hub', 'promotion-engine', 'loyalty-platform', 'crm'] },
  { title: 'Stock, fulfillment', short: 'Fulfillment', nodes: ['fms', 'sim', 'inventory-service', 'wms', 'carrier-platform'] },
] as const;
const ROW = 62;
const FIRST_ROW = 36;
const NODE_HEIGHT = 44;
const MOST_ROWS = Math.max(...LANES.map(({ nodes }) => nodes.length));
/** Lengths in units of the picture. */
export interface MapSize {
  readonly map: { readonly width: number; readonly height: number };
  readonly lane: { readonly width: number; readonly height: number; readonly top: number };
  readonly node: { readonly width: number; readonly height: number };
  /** Where each lane begins. */
  readonly laneX: readonly [number, number, number];
}

/** A lane is as high as the one with the most nodes. */
function sizeOf(laneX: MapSize['laneX'], laneWidth: number, nodeWidth: number): MapSize {
  const height = FIRST_ROW + MOST_ROWS * ROW + 4;
  return {
    map: { width: laneX[0] + laneX[2] + laneWidth, height },
    lane: { width: laneWidth, height: height - 8, top: 4 },
    node: { width: nodeWidth, height: NODE_HEIGHT },
    laneX,
  };
}

export const WIDE = sizeOf([4, 270, 536], 180, 140);
/** For a window that has no room for columns: as wide as a telephone. */
export const NARROW = sizeOf([0, 127, 254], 112, 92);

/** The part of a note that a narrow node has room for. A comma within a number begins no detail. */
export const withoutDetails = (note: string): string => note.split(/[:·]|,\s/)[0]?.trim() ?? '';

/** A node has room for one short name. */
export const shortTitle = (title: string): string => title.replace(/ (?:Platform|Service|App|Engine)$/, '');

/** Between the border of a lane and its nodes: room for the lines within the lane. */
const marginOf = ({ lane, node }: MapSize): number => (lane.width - node.width) / 2;
const GAP = ROW - NODE_HEIGHT;
/** Lines side by side between two rows. */
const TRACKS = [0, -5, 5];
const MIDDLE = 1;
const LAST = 2;

interface Place {
  readonly lane: number;
  readonly row: number;
  readonly x: number;
  readonly y: number;
}
type Side = 'left' | 'right';

/** Shorter lanes are centred. */
const rowTop = ({ nodes }: { readonly nodes: readonly string[] }, row: number): number =>
  FIRST_ROW + row * ROW + ((MOST_ROWS - nodes.length) * ROW) / 2;

const placesIn = (size: MapSize): ReadonlyMap<string, Place> =>
  new Map(
    LANES.flatMap((of, lane) =>
      of.nodes.map((id, row) => [id, { lane, row, x: (size.laneX[lane] ?? 0) + marginOf(size), y: rowTop(of, row) }] as const),
    ),
  );

/** The map: nodes in fixed lanes, and lines that pass between them. Calls of nodes that are not on the map are left out. */
export function layoutEstateMap(calls: readonly MapCall[], size = WIDE) {
  const places = placesIn(size);
  const drawn = calls.flatMap((call) => {
    const [from, to] = [places.get(call.from), places.get(call.to)];
    return from && to && from !== to && call.calls > 0 ? [{ call, from, to }] : [];
  });
  const ports = portsOf(drawn);
  const freeTracks = new Map<number, number>();
  const most = Math.max(1, ...drawn.map(({ call }) => call.calls));
  return {
    lanes: LANES.map(({ title, short }, lane) => ({ title: size === WIDE ? title : short, x: size.laneX[lane] ?? 0 })),
    nodes: [...places].map(([id, { x, y }]) => ({ id, x, y })),
    calls: drawn.map(({ call, from, to }, position): DrawnCall => {
      const start = { x: sideX(from, leaves(from, to), size), y: ports.get(`${position} from`) ?? 0 };
      const end = { x: sideX(to, leaves(to, from), size), y: ports.get(`${position} to`) ?? 0 };
      const inward = leaves(to, from) === 'left' ? -1 : 1;
      return {
        ...call,
        line: lineBetween({ from, to, start, end, size }, () => takeTrack(freeTracks, (start.y + end.y) / 2)),
        tip: `M${end.x} ${end.y}l${inward * 7} -4v8z`,
        thickness: thicknessOf(call.calls, most),
        weight: weightOf(call, most),
      };
    }),
  };
}

/** From 1.2 to 3.6. The busiest line of a map has the same width, however many calls it has. */
const thicknessOf = (calls: number, most: number): number =>
  Math.round((1.2 + (Math.min(2.4, 0.6 * Math.log2(most + 1)) * calls) / most) * 10) / 10;

/** A failure is never faded. */
const weightOf = ({ calls, failed }: MapCall, most: number): number =>
  failed > 0 ? 1 : Math.round((0.45 + 0.55 * Math.sqrt(calls / most)) * 100) / 100;

/** The side of a node where a line begins or ends. */
const leaves = (of: Place, other: Place): Side =>
  of.lane === other.lane ? (of.lane === LAST ? 'right' : 'left') : of.lane < other.lane ? 'right' : 'left';
const sideX = ({ x }: Place, side: Side, { node }: MapSize): number => (side === 'left' ? x : x + node.width);

/** Where each line begins and ends: the lines of one side share its height, sorted by their other ends. */
function portsOf(drawn: readonly { readonly from: Place; readonly to: Place }[]): ReadonlyMap<string, number> {
  const ends = drawn.flatMap(({ from, to }, position) => [
    { key: `${position} from`, at: from, other: to },
    { key: `${position} to`, at: to, other: from },
  ]);
  const sides = Map.groupBy(ends, ({ at, other }) => `${at.lane} ${at.row} ${leaves(at, other)}`);
  const ports = [...sides.values()].flatMap((ofSide) => {
    const distance = Math.min(8, (NODE_HEIGHT - 8) / ofSide.length);
    const sorted = ofSide.toSorted((one, two) => one.other.y - two.other.y || one.other.x - two.other.x);
    return sorted.map(({ key, at }, place) => [key, at.y + NODE_HEIGHT / 2 + (place - (sorted.length - 1) / 2) * distance] as const);
  });
  return new Map(ports);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Line {
  readonly from: Place;
  readonly to: Place;
  readonly start: Point;
  readonly end: Point;
  readonly size: MapSize;
}

function lineBetween({ from, to, start, end, size }: Line, track: () => number): string {
  const begin = `M${start.x} ${start.y}`;
  if (from.lane === to.lane) {
    // A curve reaches three quarters of its bulge. It stays in the margin of its lane.
    const part = Math.min(4 / 3, 0.65 + 0.15 * Math.abs(from.row - to.row));
    const bulge = (from.lane === LAST ? 1 : -1) * part * marginOf(size);
    return `${begin}C${start.x + bulge} ${start.y} ${end.x + bulge} ${end.y} ${end.x} ${end.y}`;
  }
  if (Math.abs(from.lane - to.lane) === 1) return begin + curve(start, end);
  const left = { x: size.laneX[MIDDLE] + marginOf(size) - 6, y: track() };
  const right = { x: left.x + size.node.width + 12, y: left.y };
  const [first, second] = start.x < end.x ? [left, right] : [right, left];
  return `${begin}${curve(start, first)}H${second.x}${curve(second, end)}`;
}

const curve = (start: Point, end: Point): string => {
  const middle = (start.x + end.x) / 2;
  return `C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}`;
};

/** A free place between two rows of the middle lane, near a height. */
function takeTrack(taken: Map<number, number>, near: number): number {
  const gaps = LANES[MIDDLE].nodes.map((_, row) => rowTop(LANES[MIDDLE], row) + NODE_HEIGHT + GAP / 2);
  const nearest = gaps.toSorted((one, other) => Math.abs(one - near) - Math.abs(other - near));
  const gap = nearest.find((one) => (taken.get(one) ?? 0) < TRACKS.length) ?? nearest[0] ?? near;
  const count = taken.get(gap) ?? 0;
  taken.set(gap, count + 1);
  return gap + (TRACKS[count % TRACKS.length] ?? 0);
}
