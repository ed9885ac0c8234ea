import { applicationNames, applications } from '../../shared/catalog/applications.ts';
import { CONSUME, DUE } from '../../shared/control/journal.ts';
import type { World } from '../../shared/domain/world.ts';
import type { JournalReader } from '../../shared/store/ports/journal.ts';
import { allowedCalls, senderOf } from './allowed-calls.ts';
import { createReadiness, type ReadinessOptions } from './readiness.ts';
import { createSeenHops, type SeenHop } from './seen-hops.ts';

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

const isFailed = ({ status }: SeenHop): boolean => status === 0 || status >= 400;

/** What an application answered. */
function tallyOf(hops: readonly SeenHop[], application: string) {
  const own = hops.filter((hop) => hop.application === application);
  return { hops: own.length, failed: own.filter(isFailed).length, faults: [...new Set(own.flatMap(({ faults }) => faults))] };
}

interface SeenCall {
  readonly from: string;
  readonly to: string;
  calls: number;
  failed: number;
}

/** The calls between clients and applications. Deliveries, due work and requests that the gateway refused are none. */
function callsIn(hops: readonly SeenHop[]): readonly SeenCall[] {
  const known: ReadonlySet<string> = new Set(applicationNames);
  const answeredBy = new Map(hops.map(({ requestId, application }) => [requestId, application]));
  const took = new Set(hops.map(({ correlationId, application }) => `${application} ${correlationId}`));
  const found = new Map<string, SeenCall>();
  for (const hop of hops) {
    if (hop.method === CONSUME || hop.method === DUE || !known.has(hop.application)) continue;
    const from = callerOf(hop);
    if (from === undefined) continue;
    const name = `${from} ${hop.application}`;
    const call = found.get(name) ?? { from, to: hop.application, calls: 0, failed: 0 };
    found.set(name, call);
    call.calls += 1;
    if (isFailed(hop)) call.failed += 1;
  }
  return [...found.values()];

  /** Undefined while the caller is still working: its hop is recorded at its end. */
  function callerOf({ parentId, api, correlationId }: SeenHop): string | undefined {
    if (parentId !== undefined) return answeredBy.get(parentId);
    const sender = senderOf(api);
    return sender !== undefined && took.has(`${sender} ${correlationId}`) ? sender : 'client';
  }
}
