import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { listLifeCycles } from '../../shared/catalog/control/operations/objects.ts';
import type { Change } from '../objects/object-history.ts';

export type LifeCycle = ControlOutput<typeof listLifeCycles>['items'][number];
export type Move = LifeCycle['moves'][number];

/** All moves from one state to another. */
export interface Edge {
  /** null: the object does not exist yet. */
  readonly from: string | null;
  readonly to: string;
  readonly verbs: readonly string[];
  readonly triggers: readonly string[];
  /** How often the object went this way. */
  readonly taken: number;
}

export interface Keeping {
  readonly verb: string;
  /** The states that it keeps; empty: it never changes the state. */
  readonly only: readonly string[];
}

export interface LifeCycleGraph {
  readonly states: readonly { readonly name: string; readonly isPresent: boolean; readonly wasReached: boolean }[];
  readonly edges: readonly Edge[];
  /** Verbs that change the object and keep its state. */
  readonly keeping: readonly Keeping[];
}

/** The life cycle of a type, with the way that one object took through it. */
export function lifeCycleGraph({ states, moves }: LifeCycle, present: string | undefined, history: readonly Change[]): LifeCycleGraph {
  const changing = moves.filter(({ from, to }) => from !== to);
  const taken = new Map<string, number>();
  for (const { from, to } of history) {
    if (from === undefined || to === undefined || from === to) continue;
    taken.set(keyOf(from, to), (taken.get(keyOf(from, to)) ?? 0) + 1);
  }
  const reached = new Set([present, ...history.flatMap(({ from, to }) => [from, to])]);
  const edges = [...Map.groupBy(changing, ({ from, to }) => keyOf(from, to))].flatMap(([key, same]) => {
    const [first] = same;
    if (!first) return [];
    const { from, to } = first;
    return [
      {
        from,
        to,
        verbs: unique(same.map(({ verb }) => verb)),
        triggers: unique(same.map(({ trigger }) => trigger)),
        taken: taken.get(key) ?? 0,
      },
    ];
  });
  return {
    states: states.map((name) => ({ name, isPresent: name === present, wasReached: reached.has(name) })),
    edges,
    keeping: keepingOf(moves),
  };
}

function keepingOf(moves: readonly Move[]): readonly Keeping[] {
  const moving = new Set(moves.filter(({ from, to }) => from !== to).map(({ verb }) => verb));
  const staying = moves.filter(({ from, to }) => from === to);
  const keeping = Map.groupBy(staying, ({ verb }) => verb);
  return [...keeping].map(([verb, same]) => ({ verb, only: moving.has(verb) ? unique(same.map(({ to }) => to)) : [] }));
}

/** The verb of a change, if the life cycle leaves no doubt. */
export function verbOf({ moves }: LifeCycle, { from, to, name }: Change): string | undefined {
  const verbs = unique(moves.filter((move) => move.from === from && move.to === to && move.events.includes(name)).map(({ verb }) => verb));
  return verbs.length === 1 ? verbs[0] : undefined;
}

const keyOf = (from: string | null, to: string): string => JSON.stringify([from, to]);
const unique = (words: readonly string[]): readonly string[] => [...new Set(words)];
