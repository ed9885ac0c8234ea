import type { ListedHop } from '../data/hop.ts';
import { byStart, inCallOrder } from './hop-order.ts';
import { CLIENT, type Message, type MessageKind } from './message.ts';

export interface TraceRow extends Message {
  readonly depth: number;
  /** Index of the hop that made this call. */
  readonly parent: number | undefined;
  /** Index of its last descendant, or its own. */
  readonly last: number;
}

export interface TraceTree {
  /** Depth-first: each call below its caller. */
  readonly rows: readonly TraceRow[];
  /** Index of the first row that ran after the requests: deliveries, timers and what they call. */
  readonly afterwards: number;
}

/** A failure is worse than no answer, which the gateway answers with a failure; then come refusals. */
function badness({ status }: ListedHop): number {
  if (status >= 500) return 3;
  if (status === 0) return 2;
  return Number(status >= 400);
}

/** The request that a trace is about, as its summary: the one with the worst answer, and of those the latest. */
export function requestOf(rows: readonly TraceRow[]): TraceRow | undefined {
  const requests = rows.filter(({ kind }) => kind === 'request');
  const worst = Math.max(...requests.map(({ hop }) => badness(hop)));
  return requests.findLast(({ hop }) => badness(hop) === worst);
}

/** Its webhooks arrive at the gateway like the requests of clients. */
const CARRIER = 'carrier-platform';
const WEBHOOK = 'carrier-webhook';

const kindOf = ({ api }: ListedHop, hasCaller: boolean): MessageKind => {
  if (api.startsWith('event:')) return 'event';
  if (api.startsWith('due:')) return 'timer';
  return hasCaller ? 'call' : 'request';
};

/** Orders the hops of a trace for reading. A hop whose cause is not listed begins a new tree. */
export function traceTree(hops: readonly ListedHop[]): TraceTree {
  const byId = new Map(hops.map((hop) => [hop.requestId, hop]));
  const callers = new Map(hops.flatMap((hop) => hop.calls.map((id) => [id, hop] as const)));
  const parentOf = (hop: ListedHop): ListedHop | undefined => {
    const parent = hop.parentId === undefined ? undefined : (byId.get(hop.parentId) ?? callers.get(hop.requestId));
    return parent === hop ? undefined : parent;
  };
  const hasCarrier = hops.some(({ application }) => application === CARRIER);
  const callerOf = (hop: ListedHop): string | undefined =>
    parentOf(hop)?.application ?? (hop.api === WEBHOOK && hasCarrier ? CARRIER : undefined);
  const isBelow = (hop: ListedHop): boolean => kindOf(hop, true) === 'call' && parentOf(hop) !== undefined;
  const calls = Map.groupBy(hops.filter(isBelow), (hop) => parentOf(hop)?.requestId);
  const rows: TraceRow[] = [];
  const added = new Set<ListedHop>();

  function add(hop: ListedHop, depth: number, parent: number | undefined): void {
    if (added.has(hop)) return;
    added.add(hop);
    const caller = callerOf(hop);
    const kind = kindOf(hop, caller !== undefined);
    const at = rows.length;
    rows.push({ hop, kind, from: caller ?? (kind === 'request' ? CLIENT : hop.application), depth, parent, last: at });
    for (const call of inCallOrder(hop, calls.get(hop.requestId) ?? [])) add(call, depth + 1, at);
    rows[at] = { ...(rows[at] as TraceRow), last: rows.length - 1 };
  }

  const begins = hops.filter((hop) => !isBelow(hop)).sort(byStart);
  const isAfterwards = (hop: ListedHop): boolean => kindOf(hop, callerOf(hop) !== undefined) !== 'request';
  for (const hop of begins.filter((one) => !isAfterwards(one))) add(hop, 0, undefined);
  const afterwards = rows.length;
  for (const hop of begins.filter(isAfterwards)) add(hop, 0, undefined);
  // Hops that name each other as cause have no beginning.
  for (const hop of hops) add(hop, 0, undefined);
  return { rows, afterwards };
}
