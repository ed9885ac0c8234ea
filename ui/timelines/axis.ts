import type { Output } from '../data/data.ts';

export type Mark = Output<'read-timeline'>['marks'][number];

/** folded: quiet spans are short, and the marks of an instant stand side by side. true: equal widths are equal times. */
export type Scale = 'folded' | 'true';

/** Positions on the axis: 0 is its beginning and 1 its end, whatever its width. */
export interface Axis {
  /** By index of a mark. */
  readonly places: readonly number[];
  /** Epoch milliseconds of the marks and of the end, sorted, without duplicates. */
  readonly stops: readonly number[];
  /** @param at epoch milliseconds. An instant with marks ends after its last mark */
  readonly placeOf: (at: number) => number;
  /** Epoch milliseconds. */
  readonly instantAt: (place: number) => number;
  /** The shortest part of the axis that can fill the window. */
  readonly least: number;
  readonly isTrue: boolean;
}

/** The part of the axis in view. */
export interface View {
  readonly from: number;
  readonly to: number;
}

export const WHOLE: View = { from: 0, to: 1 };

/** Widths of the folded axis, before it is scaled to the window. */
const SLOT = 12;
const PAD = 18;
/** A minute is a little wider than no time, and a month not much wider than a day. */
const gapOf = (ms: number): number => (ms <= 0 ? 0 : 18 + 8 * Math.log2(1 + ms / 180_000));
/** Milliseconds of the shortest true view, and slots of the shortest folded view. */
const SHORTEST_MS = 20;
const FEWEST_SLOTS = 8;

/** @param marks sorted by instant @param now epoch milliseconds of the end */
export function axisOf(marks: readonly Pick<Mark, 'at'>[], now: number, scale: Scale): Axis {
  const instants = marks.map(({ at }) => Date.parse(at));
  const end = Math.max(now, instants.at(-1) ?? now);
  const stops = [...new Set([...instants, end])];
  return scale === 'true' ? trueAxis(instants, stops, end) : foldedAxis(instants, stops, end);
}

function trueAxis(instants: readonly number[], stops: readonly number[], end: number): Axis {
  const first = instants[0] ?? end;
  const span = Math.max(SHORTEST_MS, end - first);
  // A little room on both sides, so that the first and the last mark are seen whole.
  const [from, length] = [first - span * 0.02, span * 1.04];
  const placeOf = (at: number): number => (at - from) / length;
  return {
    places: instants.map(placeOf),
    stops,
    placeOf,
    instantAt: (place) => Math.round(Math.min(end, Math.max(first, from + place * length))),
    least: Math.min(1, SHORTEST_MS / length),
    isTrue: true,
  };
}

/** An instant with marks, from its first mark to its last one. */
interface Knot {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

function foldedAxis(instants: readonly number[], stops: readonly number[], end: number): Axis {
  const xs: number[] = [];
  const knots: Knot[] = [];
  let x = PAD;
  let place = 0;
  for (const [index, at] of stops.entries()) {
    x += index === 0 ? 0 : gapOf(at - (stops[index - 1] ?? at));
    const from = x;
    const first = place;
    for (; instants[place] === at; place += 1) {
      x = from + (place - first) * SLOT;
      xs.push(x);
    }
    knots.push({ at, from, to: x });
  }
  const width = x + PAD;
  return {
    places: xs.map((one) => one / width),
    stops,
    placeOf: (at) => placeBetween(knots, at) / width,
    instantAt: (of) => Math.round(Math.min(end, instantBetween(knots, of * width))),
    least: Math.min(1, (FEWEST_SLOTS * SLOT) / width),
    isTrue: false,
  };
}

const between = (value: number, [a, b]: readonly [number, number], [c, d]: readonly [number, number]): number =>
  b === a ? d : c + ((value - a) / (b - a)) * (d - c);

function placeBetween(knots: readonly Knot[], at: number): number {
  const next = firstAfter(knots, at, 'at');
  const [before, after] = [knots[next - 1], knots[next]];
  if (!before) return knots[0]?.from ?? 0;
  return after && before.at !== at ? between(at, [before.at, after.at], [before.to, after.from]) : before.to;
}

function instantBetween(knots: readonly Knot[], x: number): number {
  const next = firstAfter(knots, x, 'from');
  const [before, after] = [knots[next - 1], knots[next]];
  if (!before) return knots[0]?.at ?? 0;
  return after && x > before.to ? between(x, [before.to, after.from], [before.at, after.at]) : before.at;
}

/** The index of the first knot beyond a value, by halving: each tick and each move of the pointer needs it. */
function firstAfter(knots: readonly Knot[], value: number, of: 'at' | 'from'): number {
  let [low, high] = [0, knots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((knots[middle]?.[of] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Zooms around a place, which stays where it is in the window. @param factor below 1 shows a shorter part */
export function zoomed({ from, to }: View, around: number, factor: number, { least }: Pick<Axis, 'least'>): View {
  const span = Math.min(1, Math.max(least, (to - from) * factor));
  return moved({ from: around - ((around - from) / (to - from)) * span, to: 0 }, span);
}

/** Moves the view by a part of its length. */
export const panned = ({ from, to }: View, by: number): View => moved({ from: from + by * (to - from), to: 0 }, to - from);

/** The view that shows a place: the same one, if it does already. */
export function showing(view: View, place: number): View {
  const { from, to } = view;
  return place >= from && place <= to ? view : moved({ from: place - (to - from) / 2, to: 0 }, to - from);
}

function moved({ from }: View, span: number): View {
  const start = Math.min(1 - span, Math.max(0, from));
  return { from: start, to: start + span };
}

/** Marks of a lane that are too near to be drawn apart. */
export interface Cluster {
  /** Pixels from the left edge. */
  readonly x: number;
  /** Pixels to the next cluster. */
  readonly room: number;
  readonly marks: readonly Mark[];
}

/** Width of a drawn mark, in pixels. Nearer ones join. */
const MARK = 15;

/** The marks in view of one lane. @param indices of its marks, sorted */
export function clustersOf(
  indices: readonly number[],
  marks: readonly Mark[],
  { places }: Axis,
  { from, to }: View,
  width: number,
): Cluster[] {
  const clusters: { x: number; marks: Mark[] }[] = [];
  for (const index of indices) {
    const [place, mark] = [places[index], marks[index]];
    if (place === undefined || mark === undefined || place < from || place > to) continue;
    const x = ((place - from) / (to - from)) * width;
    const joined = clusters.at(-1);
    if (joined && x - joined.x < MARK) joined.marks.push(mark);
    else clusters.push({ x, marks: [mark] });
  }
  return clusters.map(({ x, marks: found }, place) => ({ x, room: (clusters[place + 1]?.x ?? width) - x, marks: found }));
}

export interface Tick {
  readonly x: number;
  readonly words: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Pixels between two ticks. */
const TICK = 96;

/** The ticks in view: at marks, where there is room. */
export function ticksOf(axis: Axis, { from, to }: View, width: number): Tick[] {
  const span = axis.instantAt(to) - axis.instantAt(from);
  const ticks: Tick[] = [];
  let day = '';
  for (const at of stopsOf(axis, span, { from, to }, width)) {
    const x = ((axis.placeOf(at) - from) / (to - from)) * width;
    if (x < 0 || x > width - TICK || x - (ticks.at(-1)?.x ?? -TICK) < TICK) continue;
    const today = new Date(at).toISOString().slice(0, 10);
    const words = `${today === day ? '' : `${dayWords(today)} `}${timeWords(at, span)}`;
    if (words === ticks.at(-1)?.words) continue;
    ticks.push({ x, words });
    day = today;
  }
  return ticks;
}

const STEPS = [
  1,
  5,
  10,
  50,
  100,
  500,
  SECOND,
  5 * SECOND,
  15 * SECOND,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
];
const DAYS = [1, 2, 7, 14, 30, 90, 365].map((days) => days * DAY);

/** True ticks stand at round instants, folded ticks at marks. */
function stopsOf(axis: Axis, span: number, { from, to }: View, width: number): readonly number[] {
  if (!axis.isTrue) return axis.stops;
  const most = Math.max(1, width / TICK);
  const step = [...STEPS, ...DAYS].find((one) => span / one <= most) ?? Math.ceil(span / most);
  const first = Math.ceil(axis.instantAt(from) / step) * step;
  const count = Math.floor((axis.instantAt(to) - first) / step) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, place) => first + place * step);
}

const dayWords = (day: string): string => new Date(day).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function timeWords(at: number, span: number): string {
  const time = new Date(at).toISOString().slice(11, 23);
  return span > 10 * MINUTE ? time.slice(0, 5) : span > 10 * SECOND ? time.slice(0, 8) : time;
}

/** The length of a span in words: `49 h`, `250 ms`. */
export function spanWords(ms: number): string {
  if (ms >= 3 * DAY) return `${Math.round(ms / DAY)} days`;
  if (ms >= 3 * HOUR) return `${Math.round(ms / HOUR)} h`;
  if (ms >= 3 * MINUTE) return `${Math.round(ms / MINUTE)} min`;
  return ms >= 3 * SECOND ? `${Math.round(ms / SECOND)} s` : `${ms} ms`;
}

/** `2026-11-30 02:10:28.433Z` */
export const instantWords = (at: number): string => new Date(at).toISOString().replace('T', ' ');
