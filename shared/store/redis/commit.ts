import type { Application } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { OutboxEntry } from '../ports/outbox.ts';
import { type Committed, type Fence, growsWorld, type IndexChange, type Plan } from '../ports/plan.ts';
import type { Argument } from './connection.ts';
import { type DueValue, dueValue, indexValue, outboxEntry, readEntry, type TextNumber, valueArguments, word } from './formats.ts';

interface CommitOptions {
  /** Limit of the unpublished events. Beyond it, requests are refused. */
  readonly outboxLimit: number;
  /** Limit of the world's text for this commit. */
  readonly most: number;
  /** The most events that are handed over. */
  readonly batch: number;
  /** Wall time of the relay's lease on the outbox. */
  readonly leaseMs: number;
}

/** A plan as the script `commit` reads it: the only declaration of its members for both sides. Names and tokens are words of records. */
interface CommitPlan {
  readonly application: Application;
  readonly operation: string;
  readonly last: boolean;
  /** The lease of the unit of work. Empty without one. */
  readonly fence: { readonly kind?: Fence['kind']; readonly key?: string; readonly token?: string | undefined };
  readonly outboxLimit: number;
  /** Limit of the world's text; absent when the commit adds none. */
  readonly spaceLimit: number | undefined;
  readonly expect: Plan['expect'];
  readonly put: readonly (Omit<Plan['put'][number], 'json'> & { readonly json: TextNumber })[];
  readonly unique: readonly ValueChange[];
  readonly index: readonly ValueChange[];
  readonly move: Plan['move'];
  readonly guard: readonly { readonly counter: string; readonly key: string; readonly terms: Readonly<Record<string, number>> }[];
  readonly events: readonly { readonly id: string; readonly entry: TextNumber; readonly subscribers: readonly Application[] }[];
  readonly preconditionHeld: boolean | undefined;
  readonly outcome: { readonly json: TextNumber; readonly keepUntil: Ms } | undefined;
  readonly due: readonly DueValue[];
  /** Gets the outbox with at most `batch` events, and leases it for this wall time. */
  readonly relay: { readonly token: string; readonly batch: number; readonly leaseMs: Ms } | undefined;
}

/** A change of a unique value or of an index. Absent: the object has no value, or had none. */
type ValueChange = Omit<IndexChange, 'value' | 'was'> & { readonly value: string | undefined; readonly was: string | undefined };

export function commitArguments(application: Application, plan: Plan, limits: CommitOptions): readonly Argument[] {
  return valueArguments(
    (keep): CommitPlan => ({
      application,
      operation: plan.operation,
      last: plan.last,
      fence: plan.fence ? fenceValue(plan.fence) : {},
      outboxLimit: limits.outboxLimit,
      spaceLimit: growsWorld(plan) ? limits.most : undefined,
      expect: plan.expect,
      put: plan.put.map((object) => ({ ...object, json: keep(object.json) })),
      unique: plan.unique.map((change) => valueChange(change, (value) => value)),
      index: plan.index.map((change) => valueChange(change, indexValue)),
      move: plan.move.map((move) => ({ ...move, field: word(move.field) })),
      guard: plan.guard.map((guard) => ({ ...guard, terms: wordsOf(guard.terms) })),
      events: plan.events.map((event) => ({ id: event.id, entry: keep(outboxEntry(event)), subscribers: event.subscribers })),
      preconditionHeld: plan.preconditionHeld,
      outcome: plan.outcome && { ...plan.outcome, json: keep(plan.outcome.json) },
      due: plan.due.map((item) => dueValue(application, item, keep)),
      relay: plan.relay === undefined ? undefined : { token: word(plan.relay), batch: limits.batch, leaseMs: limits.leaseMs },
    }),
  );
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

const fenceValue = (fence: Fence): CommitPlan['fence'] => ({
  kind: fence.kind,
  key: fence.key,
  token: fence.kind === 'delivery' ? undefined : word(fence.token),
});

const valueChange = ({ value, was, ...change }: IndexChange, stored: (value: string) => string): ValueChange => ({
  ...change,
  value: value === null ? undefined : stored(value),
  was: was === null ? undefined : stored(was),
});

const wordsOf = (terms: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(terms).map(([field, weight]) => [word(field), weight]));
