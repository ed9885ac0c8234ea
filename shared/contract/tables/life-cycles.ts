import type { ObjectDefinition } from '../../catalog/define-object.ts';
import { extensionEvent } from '../../catalog/event-names.ts';
import type { LifeCycle, Row } from '../../catalog/life-cycle.ts';
import { objects } from '../../catalog/objects.ts';
import { titleOf } from './known-calls.ts';
import { code, list, mermaidId, table } from './markdown.ts';

/** Every life cycle: a Mermaid diagram of its moves, and its rows as a table. */
export function lifeCycles(): string {
  return objects
    .flatMap((object) => (object.lifeCycle && object.lifeCycle.rows.length > 0 ? [lifeCycleSection(object, object.lifeCycle)] : []))
    .join('\n\n');
}

function lifeCycleSection(object: ObjectDefinition, lifeCycle: LifeCycle): string {
  const rows = lifeCycle.rows.map((row) => [
    row.verb,
    list(row.from.map((state) => state ?? '(new)')),
    targetOf(row),
    row.again ? '–' : list((row.events.length > 0 ? row.events : [extensionEvent(object.type)]).map(code)),
    row.trigger,
  ]);
  const unreached = lifeCycle.states.filter((state) => !lifeCycle.rows.some(({ to }) => to.includes(state)));
  return [
    `## ${object.type}`,
    '',
    `${object.meaning}. Owned by the ${titleOf(object.owner)}.`,
    ...(unreached.length > 0 ? ['', `No row of this version leads to these listed states: ${unreached.join(', ')}.`] : []),
    '',
    '```mermaid',
    ...stateDiagram(lifeCycle),
    '```',
    '',
    table(['Verb', 'From', 'To', 'Event', 'Cause'], rows),
  ].join('\n');
}

function targetOf({ again, to }: Row<string, string>): string {
  if (again) return 'unchanged, nothing happens';
  return to.length === 0 ? 'unchanged' : to.join(', ');
}

function stateDiagram({ rows }: LifeCycle): string[] {
  const moves = rows
    .filter(({ again }) => !again)
    .flatMap(({ verb, from, to }) =>
      from.flatMap((state) => (to.length === 0 ? [state] : to).map((next) => ({ verb, from: state, to: next }))),
    );
  const drawn = new Set(moves.flatMap(({ from, to }) => [from, to]).filter((state) => state !== null));
  return [
    'stateDiagram-v2',
    ...[...drawn].filter((state) => state.includes('-')).map((state) => `  state "${state}" as ${mermaidId(state)}`),
    ...[...Map.groupBy(moves, ({ from, to }) => `${node(from)} --> ${node(to)}`)].map(
      ([arrow, same]) => `  ${arrow} : ${[...new Set(same.map(({ verb }) => verb))].join(', ')}`,
    ),
  ];
}

const node = (state: string | null): string => (state === null ? '[*]' : mermaidId(state));
