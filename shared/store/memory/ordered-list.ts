/** A thing with a place in the order of creation. */
export interface Ordered {
  readonly order: number;
}

/** Things in ascending order, each order once. New things nearly always come last; places are found by binary search. */
export function createOrderedList<T extends Ordered>(things: readonly T[] = []) {
  const list: T[] = [...things];

  /** Counts the things with an order up to this one. */
  function upTo(order: number): number {
    const last = list[list.length - 1];
    if (!last || last.order <= order) return list.length;
    let [low, high] = [0, list.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[middle]?.order ?? 0) <= order) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    get size(): number {
      return list.length;
    },
    get last(): T | undefined {
      return list[list.length - 1];
    },
    /** Inserts a thing; it replaces one of the same order. */
    put(thing: T): void {
      const place = upTo(thing.order);
      if (list[place - 1]?.order === thing.order) list[place - 1] = thing;
      else if (place === list.length) list.push(thing);
      else list.splice(place, 0, thing);
    },
    remove(order: number): void {
      const place = upTo(order) - 1;
      if (list[place]?.order === order) list.splice(place, 1);
    },
    /** Things after this order, ascending. */
    after(order: number, limit: number): T[] {
      const place = upTo(order);
      return list.slice(place, place + limit);
    },
    /** Things before this order, newest first; 0 = the end of the list. */
    before(order: number, limit: number): T[] {
      const end = order > 0 ? upTo(order - 1) : list.length;
      return list.slice(Math.max(0, end - limit), end).reverse();
    },
    [Symbol.iterator]: () => list[Symbol.iterator](),
  };
}

export type OrderedList<T extends Ordered> = ReturnType<typeof createOrderedList<T>>;
