/** Items in rows, from top to bottom, each row from left to right. */
export type Rows = readonly (readonly string[])[];
/** From an item to one of the next row. */
export type Line = readonly [above: string, below: string];

interface LineOrder {
  readonly rows: Rows;
  readonly crossings: number;
}

/** Number of initial orders. Each is improved step by step, and the best result counts. */
const BEGINNINGS = 24;
const SWEEPS = 8;

/** The items that lines join to each item, in the row above it or below it. */
type Joined = ReadonlyMap<string, readonly string[]>;
interface Lines {
  readonly above: Joined;
  readonly below: Joined;
}

/** Sorts the items of each row so that few lines cross, or none if possible. */
export function orderWithFewCrossings(rows: Rows, lines: readonly Line[]): LineOrder {
  const joined: Lines = { above: groupedBy(lines.map(([above, below]) => [below, above])), below: groupedBy(lines) };
  let best: LineOrder | undefined;
  for (let beginning = 0; beginning < BEGINNINGS && best?.crossings !== 0; beginning += 1) {
    const found = swapNeighbours(sortByNeighbours(beginningOf(rows, beginning), joined), joined);
    if (best === undefined || found.crossings < best.crossings) best = found;
  }
  return best ?? { rows, crossings: 0 };
}

function groupedBy(lines: readonly Line[]): Joined {
  const grouped = Map.groupBy(lines, ([item]) => item);
  return new Map([...grouped].map(([item, same]) => [item, same.map(([, other]) => other)]));
}

/** The initial orders: each rotates the rows by a different number of places, and every second one reverses them. They never vary. */
const beginningOf = (rows: Rows, beginning: number): Rows =>
  rows.map((row, place) => {
    const turn = row.length === 0 ? 0 : (beginning * (place + 1)) % row.length;
    const turned = [...row.slice(turn), ...row.slice(0, turn)];
    return (beginning >> (place % 5)) % 2 === 1 ? turned.reverse() : turned;
  });

/** Moves each item to the middle of the items that it is joined to, row by row, down and up. */
function sortByNeighbours(rows: Rows, joined: Lines): Rows {
  const sorted = [...rows];
  const places = placesIn(sorted);
  const indexes = [...sorted.keys()];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const neighbours = sweep % 2 === 0 ? joined.above : joined.below;
    for (const index of sweep % 2 === 0 ? indexes : indexes.toReversed()) {
      const row = sorted[index] ?? [];
      const middles = new Map(row.map((item) => [item, middleOf(placesOf(neighbours.get(item), places), places.get(item))]));
      sorted[index] = row.toSorted((one, other) => (middles.get(one) ?? 0) - (middles.get(other) ?? 0));
      for (const [place, item] of sorted[index].entries()) places.set(item, place);
    }
  }
  return sorted;
}

const middleOf = (places: readonly number[], otherwise = 0): number =>
  places.length === 0 ? otherwise : places.reduce((sum, place) => sum + place, 0) / places.length;

/** Swaps neighbours in a row as long as this removes crossings. */
function swapNeighbours(rows: Rows, { above, below }: Lines): LineOrder {
  const swapped = rows.map((row) => [...row]);
  const places = placesIn(swapped);
  /** Crossings of the lines of two items of a row, if the one is left of the other. */
  const crossingsOf = (one: string, other: string): number =>
    pairsInTurn(placesOf(above.get(one), places), placesOf(above.get(other), places)) +
    pairsInTurn(placesOf(below.get(one), places), placesOf(below.get(other), places));
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    for (const row of swapped) {
      for (let place = 1; place < row.length; place += 1) {
        const [left = '', right = ''] = row.slice(place - 1, place + 1);
        if (crossingsOf(right, left) >= crossingsOf(left, right)) continue;
        row.splice(place - 1, 2, right, left);
        places.set(right, place - 1).set(left, place);
        isBetter = true;
      }
    }
  }
  return { rows: swapped, crossings: swapped.reduce((sum, row) => sum + crossingsBelow(row, below, places), 0) };
}

/** Crossings of the lines between a row and the next one. */
const crossingsBelow = (row: readonly string[], below: Joined, places: ReadonlyMap<string, number>): number =>
  row.reduce((sum, one, index) => {
    const ends = placesOf(below.get(one), places);
    return sum + row.slice(index + 1).reduce((more, other) => more + pairsInTurn(ends, placesOf(below.get(other), places)), 0);
  }, 0);

/** Pairs of a place of the left item and a place of the right item whose lines cross. */
function pairsInTurn(left: readonly number[], right: readonly number[]): number {
  let pairs = 0;
  for (const one of left) for (const other of right) if (one > other) pairs += 1;
  return pairs;
}

const placesOf = (items: readonly string[] | undefined, places: ReadonlyMap<string, number>): readonly number[] =>
  items?.map((item) => places.get(item) ?? 0) ?? [];

const placesIn = (rows: Rows): Map<string, number> => new Map(rows.flatMap((row) => row.map((item, place) => [item, place] as const)));
