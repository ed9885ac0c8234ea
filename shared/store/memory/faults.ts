import { MOST_STRUCK } from '../../catalog/control/faults.ts';
import { type FaultControl, type FaultStore, MOST_FAULTS } from '../ports/faults.ts';
import type { MemoryEstate } from './estate.ts';
import { nowOf } from './state.ts';

export function createMemoryFaults({ all }: MemoryEstate): FaultStore {
  return {
    faults: async (world) => {
      const state = all.get(world);
      return {
        revision: state?.faultRevision ?? 0,
        rules: [...(state?.faults ?? [])].map(([name, { json, hits, struck }]) => ({ name, json, hits, struck })),
      };
    },
    hit: async (world, fault, struck, limit) => {
      const found = all.get(world)?.faults.get(fault);
      if (!found || (limit !== undefined && found.hits >= limit)) return undefined;
      found.hits += 1;
      found.struck = [...found.struck, struck].slice(-MOST_STRUCK);
      return found.hits;
    },
    chance: async (world, fault) => {
      const found = all.get(world)?.faults.get(fault);
      return found ? ++found.chances : 0;
    },
    hits: async (world, fault) => all.get(world)?.faults.get(fault)?.hits ?? 0,
  };
}

export function createMemoryFaultControl({ need, changed }: MemoryEstate): FaultControl {
  return {
    setFault: async (world, name, json) => {
      const state = need(world);
      if (state.faults.size >= MOST_FAULTS && !state.faults.has(name)) return false;
      state.faultRevision += 1;
      if (state.faults.has(name)) state.due.wake(undefined, nowOf(state));
      state.faults.set(name, { json, hits: 0, struck: [], chances: 0, since: state.faultRevision });
      state.due.releaseWithheld(name, nowOf(state));
      changed(world);
      return true;
    },
    removeFault: async (world, name) => {
      const state = need(world);
      const existed = name === undefined ? state.faults.size > 0 : state.faults.has(name);
      if (existed) state.due.wake(undefined, nowOf(state));
      if (name === undefined) state.faults.clear();
      else state.faults.delete(name);
      state.faultRevision += 1;
      state.due.releaseWithheld(name, nowOf(state));
      changed(world);
      return existed;
    },
  };
}
