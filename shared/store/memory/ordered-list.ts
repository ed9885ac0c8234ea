/** A thing with a position by creation. */
export interface Ordered {
  readonly order: number;
}

/**
 * Things in ascending order, each order once. New things nearly always come last; places are found by binary search. It is a class because
 * a world has many thousands of them, and most hold one thing: a closure for each method would take more memory than the thing.
 */
export class OrderedList<T extends Ordered> {
  #things: T[];

  constructor(things: readonly T[] = []) {
    this.#things = [...things];
  }

  get size(): number {
    return this.#things.length;
  }

  get last(): T | undefined {
    return this.#things.at(-1);
  }

  /** Inserts a thing; it replaces one of the same order. */
  put(thing: T): void {
    const things = this.#things;
    const place = this.#upTo(thing.order);
    // An empty array makes room for 17 things at the first push.
    if (things.length === 0) this.#things = [thing];
    else if (things[place - 1]?.order === thing.order) things[place - 1] = thing;
    else if (place === things.length) things.push(thing);
    else things.splice(place, 0, thing);
  }

  remove(order: number): void {
    const place = this.#upTo(order) - 1;
    if (this.#things[place]?.order === order) this.#things.splice(place, 1);
  }

  /** Things after this order, ascending. */
  after(order: number, limit: number): T[] {
    const place = this.#upTo(order);
    return this.#things.slice(place, place + limit);
  }

  /** Things before this order, newest first; 0 = the end of the list. */
  before(order: number, limit: number): T[] {
    const end = order > 0 ? this.#upTo(order - 1) : this.#things.length;
    return this.#things.slice(Math.max(0, end - limit), end).reverse();
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#things[Symbol.iterator]();
  }

  /** Counts the things with an order up to this one. */
  #upTo(order: number): number {
    const things = this.#things;
    const last = things.at(-1);
    if (!last || last.order <= order) return things.length;
    let [low, high] = [0, things.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((things[middle]?.order ?? 0) <= order) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
