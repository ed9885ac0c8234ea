import { BACKOFF_MS, type ClockStore, type DueItem, dueKey, PROBE_MS, type RequeuedAt, type RequeuedParked } from '../ports/due-work.ts';
import type { DueRecord } from './due-schedule.ts';
import type { MemoryEstate } from './estate.ts';
import { dueItem, nowOf, park, parkedAs, type WorldState } from './state.ts';

export function createMemoryClock({ all, rehearsals, need, changed }: MemoryEstate): ClockStore {
  return {
    status: async (world) => {
      const state = all.get(world);
      if (!state || rehearsals.get(state.rehearsal)?.world !== state) return undefined;
      if (state.driver && !isAdvancing(state)) endAdvance(state);
      return {
        now: nowOf(state),
        flowing: state.clock.flowing,
        advancing: state.driver !== undefined,
        running: state.due.running(Date.now()).length,
        next: lowest(state, Number.POSITIVE_INFINITY),
      };
    },
    setClock: async (world, { now, flowing }, driver) => {
      const state = need(world);
      if (!mayDrive(state, driver)) return false;
      if (driver === undefined) state.driver = undefined;
      state.clock = flowing ? { flowing, offset: now - Date.now() } : { flowing, at: now };
      changed(world);
      return true;
    },
    leaseClock: async (world, token, ms) => {
      const state = need(world);
      if (isAdvancing(state) && state.driver?.token !== token) return false;
      const flowed = state.driver?.flowed ?? state.clock.flowing;
      state.clock = { flowing: false, at: nowOf(state) };
      state.driver = { token, until: Date.now() + ms, flowed };
      changed(world);
      return true;
    },
    renewClock: async (world, token, ms) => {
      const driver = all.get(world)?.driver;
      if (driver?.token !== token) return false;
      driver.until = Date.now() + ms;
      return true;
    },
    releaseClock: async (world, token) => {
      const state = all.get(world);
      if (state?.driver?.token !== token) return;
      endAdvance(state);
      changed(world);
    },
    leaseNext: async (world, { upTo, token, leaseMs, driver }) => {
      const state = need(world);
      if (!mayDrive(state, driver)) return undefined;
      const item = lowest(state, upTo);
      if (item) state.due.lease(dueKey(item.application, item.kind, item.key), { token, until: Date.now() + leaseMs });
      return item;
    },
    requeue: async (world, item, token, then) => {
      const state = need(world);
      const key = dueKey(item.application, item.kind, item.key);
      const record = state.due.get(key);
      const wasRunning = state.due.endRun(token);
      if (record?.lease?.token !== token) {
        if (wasRunning) changed(world);
        return;
      }
      const { awaits: awaited, ...left } = record.item;
      requeue(state, key, left, then);
      if (awaited !== undefined && then.awaits === undefined) state.due.wake(awaited, nowOf(state));
      changed(world);
    },
    noteReturn: async (application) => {
      for (const [world, state] of all) {
        if (state.due.awaiting().length === 0) continue;
        state.due.wake(application, nowOf(state));
        changed(world);
      }
    },
  };
}

function requeue(state: WorldState, key: string, item: DueRecord['item'], then: RequeuedAt | RequeuedParked): void {
  const parked = parkedAs(item);
  if (parked.what === 'delivery' && !state.pending.has(parked.key)) {
    // The delivery has been consumed.
    state.due.remove(key);
  } else if (!('parked' in then)) {
    state.due.put(key, { ...item, ...then });
  } else if (then.awaits !== undefined) {
    state.due.put(key, { ...item, at: nowOf(state) + PROBE_MS, attempts: BACKOFF_MS.length, awaits: then.awaits });
    park(state, parked, then.parked);
  } else {
    state.due.remove(key);
    if (parked.what === 'delivery') state.pending.delete(parked.key);
    park(state, parked, then.parked, item);
  }
}

const isAdvancing = ({ driver }: WorldState): boolean => driver !== undefined && Date.now() < driver.until;

/** While a driver advances the clock, only this driver may set it and lease due work. */
const mayDrive = (state: WorldState, driver: string | undefined): boolean =>
  driver === undefined ? !isAdvancing(state) : state.driver?.token === driver;

/** A clock that flowed before continues from its present time. */
function endAdvance(state: WorldState): void {
  if (state.driver?.flowed) state.clock = { flowing: true, offset: nowOf(state) - Date.now() };
  state.driver = undefined;
}

/** The lowest free item by `(at, seq)` that is due up to an instant and whose turn it is. */
export function lowest(state: WorldState, upTo: number): DueItem | undefined {
  const next = state.due.lowest(upTo, Date.now());
  return next && dueItem(next);
}
