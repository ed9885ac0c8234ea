/** Called often within a long computation. @returns undefined to continue; otherwise the computation waits */
export type Breathe = () => Promise<void> | undefined;

/** Runs a computation without interruption. */
export const inOneSlice: Breathe = () => undefined;

/** The results of a function for each item, with pauses in between. */
export async function eachBreathing<T, R>(items: Iterable<T>, breathe: Breathe, make: (item: T) => R): Promise<R[]> {
  const made: R[] = [];
  for (const item of items) {
    const waiting = breathe();
    if (waiting) await waiting;
    made.push(make(item));
  }
  return made;
}

/** The items of a list, with pauses in between. */
export async function* breathing<T>(items: Iterable<T>, breathe: Breathe): AsyncGenerator<T, void> {
  for (const item of items) {
    const waiting = breathe();
    if (waiting) await waiting;
    yield item;
  }
}

/** A computation that can pause after each of its steps. */
export type Steps<R> = Generator<void, R, void>;

/** The result of all steps, without a pause. */
export function inOneTurn<R>(steps: Steps<R>): R {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The result of all steps, with pauses in between. */
export async function stepsBreathing<R>(steps: Steps<R>, breathe: Breathe): Promise<R> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    const waiting = breathe();
    if (waiting) await waiting;
  }
}

/** Items that are sorted together without a pause. */
const SORTED_TOGETHER = 500;

/** The items in the sequence of a comparison, with pauses in between. Equal items keep their sequence. */
export async function sortedBreathing<T>(items: readonly T[], compare: (one: T, other: T) => number, breathe: Breathe): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += SORTED_TOGETHER) {
    await breathe();
    runs.push(items.slice(at, at + SORTED_TOGETHER).sort(compare));
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      longer.push(await stepsBreathing(merged(runs[at] ?? [], runs[at + 1] ?? [], compare), breathe));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merged<T>(first: readonly T[], second: readonly T[], compare: (one: T, other: T) => number): Steps<T[]> {
  const all: T[] = [];
  let taken = 0;
  for (const item of first) {
    for (let next = second[taken]; next !== undefined && compare(next, item) < 0; next = second[taken]) {
      all.push(next);
      taken += 1;
      yield;
    }
    all.push(item);
    yield;
  }
  for (; taken < second.length; taken++) {
    all.push(second[taken] as T);
    yield;
  }
  return all;
}
