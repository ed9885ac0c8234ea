import type { World } from '../../domain/world.ts';
import type { Counters } from '../../store/collections.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import type { Plan } from '../../store/ports/plan.ts';

interface Move {
  readonly of: Counters;
  readonly key: string;
  readonly field: string;
  readonly by: number;
}

/** Reads and moves of counters. Reads are repeatable while others move the counters. */
export class CounterMoves {
  readonly #store: Store;
  readonly #world: World;
  #moves: Move[] = [];
  /** The values of the first reads, by counter and key. Most units read no counter. */
  #found: Map<string, Readonly<Record<string, number>>> | undefined;

  constructor(store: Store, world: World) {
    this.#store = store;
    this.#world = world;
  }

  async read<F extends string>(of: Counters<F>, keys: readonly string[]): Promise<readonly Readonly<Record<F, number>>[]> {
    this.#found ??= new Map();
    const found = this.#found;
    const missing = [...new Set(keys)].filter((key) => !found.has(pathOf(of, key)));
    const stored = missing.length === 0 ? [] : await this.#store.counters(this.#world, of.name, missing);
    for (const [position, key] of missing.entries()) {
      const path = pathOf(of, key);
      if (!found.has(path)) found.set(path, stored[position] ?? {});
    }
    return keys.map((key) => {
      const fields = {} as Record<F, number>;
      for (const field of of.fields) fields[field] = (found.get(pathOf(of, key))?.[field] ?? 0) + this.#moved(of, key, field);
      return fields;
    });
  }

  move<F extends string>(of: Counters<F>, key: string, by: Partial<Record<F, number>>): void {
    for (const [field, amount] of Object.entries<number | undefined>(by)) {
      if (amount === undefined || amount === 0) continue;
      if (!Number.isSafeInteger(amount)) throw new Error(`A counter moves by integers, not by ${amount}.`);
      this.#moves.push({ of, key, field, by: amount });
    }
  }

  planned(): Pick<Plan, 'move' | 'guard'> {
    return { move: this.#moves.map(({ of, key, field, by }) => ({ counter: of.name, key, field, by })), guard: guardsOf(this.#moves) };
  }

  hasMoves(): boolean {
    return this.#moves.length > 0;
  }

  clear(): void {
    this.#moves = [];
    this.#found = undefined;
  }

  #moved(of: Counters, key: string, field: string): number {
    let sum = 0;
    for (const move of this.#moves) if (move.of.name === of.name && move.key === key && move.field === field) sum += move.by;
    return sum;
  }
}

const pathOf = (of: Counters, key: string): string => `${of.name}/${key}`;

/** Every guard of every counter key that moved; the store checks those that a move lowers. */
function guardsOf(moves: readonly Move[]): Plan['guard'] {
  const moved = new Map(moves.map(({ of, key }) => [`${of.name}/${key}`, { of, key }]));
  return [...moved.values()].flatMap(({ of, key }) =>
    Object.values(of.guards).map((terms) => ({ counter: of.name, key, terms: terms as Record<string, 1 | -1> })),
  );
}
