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

/** Sorts the items of each row so that few lines cross, or none if possible. */
export function orderWithFewCrossings(rows: Rows, lines: readonly Line[]): LineOrder {
  let best: LineOrder | undefined;
  for (let beginning = 0; beginning < BEGINNINGS && best?.crossings !== 0; beginning += 1) {
    const found = swapNeighbours(sortByNeighbours(beginningOf(rows, beginning), lines), lines);
    if (best === undefined || found.crossings < best.crossings) best = found;
  }
  return best ?? { rows, crossings: 0 };
}

/** The initial orders: each rotates the rows by a different number of places, and every second one reverses them. They never vary. */
const beginningOf = (rows: Rows, beginning: number): Rows =>
  rows.map((row, place) => {
    const turn = row.length === 0 ? 0 : (beginning * (place + 1)) % row.length;
    const turned = [...row.slice(turn), ...row.slice(0, turn)];
    return (beginning >> (place % 5)) % 2 === 1 ? turned.reverse() : turned;
  });

/** Moves each item to the middle of the items that it is joined to, row by row, down and up. */
function sortByNeighbours(rows: Rows, lines: readonly Line[]): Rows {
  const sorted = [...rows];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isDown = sweep % 2 === 0;
    const neighbours = Map.groupBy(lines, ([above, below]) => (isDown ? below : above));
    const places = placesIn(sorted);
    const middleOf = (item: string): number => {
      const joined = neighbours.get(item)?.map(([above, below]) => places.get(isDown ? above : below) ?? 0);
      return joined ? joined.reduce((sum, place) => sum + place, 0) / joined.length : (places.get(item) ?? 0);
    };
    const indexes = [...sorted.keys()];
    for (const index of isDown ? indexes : indexes.reverse()) {
      const middles = new Map(sorted[index]?.map((item) => [item, middleOf(item)]));
      const row = (sorted[index] ?? []).toSorted((one, other) => (middles.get(one) ?? 0) - (middles.get(other) ?? 0));
      sorted[index] = row;
      for (const [place, item] of row.entries()) places.set(item, place);
    }
  }
  return sorted;
}

/** Swaps neighbours in a row as long as this removes crossings. */
function swapNeighbours(rows: Rows, lines: readonly Line[]): LineOrder {
  const swapped = rows.map((row) => [...row]);
  let crossings = countCrossings(swapped, lines);
  for (let isBetter = true; isBetter; ) {
    isBetter = false;
    for (const row of swapped) {
      for (let place = 1; place < row.length; place += 1) {
        swap(row, place);
        const count = countCrossings(swapped, lines);
        if (count < crossings) {
          crossings = count;
          isBetter = true;
        } else swap(row, place);
      }
    }
  }
  return { rows: swapped, crossings };
}

/** Exchanges an item and the one before it. */
function swap(row: string[], place: number): void {
  const [before, item] = row.slice(place - 1, place + 1);
  if (before !== undefined && item !== undefined) row.splice(place - 1, 2, item, before);
}

function countCrossings(rows: Rows, lines: readonly Line[]): number {
  const places = placesIn(rows);
  const rowOf = new Map(rows.flatMap((row, index) => row.map((item) => [item, index] as const)));
  const placed = lines.map(([above, below]) => ({ row: rowOf.get(above), above: places.get(above) ?? 0, below: places.get(below) ?? 0 }));
  return placed.reduce(
    (sum, one, index) =>
      sum +
      placed.slice(index + 1).filter((other) => one.row === other.row && (one.above - other.above) * (one.below - other.below) < 0).length,
    0,
  );
}

const placesIn = (rows: Rows): Map<string, number> => new Map(rows.flatMap((row) => row.map((item, place) => [item, place] as const)));
