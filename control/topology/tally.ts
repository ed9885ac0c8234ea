import { applicationNames } from '../../shared/catalog/applications.ts';
import { CONSUME, DUE } from '../../shared/control/journal.ts';
import { senderOf } from './allowed-calls.ts';
import type { SeenHop } from './seen-hops.ts';

const isFailed = ({ status }: SeenHop): boolean => status === 0 || status >= 400;

/** What an application answered. */
export function tallyOf(hops: readonly SeenHop[], application: string) {
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
export function callsIn(hops: readonly SeenHop[]): readonly SeenCall[] {
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
