import type { Application, Owner } from '../../catalog/applications.ts';
import { randomToken } from '../../domain/ids.ts';
import { deliveryKey } from '../ports/outbox.ts';
import {
  CLAIM_BYTES,
  CLAIM_KEPT_MS,
  CLAIMS_FORGOTTEN,
  type Claim,
  type Committed,
  growsWorld,
  OPERATION_KEPT_MS,
  type Plan,
  ROOM_FOR_STARTED_WORK,
} from '../ports/plan.ts';
import { schedule } from './schedule.ts';
import {
  type ApplicationState,
  applicationState,
  type ClaimRecord,
  enterIndex,
  getOr,
  leaveIndex,
  nowOf,
  OPERATIONS_LIMIT,
  type Operations,
  putObject,
  type WorldState,
} from './state.ts';

interface CommitLimits {
  readonly outboxLimit: number;
  readonly worldBytes: number;
  readonly remembered: (operations: Operations) => void;
}

/** Executes a plan in one synchronous step: every check first, then every write. A refused plan changes nothing. */
export function commit(
  world: WorldState,
  application: Owner,
  plan: Plan,
  { outboxLimit, worldBytes, remembered }: CommitLimits,
): Committed {
  const state = applicationState(world, application);
  const before = state.operations.get(plan.operation);
  if (before !== undefined) return { ok: true, seq: before.seq };
  const refused =
    checkFence(world, state, plan) ??
    checkOutbox(state, plan, outboxLimit) ??
    checkSpace(world, plan, worldBytes) ??
    checkVersions(state, plan) ??
    checkUniques(state, plan);
  if (refused) {
    if (refused.ok === false && refused.why === 'held' && plan.fence?.kind === 'due') world.due.endRun(plan.fence.token);
    return refused;
  }
  const moved = movedCounters(state, plan);
  const broken = checkGuards(state, plan, moved);
  if (broken) return broken;

  const seq = ++world.seq;
  writeObjects(world, state, plan);
  if (plan.changesReference) world.reference = plan.operation;
  for (const [path, value] of moved) {
    const [counter, key, field] = path.split('\u0000') as [string, string, string];
    const keys = getOr(state.counters, counter, () => new Map());
    getOr(keys, key, () => new Map()).set(field, value);
  }
  for (const event of plan.events) {
    const { subscribers, ...entry } = event;
    if (!state.outbox.has(entry.id)) {
      state.outbox.set(entry.id, entry);
      world.unsent?.set(entry.id, application);
    }
    world.bytes += entry.json.length;
    for (const subscriber of subscribers) world.pending.add(deliveryKey(subscriber, event.id));
  }
  noteCommit(state, plan);
  const awaited = plan.last ? awaitedBefore(world, plan) : undefined;
  endFence(world, state, plan);
  for (const due of plan.due) schedule(world, application, due);
  if (awaited !== undefined && !plan.due.some(({ awaits }) => awaits === awaited)) world.due.wake(awaited, nowOf(world));
  remember(state.operations, plan.operation, seq);
  remembered(state.operations);
  return { ok: true, seq };
}

const refuse = (why: 'version' | 'unique' | 'guard' | 'held' | 'full' | 'space', at: string): Committed => ({ ok: false, why, at });

function checkFence(world: WorldState, state: ApplicationState, plan: Plan): Committed | undefined {
  const { fence } = plan;
  if (!fence) return undefined;
  const isHeld =
    fence.kind === 'claim'
      ? state.claims.get(fence.key)?.token === fence.token
      : fence.kind === 'delivery'
        ? world.pending.has(fence.key)
        : world.due.get(fence.key)?.lease?.token === fence.token;
  return isHeld ? undefined : refuse('held', fence.key);
}

/** Only requests are refused: their callers can retry. Deliveries and due work finish started work and have no caller. */
function checkOutbox(state: ApplicationState, { events, fence }: Plan, limit: number): Committed | undefined {
  const isRequest = fence === undefined || fence.kind === 'claim';
  return isRequest && events.length > 0 && state.outbox.size >= limit ? refuse('full', String(state.outbox.size)) : undefined;
}

function checkSpace({ bytes }: WorldState, plan: Plan, limit: number): Committed | undefined {
  return bytes > limit * ROOM_FOR_STARTED_WORK && growsWorld(plan) ? refuse('space', String(bytes)) : undefined;
}

function checkVersions(state: ApplicationState, plan: Plan): Committed | undefined {
  const expected = [...plan.expect, ...plan.put.map(({ collection, id, read }) => ({ collection, id, version: read }))];
  for (const { collection, id, version } of expected) {
    if ((state.objects.get(collection)?.get(id)?.version ?? 0) !== version) return refuse('version', `${collection}/${id}`);
  }
  return undefined;
}

function checkUniques(state: ApplicationState, plan: Plan): Committed | undefined {
  for (const { collection, name, id, value } of plan.unique) {
    if (value === null) continue;
    const owner = state.unique.get(`${collection}.${name}`)?.get(value);
    if (owner !== undefined && owner !== id) return refuse('unique', `${collection}.${name}`);
  }
  return undefined;
}

/** The values that the moved fields would have, by counter, key and field. */
function movedCounters(state: ApplicationState, plan: Plan): Map<string, number> {
  const moved = new Map<string, number>();
  for (const { counter, key, field, by } of plan.move) {
    const path = `${counter}\u0000${key}\u0000${field}`;
    moved.set(path, (moved.get(path) ?? state.counters.get(counter)?.get(key)?.get(field) ?? 0) + by);
  }
  return moved;
}

function checkGuards(state: ApplicationState, plan: Plan, moved: Map<string, number>): Committed | undefined {
  for (const { counter, key, terms } of plan.guard) {
    let before = 0;
    let after = 0;
    for (const [field, weight] of Object.entries(terms)) {
      const stored = state.counters.get(counter)?.get(key)?.get(field) ?? 0;
      before += weight * stored;
      after += weight * (moved.get(`${counter}\u0000${key}\u0000${field}`) ?? stored);
    }
    if (after < 0 && after < before) return refuse('guard', `${counter}/${key}`);
  }
  return undefined;
}

function writeObjects(world: WorldState, state: ApplicationState, plan: Plan): void {
  for (const { collection, id, version, json } of plan.put) {
    const before = state.objects.get(collection)?.get(id);
    putObject(state, collection, { id, version, json, order: before?.order ?? ++world.order });
    world.bytes += json.length - (before?.json.length ?? 0);
  }
  for (const { collection, name, id, value, was } of plan.unique) {
    const values = getOr(state.unique, `${collection}.${name}`, () => new Map());
    if (was !== null && values.get(was) === id) values.delete(was);
    if (value !== null) values.set(value, id);
  }
  for (const { collection, name, id, value, was } of plan.index) {
    const order = state.objects.get(collection)?.get(id)?.order ?? 0;
    if (was !== null) leaveIndex(state, `${collection}.${name}`, { value: was, order });
    if (value !== null) enterIndex(state, `${collection}.${name}`, { value, id, order });
  }
}

function noteCommit(state: ApplicationState, { fence, preconditionHeld }: Plan): void {
  const claim = fence?.kind === 'claim' ? state.claims.get(fence.key) : undefined;
  if (!claim) return;
  claim.committed = true;
  if (preconditionHeld) claim.preconditionHeld = true;
}

/** The application that the due work of a plan awaited before its run. */
export const awaitedBefore = ({ due }: WorldState, { fence }: Plan): Application | undefined =>
  fence?.kind === 'due' ? due.get(fence.key)?.item.awaits : undefined;

function endFence(world: WorldState, state: ApplicationState, plan: Plan): void {
  const { fence } = plan;
  if (!fence || !plan.last) return;
  if (fence.kind === 'delivery') world.pending.delete(fence.key);
  else if (fence.kind === 'due') {
    world.due.remove(fence.key);
    world.due.endRun(fence.token);
  } else {
    const claim = state.claims.get(fence.key);
    if (!claim) return;
    claim.token = undefined;
    claim.done = plan.outcome;
    world.bytes += bytesOfClaim(claim);
  }
}

function remember(operations: Operations, operation: string, seq: number): void {
  const at = Date.now();
  operations.set(operation, { seq, at });
  for (const [oldest, known] of operations) {
    if (operations.size <= OPERATIONS_LIMIT && known.at > at - OPERATION_KEPT_MS) return;
    operations.delete(oldest);
  }
}

/** Sorted by expiry: both clocks only move forward, and every claim is kept equally long. */
type Claims = Map<string, ClaimRecord>;

/** The size of an ended claim. Unfinished claims do not count. */
export const bytesOfClaim = ({ done }: ClaimRecord): number => CLAIM_BYTES + (done?.json.length ?? 0);

export function claim(world: WorldState, claims: Claims, key: string, ask: { fingerprint: string; now: number; leaseMs: number }): Claim {
  const found = claims.get(key);
  if (found?.done && (ask.now < found.done.keepUntil || isRecent(found))) {
    return found.fingerprint === ask.fingerprint ? { is: 'done', json: found.done.json } : { is: 'other-body' };
  }
  if (found && isHeld(found)) {
    return found.fingerprint === ask.fingerprint ? { is: 'running', leftMs: found.leaseUntil - Date.now() } : { is: 'other-body' };
  }
  // Only a repeat of the earlier request may finish what it committed, so the key stays with its content.
  if (found?.committed && !found.done && found.fingerprint !== ask.fingerprint) return { is: 'other-body' };
  // A released or abandoned claim of the same request keeps its first instant, so that the request creates the same ids.
  const before = found && !found.done && found.fingerprint === ask.fingerprint ? found : undefined;
  const { since, preconditionHeld, committed } = before ?? { since: ask.now, preconditionHeld: false, committed: false };
  if (found && found.token === undefined) world.bytes -= bytesOfClaim(found);
  const token = randomToken();
  const leaseUntil = Date.now() + ask.leaseMs;
  if (!before) claims.delete(key);
  claims.set(key, { fingerprint: ask.fingerprint, since, preconditionHeld, committed, token, leaseUntil, done: undefined });
  return { is: 'ours', token, since, preconditionHeld };
}

export const isHeld = ({ token, leaseUntil }: ClaimRecord): boolean => token !== undefined && Date.now() < leaseUntil;

/** Whether a request made the claim within a day of wall time. */
const isRecent = ({ leaseUntil }: ClaimRecord): boolean => Date.now() < leaseUntil + CLAIM_KEPT_MS;

/** Drops outdated claims, a limited number at a time. */
export function forgetClaims(world: WorldState, claims: Claims, now: number): void {
  let looked = 0;
  for (const [key, record] of claims) {
    const until = record.done?.keepUntil ?? record.since + CLAIM_KEPT_MS;
    if (now < until || isRecent(record) || looked++ === CLAIMS_FORGOTTEN) return;
    claims.delete(key);
    if (record.token === undefined) world.bytes -= bytesOfClaim(record);
  }
}
