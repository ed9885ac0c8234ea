import type { World } from '../../domain/world.ts';
import type { Counters } from '../../store/collections.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import type { Plan } from '../../store/ports/plan.ts';
import type { UnitOfWork } from '../unit-of-work.ts';

interface Move {
  readonly of: Counters;
  readonly key: string;
  readonly field: string;
  readonly by: number;
}

/** Reads and moves of counters. */
export function createCounters({ store, world }: { readonly store: Store; readonly world: World }) {
  let moves: Move[] = [];
  /** As first read, by counter and key: reads are repeatable while others move the counters. */
  const found = new Map<string, Readonly<Record<string, number>>>();
  const pathOf = (of: Counters, key: string): string => `${of.name}/${key}`;

  async function read(of: Counters, keys: readonly string[]): Promise<void> {
    const missing = [...new Set(keys)].filter((key) => !found.has(pathOf(of, key)));
    if (missing.length === 0) return;
    const stored = await store.counters(world, of.name, missing);
    for (const [position, key] of missing.entries()) {
      const path = pathOf(of, key);
      if (!found.has(path)) found.set(path, stored[position] ?? {});
    }
  }

  const moved = (of: Counters, key: string, field: string): number =>
    moves.filter((move) => move.of.name === of.name && move.key === key && move.field === field).reduce((sum, { by }) => sum + by, 0);

  const api: Pick<UnitOfWork, 'counters' | 'move'> = {
    async counters<F extends string>(of: Counters<F>, keys: readonly string[]) {
      await read(of, keys);
      return keys.map((key) => {
        const fields = {} as Record<F, number>;
        for (const field of of.fields) fields[field] = (found.get(pathOf(of, key))?.[field] ?? 0) + moved(of, key, field);
        return fields;
      });
    },
    move(of, key, by) {
      for (const [field, amount] of Object.entries<number | undefined>(by)) {
        if (amount === undefined || amount === 0) continue;
        if (!Number.isSafeInteger(amount)) throw new Error(`A counter moves by integers, not by ${amount}.`);
        moves.push({ of, key, field, by: amount });
      }
    },
  };

  return {
    api,
    planned: (): Pick<Plan, 'move' | 'guard'> => ({
      move: moves.map(({ of, key, field, by }) => ({ counter: of.name, key, field, by })),
      guard: guardsOf(moves),
    }),
    hasMoves: (): boolean => moves.length > 0,
    clear(): void {
      moves = [];
      found.clear();
    },
  };
}

export type MovedCounters = ReturnType<typeof createCounters>;

/** Every guard of every counter key that moved; the store checks those that a move lowers. */
function guardsOf(moves: readonly Move[]): Plan['guard'] {
  const moved = new Map(moves.map(({ of, key }) => [`${of.name}/${key}`, { of, key }]));
  return [...moved.values()].flatMap(({ of, key }) =>
    Object.values(of.guards).map((terms) => ({ counter: of.name, key, terms: terms as Record<string, 1 | -1> })),
  );
}
