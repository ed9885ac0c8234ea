import { apis } from '../shared/catalog/apis.ts';
import { type Application, applicationNames, applications } from '../shared/catalog/applications.ts';
import type { ApiDefinition } from '../shared/catalog/define.ts';
import { calls } from '../shared/catalog/flows.ts';
import { internalCalls } from '../shared/catalog/internal-calls.ts';
import type { SwapMode } from '../shared/catalog/swap.ts';
import type { World } from '../shared/domain/world.ts';
import type { JournalReader } from '../shared/store/ports/journal.ts';
import type { ObjectReader } from '../shared/store/ports/objects.ts';
import type { Readiness } from './readiness.ts';
import { describeSwaps } from './swaps/swaps.ts';

export interface TouchpointState {
  /** `unknown`: the application runs in a separate process, and this gateway does not have its address. */
  readonly state: 'ready' | 'away' | 'unknown';
  readonly portal?: string;
}

interface Adapters {
  readonly store: 'memory' | 'redis';
  readonly events: 'memory' | 'kafka';
}

interface TopologyOptions {
  readonly readiness: Readiness;
  readonly worlds: JournalReader & Pick<ObjectReader, 'object'>;
  readonly touchpoint: () => TouchpointState;
  readonly adapters: Adapters;
}

/** The real system in place of an application or in its shadow, or the kept answers of one. */
interface SwappedApplication {
  readonly mode: SwapMode;
  readonly url: string | undefined;
  readonly calls: number;
  readonly failed: number;
  /** Number of broken rules. */
  readonly violations: number;
}

/** The applications, their readiness, and their calls. Computed on demand. */
export function createTopology({ worlds, touchpoint, adapters, readiness }: TopologyOptions) {
  return async (world: World) => {
    const [states, counts, { discarded }, swaps] = await Promise.all([
      readiness(),
      worlds.hopCounts(world),
      worlds.journalSize(world),
      describeSwaps(worlds, world),
    ]);
    const swapped = new Map<string, SwappedApplication>(
      swaps.map(({ application, mode, url, calls, failed, violations }) => [
        application,
        { mode, url, calls, failed, violations: violations.length },
      ]),
    );
    const counted = new Map(counts.applications.map(({ application, ...own }) => [application, own]));
    return {
      applications: applicationNames.map((id) => ({
        id,
        title: applications[id].title,
        owns: applications[id].owns,
        ...(states.get(id) ?? { state: 'away' as const }),
        ...(counted.get(id) ?? { hops: 0, failed: 0, faults: [] }),
        swapped: swapped.get(id),
      })),
      touchpoint: touchpoint(),
      adapters,
      may: [...allowedCalls],
      // Requests that the gateway refused reached no application.
      seen: counts.calls.filter(({ to }) => applicationNames.some((name) => name === to)),
      discarded,
    };
  };
}

interface AllowedCall {
  readonly from: Application | 'client';
  readonly to: Application;
  readonly call: string;
}

const publicApis: readonly ApiDefinition[] = Object.values(apis);
const everyCall: ReadonlyMap<string, ApiDefinition> = new Map([...publicApis, ...Object.values(internalCalls)].map((api) => [api.id, api]));

/** What the catalog allows: the APIs that clients call, then the calls of each application. Only applications send signed requests. */
const allowedCalls: readonly AllowedCall[] = [
  ...publicApis
    .filter(({ auth }) => auth !== 'signature')
    .map(({ id, application }): AllowedCall => ({ from: 'client', to: application, call: id })),
  ...applicationNames.flatMap((from) =>
    calls[from].flatMap((call): readonly AllowedCall[] => {
      const to = everyCall.get(call)?.application;
      return to === undefined ? [] : [{ from, to, call }];
    }),
  ),
];

export type Topology = ReturnType<typeof createTopology>;
