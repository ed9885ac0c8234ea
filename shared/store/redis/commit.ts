import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { OutboxEntry } from '../ports/outbox.ts';
import { type Committed, type Fence, growsWorld, type IndexChange, type Plan, type PlannedEvent } from '../ports/plan.ts';
import type { Argument } from './connection.ts';
import { dueArguments, indexValue, listed, outboxEntry, readEntry, word } from './formats.ts';

interface CommitOptions {
  /** Limit of the unpublished events. Beyond it, requests are refused. */
  readonly outboxLimit: number;
  /** Limit of the world's text for this commit. */
  readonly most: number;
  /** The most events that are handed over. */
  readonly batch: number;
  /** Wall time for which the outbox is leased with them. */
  readonly leaseMs: number;
}

/** The arguments of the script `commit`: one flat list in which the length of each list precedes it. */
export function commitArguments(
  application: Application,
  plan: Plan,
  { outboxLimit, most, batch, leaseMs }: CommitOptions,
): readonly Argument[] {
  return [
    application,
    plan.operation,
    flag(plan.last),
    ...fenceArguments(plan.fence),
    flag(plan.events.length > 0),
    outboxLimit,
    growsWorld(plan) ? most : '',
    plan.relay === undefined ? '' : word(plan.relay),
    leaseMs,
    batch,
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

/** @param answer the result, or a list: the result, the revision of the faults, and the ids of a batch with the entries of earlier commits */
export function readCommitted(answer: unknown, { events }: Plan, world: World): Committed {
  const [result = '', faults, ...batch] = (Array.isArray(answer) ? answer : [answer]) as readonly string[];
  const [is = '', second = '', ...rest] = result.split(' ');
  if (is === 'ok' && faults === undefined) return { ok: true, seq: Number(second) };
  if (is === 'ok') return { ok: true, seq: Number(second), batch: { entries: handedOver(batch, events), faults: Number(faults) } };
  const why = second as Extract<Committed, { ok: false }>['why'];
  return { ok: false, why, at: why === 'world' ? world : rest.join(' ') };
}

function handedOver(batch: readonly string[], events: Plan['events']): readonly OutboxEntry[] {
  const own = new Map(events.map(({ subscribers: _subscribers, ...entry }) => [entry.id, entry]));
  return Array.from({ length: batch.length / 2 }, (_, n) => own.get(batch[2 * n] ?? '') ?? readEntry(batch[2 * n + 1] ?? ''));
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
