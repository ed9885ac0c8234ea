import { applicationNames } from '../../catalog/applications.ts';
import { BACKOFF_MS, DELIVER_AGAIN, type DueItem, dueKey, PUBLISH_WITHHELD_EVENT } from '../ports/due-work.ts';
import type { EventWork, Ledger, LedgerStore, Redriven } from '../ports/ledger.ts';
import { deliveryAgain, deliveryKey, type OutboxEntry } from '../ports/outbox.ts';
import { lowest } from './clock.ts';
import type { MemoryEstate } from './estate.ts';
import { dueItem, firstOf, nowOf, type WorldState, withheldItems } from './state.ts';

export function createMemoryLedger({ need, changed }: MemoryEstate): LedgerStore {
  return {
    ledger: async (world, limit = Number.POSITIVE_INFINITY) => ledgerOf(need(world), limit),
    scheduled: async (world, names) => {
      const { due } = need(world);
      return names.flatMap((name) => due.get(name)?.item ?? []).map(dueItem);
    },
    eventWork: async (world, eventId) => eventWorkOf(need(world), eventId),
    redrive: async (world, again) => {
      const state = need(world);
      const driven = again.filter((one) => redrive(state, one));
      if (driven.length > 0) changed(world);
      return driven;
    },
  };
}

function ledgerOf(state: WorldState, limit: number): Ledger {
  const withheld = withheldItems(state);
  const running = state.due.running(Date.now());
  const pending = pendingOf(state, withheld, limit);
  return {
    unsent: firstOf(unsentOf(state), limit),
    pending: pending.first,
    running: running.slice(0, limit),
    parked: firstOf(state.parked.values(), limit).map(({ shown }) => shown),
    withheld: withheld.slice(0, limit),
    awaiting: state.due.awaiting().slice(0, limit).map(dueItem),
    counts: {
      unsent: [...state.applications.values()].reduce((sum, { outbox }) => sum + outbox.size, 0),
      pending: pending.count,
      running: running.length,
      parked: state.parked.size,
      withheld: withheld.length,
    },
    next: lowest(state, Number.POSITIVE_INFINITY),
  };
}

/** Pending deliveries, except withheld and postponed ones. Only the exceptions are looked up: the others may be many. */
function pendingOf(state: WorldState, withheld: readonly DueItem[], limit: number): { readonly first: string[]; readonly count: number } {
  const away = new Set<string>();
  for (const { application, kind, key } of state.due.awaiting()) {
    const delivery = deliveryKey(application, key);
    if (kind === DELIVER_AGAIN && state.pending.has(delivery)) away.add(delivery);
  }
  for (const { kind, key } of withheld) {
    if (kind !== PUBLISH_WITHHELD_EVENT) continue;
    for (const application of applicationNames) {
      const delivery = deliveryKey(application, key);
      if (state.pending.has(delivery)) away.add(delivery);
    }
  }
  const found = firstOf(state.pending, limit + away.size).filter((delivery) => !away.has(delivery));
  return { first: found.slice(0, limit), count: state.pending.size - away.size };
}

function eventWorkOf({ applications, due, pending, parked }: WorldState, id: string): EventWork {
  const withheld = applicationNames.flatMap((name) => due.get(dueKey(name, PUBLISH_WITHHELD_EVENT, id))?.item ?? [])[0];
  const unsent = [...applications.values()].flatMap(({ outbox }) => outbox.get(id) ?? [])[0];
  return {
    entry: unsent ?? (withheld && (JSON.parse(withheld.payload) as OutboxEntry)),
    withheldBy: withheld?.withheldBy,
    pending: applicationNames.filter((name) => pending.has(deliveryKey(name, id))),
    parked: applicationNames.flatMap((application) => {
      const found = parked.get(`delivery|${deliveryKey(application, id)}`);
      return found ? [{ application, error: found.shown.error }] : [];
    }),
  };
}

function* unsentOf(state: WorldState): Generator<string> {
  for (const [application, { outbox }] of state.applications) for (const id of outbox.keys()) yield `${application}|${id}`;
}

/** @returns whether the work was parked */
function redrive(state: WorldState, again: Redriven): boolean {
  const { what, key } = again;
  const found = state.parked.get(`${what}|${key}`);
  if (!found) return false;
  state.parked.delete(`${what}|${key}`);
  const now = nowOf(state);
  const seq = ++state.dueSeq;
  const attempts = BACKOFF_MS.length;
  if (again.what === 'due') {
    const record = state.due.get(key);
    // Work that awaits an application stays scheduled while it is parked.
    if (record?.item.awaits !== undefined) state.due.put(key, { ...record.item, at: now }, record.lease);
    if (!found.item || record) return true;
    const { withheldBy: _withheldBy, ...item } = found.item;
    state.due.put(key, { ...item, at: now, seq, attempts });
    return true;
  }
  const item = deliveryAgain(key, again.event);
  const name = dueKey(item.application, item.kind, item.key);
  const awaits = state.due.get(name)?.item.awaits;
  state.pending.add(key);
  state.due.put(name, { ...item, at: now, seq, attempts, awaits });
  return true;
}
