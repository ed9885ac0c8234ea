import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { Badge, counted, isNarrow, Scroll } from '../kit/kit.ts';
import css from './life-cycle.module.css';
import type { Edge, Keeping, LifeCycleGraph } from './life-cycle-graph.ts';
import { type Box, LINE, type LifeCycleLayout, lifeCycleLayout, type PlacedEdge, type Point } from './life-cycle-layout.ts';
import { type Note, notesIn, notesOf } from './life-cycle-notes.ts';

/** The life cycle with the present state and the moves taken: a drawing, and the same content as a list. */
export function LifeCycle({ graph, type }: { graph: LifeCycleGraph; type: string }) {
  const isTaken = graph.edges.some(({ taken }) => taken > 0);
  return (
    <>
      <Drawing graph={graph} type={type} />
      <StateList graph={graph} type={type} />
      <NotesExplained graph={graph} />
      {graph.keeping.length > 0 && <p class="in muted small">These keep the state: {graph.keeping.map(inWords).join(', ')}.</p>}
      {!isTaken && <p class="in muted small">No move of this object is on the bus: it was there when the rehearsal began.</p>}
    </>
  );
}

/** What the notes in the states mean. A list of moves has none. */
function NotesExplained({ graph }: { graph: LifeCycleGraph }) {
  const verbs = [...notesOf(graph).notes.values()].flatMap(({ comes }) => comes);
  const words = verbs.map((verb) => `“${verb} →” leads to “→ ${verb}”`).join(', ');
  return (
    verbs.length > 0 && (
      <p class="in muted small wide" aria-hidden="true">
        Moves from many states have no line: {words}.
      </p>
    )
  );
}

const inWords = ({ verb, only }: Keeping): string => (only.length > 0 ? `${verb} (in ${only.join(' and ')})` : verb);

/** Layouts that are ready, by the shape of the life cycle. */
const layouts = new Map<string, LifeCycleLayout>();
/** The page draws and reacts between two slices of the work. */
const SLICE_MS = 16;

/** @returns the layout, or undefined while it is made */
function useLayout(graph: LifeCycleGraph): LifeCycleLayout | undefined {
  const shape = JSON.stringify([graph.states.map(({ name }) => name), graph.edges.map(({ from, to, verbs }) => [from, to, verbs])]);
  const ready = useSignal(layouts.get(shape));
  useLayoutEffect(() => {
    ready.value = layouts.get(shape);
    if (ready.value) return;
    const attempts = lifeCycleLayout(graph);
    let next: ReturnType<typeof setTimeout> | undefined;
    const work = (): void => {
      const end = performance.now() + SLICE_MS;
      do {
        const { done, value } = attempts.next();
        if (!done) continue;
        layouts.set(shape, value);
        ready.value = value;
        return;
      } while (performance.now() < end);
      next = setTimeout(work);
    };
    work();
    return () => clearTimeout(next);
  }, [shape]);
  return ready.value;
}

function Drawing({ graph, type }: { graph: LifeCycleGraph; type: string }) {
  const layout = useLayout(graph);
  if (!layout) return <div class={`${css['awaited']} wide`} />;
  const { width, height, start, boxes, edges, notes } = layout;
  const takenOf = ({ edge }: PlacedEdge): boolean =>
    graph.edges.some(({ from, to, taken }) => from === edge.from && to === edge.to && taken > 0);
  // Taken moves are drawn above the others.
  const ordered = edges.toSorted((one, other) => Number(takenOf(one)) - Number(takenOf(other)));
  return (
    <Scroll class={`${css['wrap']} wide`} label={`Life cycle of a ${type}, drawn`}>
      <svg class={css['cycle']} width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {ordered.map((placed) => (
          <Arrow key={`${placed.edge.from} ${placed.edge.to}`} placed={placed} isTaken={takenOf(placed)} />
        ))}
        {start && <circle class={css['start']} cx={start.x} cy={start.y} r={6} />}
        {graph.states.map((state) => {
          const box = boxes.get(state.name);
          return box && <StateBox key={state.name} box={box} note={notes.get(state.name)} taken={takenAt(graph, state.name)} {...state} />;
        })}
        {ordered.map((placed) => (
          <Words key={`${placed.edge.from} ${placed.edge.to}`} placed={placed} isTaken={takenOf(placed)} />
        ))}
      </svg>
    </Scroll>
  );
}

/** The verbs that an object left or entered a state with. */
const takenAt = ({ edges }: LifeCycleGraph, state: string): ReadonlySet<string> =>
  new Set(edges.filter(({ from, to, taken }) => taken > 0 && (from === state || to === state)).flatMap(({ verbs }) => verbs));

interface StateBoxProps {
  readonly box: Box;
  readonly note: Note | undefined;
  readonly taken: ReadonlySet<string>;
  readonly name: string;
  readonly isPresent: boolean;
  readonly wasReached: boolean;
}

const StateBox = ({ box: { x, y, width, height }, note, taken, name, isPresent, wasReached }: StateBoxProps) => (
  <g class={css['state']} data-is={isPresent ? 'present' : wasReached ? 'reached' : undefined}>
    <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx={7} />
    <text x={x} y={note ? y - 3 : y + 4}>
      {isPresent ? `● ${name}` : name}
    </text>
    {note && (
      <text class={css['note']} x={x} y={y + LINE - 1}>
        {notesIn(note).map(({ verb, words }, place) => (
          <>
            {place > 0 && ', '}
            <tspan key={words} data-taken={taken.has(verb) ? '' : undefined}>
              {words}
            </tspan>
          </>
        ))}
      </text>
    )}
  </g>
);

function Arrow({ placed: { points }, isTaken }: { placed: PlacedEdge; isTaken: boolean }) {
  const end = points.at(-1);
  const before = points.at(-2);
  if (!end || !before) return null;
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1;
  const [ux, uy] = [(end.x - before.x) / length, (end.y - before.y) / length];
  const corner = (side: 1 | -1): string => `${end.x - ux * 8 - uy * 4 * side},${end.y - uy * 8 + ux * 4 * side}`;
  return (
    <g class={css['move']} data-taken={isTaken ? '' : undefined}>
      <path d={curve(points)} />
      <polygon points={`${end.x},${end.y} ${corner(1)} ${corner(-1)}`} />
    </g>
  );
}

/** A line whose corners are round. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const parts = rest.map((point, index) => {
    const next = rest[index + 1];
    return next ? `Q${point.x},${point.y} ${(point.x + next.x) / 2},${(point.y + next.y) / 2}` : `L${point.x},${point.y}`;
  });
  return `M${first.x},${first.y}${parts.join('')}`;
}

const Words = ({ placed: { label, lines }, isTaken }: { placed: PlacedEdge; isTaken: boolean }) => (
  <text class={css['verb']} data-taken={isTaken ? '' : undefined}>
    {lines.map((line, index) => (
      <tspan key={line} x={label.x} y={label.y + 4 + (index - (lines.length - 1) / 2) * LINE}>
        {line}
      </tspan>
    ))}
  </text>
);

const StateList = ({ graph: { states, edges }, type }: { graph: LifeCycleGraph; type: string }) => (
  <ul class={isNarrow.value ? css['states'] : 'unseen'} aria-label={`Life cycle of a ${type}`}>
    {edges.some(({ from }) => from === null) && (
      <li>
        <span class="muted">new</span>
        <Moves edges={edges} from={null} />
      </li>
    )}
    {states.map(({ name, isPresent, wasReached }) => (
      <li key={name}>
        <p class="line">
          <strong>{name}</strong>
          {isPresent ? <Badge tone="good">is here</Badge> : wasReached && <Badge>was here</Badge>}
        </p>
        <Moves edges={edges} from={name} />
      </li>
    ))}
  </ul>
);

function Moves({ edges, from }: { edges: readonly Edge[]; from: string | null }) {
  const leaving = edges.filter((edge) => edge.from === from);
  if (leaving.length === 0) return <p class="muted">No verb leads out of this state.</p>;
  return (
    <ul>
      {leaving.map(({ to, verbs, triggers, taken }) => (
        <li key={to}>
          <p class="line">
            {verbs.join(', ')} → {to}
            {taken > 0 && <Badge tone="good">{taken === 1 ? 'taken' : `taken ${counted(taken, 'time')}`}</Badge>}
          </p>
          <p class="muted">{triggers.join('; ')}</p>
        </li>
      ))}
    </ul>
  );
}
