import type { Application, Owner } from '../../catalog/applications.ts';
import { randomToken } from '../../domain/ids.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import { dueKey } from '../ports/due-work.ts';
import type { Store } from '../ports/estate-store.ts';
import { BATCH_SIZE, type Batch, deliveryAgain, HAND_OVER_MS, type OutboxEntry } from '../ports/outbox.ts';
import { type Claim, type Committed, type Fence, growsWorld, type IndexChange, type Plan, ROOM_FOR_STARTED_WORK } from '../ports/plan.ts';
import type { RedisAnnouncements } from './announcements.ts';
import { type Argument, type RedisAccess, runInWorld } from './connection.ts';
import {
  type DueValue,
  dueValue,
  indexValue,
  outboxEntry,
  parkedError,
  readDue,
  readEntry,
  type TextNumber,
  valueArguments,
  word,
} from './formats.ts';
import { outboxBacklog } from './ledger.ts';
import { createRedisObjects } from './objects.ts';

interface ApplicationStoreOptions extends RedisAccess {
  readonly announcements: RedisAnnouncements;
  /** Wall time. */
  readonly relayLeaseMs: number;
  readonly outboxLimit: number;
  readonly worldBytes: number;
}

export function createApplicationStore(application: Owner, options: ApplicationStoreOptions): Store {
  const { connection, keys, announcements, relayLeaseMs, outboxLimit, worldBytes } = options;
  const run = runInWorld(options);
  const limits = {
    outboxLimit,
    most: worldBytes * ROOM_FOR_STARTED_WORK,
    batch: BATCH_SIZE,
    leaseMs: Math.min(relayLeaseMs, HAND_OVER_MS),
  };
  return {
    application,
    ...createRedisObjects(application, options),
    claim: async (world, { key, fingerprint, now, leaseMs }) => {
      // Every attempt has the same token, so a claim by an attempt whose reply was lost belongs to this request.
      const token = randomToken();
      return readClaim(await run('claim', world, application, key, word(fingerprint), now, leaseMs, token), token);
    },
    release: async (world, key, token) => {
      await run('release', world, application, key, word(token));
    },
    due: async (world, { kind, key, token }) => {
      const record = (await run('due', world, dueKey(application, kind, key), word(token))) as string | null;
      return record === null ? undefined : readDue(record);
    },
    releaseDue: async (world, { kind, key, token }) => {
      await run('releaseDue', world, dueKey(application, kind, key), word(token));
    },
    withheld: async (world, fault) => ((await run('withheld', world, application, word(fault))) as string[]).map(readDue),
    commit: async (world, plan) => {
      if (plan.events.length > 0) await announcements.announce(application, world);
      return readCommitted(await run('commit', world, ...commitArguments(application, plan, limits)), plan, world);
    },
    drain: async (world, { token, sent = [], withheld = [], isStopping = false }) => {
      const progress = valueArguments(
        (keep): DrainProgress => ({
          sent: sent.map((one) => (typeof one === 'string' ? { id: one } : { id: one.id, entry: keep(outboxEntry(one)) })),
          withheld: withheld.map(({ id, due }) => ({ id, due: dueValue(application, due, keep) })),
        }),
      );
      const limit = isStopping ? 0 : BATCH_SIZE;
      const operation = sent.some((one) => typeof one !== 'string') ? randomToken() : '';
      return readBatch(await run('drain', world, application, operation, word(token), relayLeaseMs, limit, ...progress));
    },
    unsent: () => announcements.unsent(application),
    outbox: () => outboxBacklog(application, options),
    isPending: async (world, delivery) =>
      (await connection.idempotently((client) => client.zscore(`${keys.world(world)}:pending`, delivery))) !== null,
    park: async (world, delivery, error) => {
      await run('parkDelivery', world, delivery, parkedError(error));
    },
    postpone: async (world, delivery, { event, at, awaits }) => {
      const due = { ...deliveryAgain(delivery, event), at, awaits, attempts: 1 };
      await run('postponeDelivery', world, delivery, ...valueArguments((keep) => dueValue(due.application, due, keep)));
    },
  };
}

/** The progress of a relay as the script `drain` reads it. */
interface DrainProgress {
  /** `entry`: a fault withheld the event, so that the outbox does not have it. */
  readonly sent: readonly { readonly id: string; readonly entry?: TextNumber }[];
  readonly withheld: readonly { readonly id: string; readonly due: DueValue }[];
}

function readBatch(reply: unknown): Batch | undefined {
  const [faults, entries] = reply as readonly [faults?: string, entries?: readonly string[]];
  return entries && { entries: entries.map(readEntry), faults: Number(faults) };
}

function readClaim(reply: unknown, token: string): Claim {
  const [is, first = '', second = ''] = reply as readonly string[];
  if (is === 'done') return { is, json: first };
  if (is === 'running') return { is, leftMs: Number(first) };
  if (is === 'other-body') return { is };
  return { is: 'ours', token, since: Number(first), preconditionHeld: second === '1' };
}

interface CommitOptions {
  /** Limit of the unpublished events. Beyond it, requests are refused. */
  readonly outboxLimit: number;
  /** Limit of the world's text for this commit. */
  readonly most: number;
  /** Maximum number of events that are handed over. */
  readonly batch: number;
  /** Wall time of the relay's lease on the outbox. */
  readonly leaseMs: number;
}

/** A plan as the script `commit` reads it: the only declaration of its members for both sides. Names and tokens are words of records. */
interface CommitPlan {
  readonly application: Owner;
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
  readonly changesReference: boolean | undefined;
  readonly preconditionHeld: boolean | undefined;
  readonly outcome: { readonly json: TextNumber; readonly keepUntil: Ms } | undefined;
  readonly due: readonly DueValue[];
  /** Gets the outbox with at most `batch` events, and leases it for this wall time, unless it `holds` events of its lease. */
  readonly relay:
    | { readonly token: string; readonly batch: number; readonly leaseMs: Ms; readonly holds: readonly string[] | undefined }
    | undefined;
}

/** A change of a unique value or of an index. Absent: the object has no value, or had none. */
type ValueChange = Omit<IndexChange, 'value' | 'was'> & { readonly value: string | undefined; readonly was: string | undefined };

function commitArguments(application: Owner, plan: Plan, limits: CommitOptions): readonly Argument[] {
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
      changesReference: plan.changesReference,
      preconditionHeld: plan.preconditionHeld,
      outcome: plan.outcome && { ...plan.outcome, json: keep(plan.outcome.json) },
      due: plan.due.map((item) => dueValue(application, item, keep)),
      relay: plan.relay && {
        token: word(plan.relay.token),
        batch: limits.batch,
        leaseMs: limits.leaseMs,
        holds: plan.relay.holds?.map(({ id }) => id),
      },
    }),
  );
}

/** @param answer the result, or a list: the result, the revision of the faults, and the ids of a batch with the entries that this process lacks */
function readCommitted(answer: unknown, { events, relay }: Plan, world: World): Committed {
  const [result = '', faults, ...batch] = (Array.isArray(answer) ? answer : [answer]) as readonly string[];
  const [is = '', second = '', ...rest] = result.split(' ');
  if (is === 'ok' && faults === undefined) return { ok: true, seq: Number(second) };
  if (is === 'ok') return { ok: true, seq: Number(second), batch: { entries: handedOver(batch, events, relay), faults: Number(faults) } };
  const why = second as Extract<Committed, { ok: false }>['why'];
  return { ok: false, why, at: why === 'world' ? world : rest.join(' ') };
}

function handedOver(batch: readonly string[], events: Plan['events'], relay: Plan['relay']): readonly OutboxEntry[] {
  const planned = events.map(({ subscribers: _subscribers, ...entry }) => entry);
  const own = new Map<string, OutboxEntry>([...(relay?.holds ?? []), ...planned].map((entry) => [entry.id, entry]));
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
