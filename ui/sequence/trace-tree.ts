import type { ListedHop } from '../data/hop.ts';
import { type Arrow, CLIENT, type Message, sequenceOf } from './sequence.ts';

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

/** A webhook whose sender is not listed is a request too. */
const isRequest = ({ kind, from }: Message): boolean => kind === 'request' || (kind === 'webhook' && from === CLIENT);

/** The request that a trace is about, as its summary: the one with the worst answer, and of those the latest. */
export function requestOf(rows: readonly TraceRow[]): TraceRow | undefined {
  const requests = rows.filter(isRequest);
  const worst = Math.max(...requests.map(({ hop }) => badness(hop)));
  return requests.findLast(({ hop }) => badness(hop) === worst);
}

/** Orders the hops of a trace for reading. A hop whose cause is not listed begins a new tree. */
export function traceTree(hops: readonly ListedHop[]): TraceTree {
  const { arrows, byCause } = sequenceOf(hops);
  const calls = Map.groupBy(byCause, ({ caller }) => caller);
  const rows: TraceRow[] = [];

  /** Adds an arrow with everything that it called. A foreign journal may nest deeper than the stack. */
  function add(first: Arrow): void {
    const waiting: { readonly arrow: Arrow; readonly depth: number; readonly parent: number | undefined }[] = [
      { arrow: first, depth: 0, parent: undefined },
    ];
    const from = rows.length;
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { arrow, depth, parent } = next;
      const at = rows.push({ ...arrow, depth, parent, last: rows.length }) - 1;
      for (const call of (calls.get(arrow) ?? []).toReversed()) waiting.push({ arrow: call, depth: depth + 1, parent: at });
    }
    for (let at = rows.length - 1; at > from; at--) {
      const { parent = from, last } = rows[at] as TraceRow;
      const caller = rows[parent] as TraceRow;
      if (last > caller.last) rows[parent] = { ...caller, last };
    }
  }

  const begins = arrows.filter(({ caller }) => caller === undefined);
  for (const arrow of begins.filter(isRequest)) add(arrow);
  const afterwards = rows.length;
  for (const arrow of begins.filter((one) => !isRequest(one))) add(arrow);
  return { rows, afterwards };
}
