import { applicationNames, applications } from '../../shared/catalog/applications.ts';
import type { World } from '../../shared/domain/world.ts';
import type { JournalReader } from '../../shared/store/ports/journal.ts';
import { allowedCalls } from './allowed-calls.ts';
import { createReadiness, type ReadinessOptions } from './readiness.ts';
import { createSeenHops } from './seen-hops.ts';
import { callsIn, tallyOf } from './tally.ts';

export interface TouchpointState {
  /** unknown: it runs in a separate process, and this gateway does not have its address. */
  readonly state: 'ready' | 'away' | 'unknown';
  readonly portal?: string;
}

export interface Adapters {
  readonly store: 'memory' | 'redis';
  readonly events: 'memory' | 'kafka';
}

export interface TopologyOptions extends ReadinessOptions {
  readonly worlds: JournalReader;
  readonly touchpoint: () => TouchpointState;
  readonly adapters: Adapters;
}

/** The applications, their readiness, and their calls. Computed on demand. */
export function createTopology({ worlds, touchpoint, adapters, ...reaching }: TopologyOptions) {
  const readiness = createReadiness(reaching);
  const seenHops = createSeenHops(worlds);

  return async (world: World) => {
    const [states, hops] = await Promise.all([readiness(), seenHops(world)]);
    return {
      applications: applicationNames.map((id) => ({
        id,
        ...applications[id],
        ...(states.get(id) ?? { state: 'away' as const }),
        ...tallyOf(hops, id),
      })),
      touchpoint: touchpoint(),
      adapters,
      may: [...allowedCalls],
      seen: [...callsIn(hops)],
    };
  };
}

export type Topology = ReturnType<typeof createTopology>;
