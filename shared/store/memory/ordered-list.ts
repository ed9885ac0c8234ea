/** An element with a position by creation. */
export interface Ordered {
  readonly order: number;
}

/**
 * Elements in ascending order, each order once. New elements nearly always come last; positions are found by binary search. It is a class because
 * a world has many thousands of lists, most of them with one element: a closure for each method would need more memory than the element.
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

  /** Inserts an element. It replaces an element of the same order. */
  put(thing: T): void {
    const things = this.#things;
    const place = this.#upTo(thing.order);
    // An empty array allocates room for 17 elements at the first push.
    if (things.length === 0) this.#things = [thing];
    else if (things[place - 1]?.order === thing.order) things[place - 1] = thing;
    else if (place === things.length) things.push(thing);
    else things.splice(place, 0, thing);
  }

  remove(order: number): void {
    const place = this.#upTo(order) - 1;
    if (this.#things[place]?.order !== order) return;
    // Most removed elements are among the oldest. A shift moves no other element.
    if (place > this.#things.length / 2) this.#things.splice(place, 1);
    else {
      for (let at = place; at > 0; at--) this.#things[at] = this.#things[at - 1] as T;
      this.#things.shift();
    }
  }

  /** Elements after this order, ascending. */
  after(order: number, limit: number): T[] {
    const place = this.#upTo(order);
    return this.#things.slice(place, place + limit);
  }

  /** Elements before this order, newest first; 0 stands for the end of the list. */
  before(order: number, limit: number): T[] {
    const end = order > 0 ? this.#upTo(order - 1) : this.#things.length;
    return this.#things.slice(Math.max(0, end - limit), end).reverse();
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#things[Symbol.iterator]();
  }

  /** Counts the elements with an order up to this one. */
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
