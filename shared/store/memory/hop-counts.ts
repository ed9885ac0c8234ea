import { callerOf, isFailed } from '../hop-counts.ts';
import { type HopCounts, type HopFacts, MOST_FAULT_NAMES } from '../ports/journal.ts';

interface Application {
  hops: number;
  failed: number;
  readonly faults: Set<string>;
}

interface Calls {
  calls: number;
  failed: number;
}

/** Counts the hops of a world. */
export function createHopCounts() {
  const applications = new Map<string, Application>();
  const calls = new Map<string, { readonly from: string; readonly to: string } & Calls>();

  return {
    add(hop: HopFacts): void {
      const { application, faults } = hop;
      const failed = isFailed(hop) ? 1 : 0;
      const counted = applications.get(application) ?? { hops: 0, failed: 0, faults: new Set() };
      applications.set(application, counted);
      counted.hops += 1;
      counted.failed += failed;
      for (const fault of faults) if (counted.faults.size < MOST_FAULT_NAMES) counted.faults.add(fault);
      const from = callerOf(hop);
      if (from === undefined) return;
      const name = `${from} ${application}`;
      const between = calls.get(name) ?? { from, to: application, calls: 0, failed: 0 };
      calls.set(name, between);
      between.calls += 1;
      between.failed += failed;
    },
    all: (): HopCounts => ({
      applications: [...applications].map(([application, { faults, ...counts }]) => ({
        application,
        ...counts,
        faults: [...faults].sort(),
      })),
      calls: [...calls.values()].map((between) => ({ ...between })),
    }),
  };
}
