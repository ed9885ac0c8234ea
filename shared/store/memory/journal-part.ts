import { type JournalLimit, mostOfTrace, sizeOf } from '../journal-limits.ts';
import type { JournalEntry } from '../ports/journal.ts';
import { type Ordered, OrderedList } from './ordered-list.ts';
import { createMemoryTraces } from './traces.ts';

/** A hop with its place in the journal. */
export interface Recorded extends Ordered {
  readonly entry: Omit<JournalEntry, 'facts'>;
  /** Wall time. */
  readonly at: number;
  readonly bytes: number;
}

interface TraceHops {
  readonly hops: OrderedList<Recorded>;
  bytes: number;
}

/** One part of a world's journal. */
export function createJournalPart(limit: JournalLimit) {
  const most = mostOfTrace(limit);
  const records = new OrderedList<Recorded>();
  const byRequest = new Map<string, Recorded>();
  /** The trace with the oldest last hop first. */
  const byTrace = new Map<string, TraceHops>();
  const traces = createMemoryTraces();
  let [bytes, discardedTo, discardedTraces] = [0, 0, 0];

  function forgetHop(trace: TraceHops, hop: Recorded): void {
    const { requestId } = hop.entry;
    records.remove(hop.order);
    trace.hops.remove(hop.order);
    trace.bytes -= hop.bytes;
    bytes -= hop.bytes;
    if (byRequest.get(requestId) === hop) byRequest.delete(requestId);
    discardedTo = Math.max(discardedTo, hop.order);
  }

  function forgetTrace(correlationId: string, trace: TraceHops): void {
    for (const hop of [...trace.hops]) forgetHop(trace, hop);
    byTrace.delete(correlationId);
    bytes -= traces.remove(correlationId);
    discardedTraces += 1;
  }

  /** Shortens the trace that has grown, then discards other traces. */
  function makeRoom(grown: TraceHops): void {
    while (grown.hops.size > most.records || (grown.bytes > most.bytes && grown.hops.size > 1)) {
      const [oldest] = grown.hops;
      if (oldest) forgetHop(grown, oldest);
    }
    for (const [correlationId, trace] of byTrace) {
      if (trace === grown || (records.size <= limit.records && bytes <= limit.bytes)) return;
      forgetTrace(correlationId, trace);
    }
  }

  return {
    traces,
    add({ order, at, entry: { facts, ...entry } }: { readonly order: number; readonly at: number; readonly entry: JournalEntry }): void {
      const { requestId, correlationId } = entry;
      const recorded = { order, at, entry, bytes: sizeOf(entry) };
      const trace = byTrace.get(correlationId) ?? { hops: new OrderedList<Recorded>(), bytes: 0 };
      byTrace.delete(correlationId);
      byTrace.set(correlationId, trace);
      records.put(recorded);
      byRequest.set(requestId, recorded);
      trace.hops.put(recorded);
      trace.bytes += recorded.bytes;
      bytes += recorded.bytes + traces.add(correlationId, order, facts);
      makeRoom(trace);
    },
    /** The newest hops, oldest first. */
    newest: (correlationId: string | undefined, count: number): readonly Recorded[] =>
      (correlationId === undefined ? records : byTrace.get(correlationId)?.hops)?.before(0, count).reverse() ?? [],
    /** The oldest hops after a sequence. */
    after: (correlationId: string | undefined, sequence: number, count: number): readonly Recorded[] =>
      (correlationId === undefined ? records : byTrace.get(correlationId)?.hops)?.after(sequence, count) ?? [],
    hop: (requestId: string): Recorded | undefined => byRequest.get(requestId),
    discarded: () => ({ to: discardedTo, traces: discardedTraces }),
    size: () => ({ records: records.size, bytes }),
  };
}
