import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { Committed, Fence, IndexChange, Plan, PlannedEvent } from '../ports/plan.ts';
import type { Argument } from './connection.ts';
import { dueArguments, indexValue, listed, outboxEntry, word } from './formats.ts';

/** The arguments of the script `commit`: one flat list in which the length of each list precedes it. */
export function commitArguments(application: Application, plan: Plan, outboxLimit: number): readonly Argument[] {
  return [
    application,
    plan.operation,
    flag(plan.last),
    ...fenceArguments(plan.fence),
    flag(plan.events.length > 0),
    outboxLimit,
    ...listed(plan.expect, ({ collection, id, version }) => [collection, id, version]),
    ...listed(plan.put, ({ collection, id, read, version, json }) => [collection, id, read, version, json]),
    ...listed(plan.unique, (change) => changeArguments(change, (value) => value)),
    ...listed(plan.index, (change) => changeArguments(change, indexValue)),
    ...listed(plan.move, ({ counter, key, field, by }) => [counter, key, word(field), by]),
    ...listed(plan.guard, ({ counter, key, terms }) => [
      counter,
      key,
      ...listed(Object.entries(terms), ([field, weight]) => [word(field), weight]),
    ]),
    ...listed(plan.events, eventArguments),
    flag(plan.preconditionHeld === true),
    flag(plan.outcome !== undefined),
    plan.outcome?.keepUntil ?? '',
    plan.outcome?.json ?? '',
    ...listed(plan.due, (due) => dueArguments(application, due)),
  ];
}

export function readCommitted(answer: unknown, world: World): Committed {
  const [is = '', second = '', ...rest] = String(answer).split(' ');
  if (is === 'ok') return { ok: true, seq: Number(second) };
  const why = second as Extract<Committed, { ok: false }>['why'];
  return { ok: false, why, at: why === 'world' ? world : rest.join(' ') };
}

const flag = (set: boolean): Argument => (set ? 1 : 0);

function fenceArguments(fence: Fence | undefined): readonly Argument[] {
  if (!fence) return ['', '', ''];
  return [fence.kind, fence.key, fence.kind === 'delivery' ? '' : word(fence.token)];
}

const changeArguments = ({ collection, name, id, value, was }: IndexChange, of: (value: string) => string): readonly Argument[] => [
  collection,
  name,
  id,
  flag(value !== null),
  of(value ?? ''),
  flag(was !== null),
  of(was ?? ''),
];

const eventArguments = (event: PlannedEvent): readonly Argument[] => [
  event.id,
  outboxEntry(event),
  ...listed(event.subscribers, (subscriber) => [subscriber]),
];
