import { GATEWAY, type Owner } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import { ACTIVE_WEBHOOKS, dueKey, PUBLISH_WITHHELD_EVENT, TAKE_EVENTS } from '../ports/due-work.ts';
import type { WorldsBacklog } from '../ports/ledger.ts';
import type { OutboxBacklog } from '../ports/outbox.ts';
import { BATCH_SIZE, type Batch, HAND_OVER_MS, type OutboxEntry, type OutboxStore, type RelayProgress } from '../ports/outbox.ts';
import type { Plan } from '../ports/plan.ts';
import type { MemoryEstate } from './estate.ts';
import { schedule } from './schedule.ts';
import { type ApplicationState, applicationState, faultRevisionOf, firstOf, getOr, nowOf, type WorldState } from './state.ts';

interface OutboxOptions {
  readonly estate: MemoryEstate;
  readonly unsent: Unsent;
  /** Wall time. */
  readonly relayLeaseMs: number;
}

export function createMemoryOutbox(application: Owner, { estate: { all, changed }, unsent, relayLeaseMs }: OutboxOptions): OutboxStore {
  return {
    application,
    drain: async (world, progress) => {
      const found = all.get(world);
      if (!found) return undefined;
      const { sent = [], withheld = [] } = progress;
      const batch = drain(found, application, progress, relayLeaseMs);
      unsent.note(found, application);
      const endsWork = sent.some((one) => typeof one !== 'string');
      const isTaken = sent.length > 0 && takeEvents(found);
      if (sent.length > 0 || withheld.length > 0) changed(world, endsWork || isTaken || withheld.length > 0 ? 0 : Number.POSITIVE_INFINITY);
      return batch;
    },
    unsent: async () =>
      unsent
        .worlds(application)
        .filter((world) => {
          const { relay } = applicationState(world, application);
          return !relay || Date.now() >= relay.until;
        })
        .map(({ world }) => world),
    outbox: async () => outboxBacklog(application, unsent.worlds(application)),
  };
}

/** @returns whether the world has an active webhook, so that there is due work for new events */
function takeEvents(world: WorldState): boolean {
  const { collection, index, value } = ACTIVE_WEBHOOKS;
  const isActive = world.applications.get(GATEWAY)?.index.get(`${collection}.${index}`)?.has(value) ?? false;
  if (isActive) schedule(world, GATEWAY, { ...TAKE_EVENTS, at: nowOf(world) });
  return isActive;
}

function drain(
  world: WorldState,
  application: Owner,
  { token, sent = [], withheld = [], isStopping }: RelayProgress,
  leaseMs: Ms,
): Batch | undefined {
  const state = applicationState(world, application);
  if (state.relay && state.relay.token !== token && Date.now() < state.relay.until) return undefined;
  for (const one of sent) {
    const entry = typeof one === 'string' ? state.outbox.get(one) : one;
    if (typeof one !== 'string') world.due.remove(dueKey(application, PUBLISH_WITHHELD_EVENT, one.id));
    if (entry) world.events.add(entry);
  }
  for (const { id, due } of withheld) if (state.outbox.has(id)) schedule(world, application, due);
  for (const one of sent) forget(world, state, typeof one === 'string' ? one : one.id);
  for (const { id } of withheld) forget(world, state, id);
  if (!isStopping) return lease(world, application, { token, leaseMs });
  state.relay = undefined;
  return undefined;
}

function forget({ unsent }: WorldState, { outbox }: ApplicationState, id: string): void {
  outbox.delete(id);
  unsent?.delete(id);
}

/** After a commit. In a world with a seed, the events wait for their turn. */
export function handOver(
  world: WorldState,
  application: Owner,
  { token, holds }: NonNullable<Plan['relay']>,
  leaseMs: number,
): Batch | undefined {
  if (world.unsent) return undefined;
  const { relay } = applicationState(world, application);
  if (!relay || Date.now() >= relay.until) return lease(world, application, { token, leaseMs: Math.min(leaseMs, HAND_OVER_MS) });
  return holds && relay.token === token ? lease(world, application, { token, leaseMs: relay.until - Date.now() }) : undefined;
}

/** Leases an outbox unless it is empty. In a world with a seed, it also counts as empty while another application has an older event. */
function lease(world: WorldState, application: Owner, { token, leaseMs }: { token: string; leaseMs: number }): Batch | undefined {
  const state = applicationState(world, application);
  const own = firstOf(state.outbox.values(), BATCH_SIZE);
  const entries = world.unsent ? own.slice(0, nextInWorld(world.unsent, application)) : own;
  state.relay = entries.length > 0 ? { token, until: Date.now() + leaseMs } : undefined;
  return state.relay && { entries, faults: faultRevisionOf(world) };
}

/** How many of the oldest unsent events belong to an application, at most a batch. */
function nextInWorld(unsent: ReadonlyMap<string, Owner>, application: Owner): number {
  let count = 0;
  for (const owner of unsent.values()) {
    if (owner !== application || count === BATCH_SIZE) break;
    count += 1;
  }
  return count;
}

/** The worlds with unsent events of an application, so that the relay need not read all worlds. */
export function createUnsent(all: ReadonlyMap<World, WorldState>) {
  const found = new Map<Owner, Set<World>>();
  return {
    note(world: WorldState, application: Owner): void {
      const worlds = getOr(found, application, () => new Set());
      if (applicationState(world, application).outbox.size > 0) worlds.add(world.world);
      else worlds.delete(world.world);
    },
    /** Removes dropped worlds. */
    worlds: (application: Owner): readonly WorldState[] =>
      [...(found.get(application) ?? [])].flatMap((world) => {
        const state = all.get(world);
        if (!state) found.get(application)?.delete(world);
        return state ?? [];
      }),
  };
}

export type Unsent = ReturnType<typeof createUnsent>;

function outboxBacklog(application: Owner, worlds: Iterable<WorldState>): OutboxBacklog {
  let events = 0;
  let oldestAt = Number.POSITIVE_INFINITY;
  for (const { applications } of worlds) {
    const outbox = applications.get(application)?.outbox ?? new Map<string, OutboxEntry>();
    const [oldest] = outbox.values();
    events += outbox.size;
    oldestAt = Math.min(oldestAt, oldest?.committedAt ?? oldestAt);
  }
  return { events, oldestAt: Number.isFinite(oldestAt) ? oldestAt : undefined };
}

export function worldsBacklog(worlds: Iterable<WorldState>): WorldsBacklog {
  const counts = { rehearsals: 0, pending: 0, overdue: 0, running: 0, scheduled: 0, withheld: 0, parked: 0 };
  for (const world of worlds) {
    const [now, wall] = [nowOf(world), Date.now()];
    counts.rehearsals += 1;
    counts.pending += world.pending.size;
    counts.parked += world.parked.size;
    for (const { item, lease } of world.due.records()) {
      if (lease && wall < lease.until) counts.running += 1;
      else if (item.withheldBy !== undefined) counts.withheld += 1;
      else if (item.at <= now) counts.overdue += 1;
      else counts.scheduled += 1;
    }
  }
  return counts;
}
