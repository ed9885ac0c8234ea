/** What has a place in an order: numbers that only grow as things are made. */
export interface Ordered {
  readonly order: number;
}

/**
 * Things in ascending order, each order once. New ones come last nearly always; to find a place takes as many looks as the number of
 * things has binary digits.
 */
export function createOrderedList<T extends Ordered>(things: readonly T[] = []) {
  const list: T[] = [...things];

  /** How many have an order up to this one. */
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
    /** Enters it, in the place of what had its order before. */
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
    /** So many that come after this order, in ascending order. */
    after(order: number, limit: number): T[] {
      const place = upTo(order);
      return list.slice(place, place + limit);
    },
    /** So many that come before this order, the newest first; 0 stands for the end of the list. */
    before(order: number, limit: number): T[] {
      const end = order > 0 ? upTo(order - 1) : list.length;
      return list.slice(Math.max(0, end - limit), end).reverse();
    },
    [Symbol.iterator]: () => list[Symbol.iterator](),
  };
}

export type OrderedList<T extends Ordered> = ReturnType<typeof createOrderedList<T>>;
