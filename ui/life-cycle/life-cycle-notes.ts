import type { Edge, LifeCycleGraph } from './life-cycle-graph.ts';

/** Moves of a state that are written in its node instead of drawn. */
export interface Note {
  /** Verbs that lead on from it. */
  readonly leads: readonly string[];
  /** Verbs that lead from many states to this one. */
  readonly comes: readonly string[];
}

/** Maximum number of lines that lead into a state by one verb. More lines would cross others. */
const MOST_LINES = 4;

/** Divides the moves into lines and notes. A move that many states share becomes a note, and so does `crossing`. */
export function notesOf(
  { states, edges }: LifeCycleGraph,
  crossing?: Edge,
): { readonly drawn: readonly Edge[]; readonly notes: ReadonlyMap<string, Note> } {
  const groups = Map.groupBy(edges, ({ to, verbs }) => JSON.stringify([to, verbs]));
  const noted = new Set([...groups.values()].filter(({ length }) => length > MOST_LINES).flat());
  if (crossing) noted.add(crossing);
  const verbsOf = (ofState: (edge: Edge) => boolean): readonly string[] => [
    ...new Set([...noted].filter(ofState).flatMap(({ verbs }) => verbs)),
  ];
  const notes = states.map(({ name }) => {
    const note = { leads: verbsOf(({ from }) => from === name), comes: verbsOf(({ to }) => to === name) };
    return [name, note] as const;
  });
  return { drawn: edges.filter((edge) => !noted.has(edge)), notes: new Map(notes.filter(([, note]) => notesIn(note).length > 0)) };
}

/** `→ block` in the target state, `block →` in the source states. */
export const notesIn = ({ leads, comes }: Note): readonly { readonly verb: string; readonly words: string }[] => [
  ...comes.map((verb) => ({ verb, words: `→ ${verb}` })),
  ...leads.map((verb) => ({ verb, words: `${verb} →` })),
];
