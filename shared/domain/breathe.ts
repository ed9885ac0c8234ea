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
