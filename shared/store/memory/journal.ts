import {
  callerOf,
  isFailed,
  type JournalLimit,
  type JournalLimits,
  type JournalPart,
  MOST_FIRSTS,
  mostOfFirst,
  mostOfTrace,
  newestPage,
  oldestPage,
  partOf,
  sizeOf,
} from '../journal-limits.ts';
import {
  type HopCounts,
  type HopFacts,
  type JournalAsk,
  type JournalEntry,
  type JournalPage,
  type JournalSize,
  MOST_FAULT_NAMES,
  type RecordedHop,
  type StoredTrace,
  type TracePage,
} from '../ports/journal.ts';
import { type FoundTrace, joined, joinTraces, kindOfTrace, type TraceSummary, traceOfHop, tracePage } from '../trace-summary.ts';
import { type Ordered, OrderedList } from './ordered-list.ts';

/** Characters of a part of a journal that the other rehearsals always leave to it. */
const LEAST_BYTES = 65_536;

/**
 * The journal of a world. The cost of a page depends on its length, not on the size of the journal.
 * @param room the most characters that the memory has for it now. Requests that only read are recorded too, so that journals could fill it
 */
export function createMemoryJournal(limits: JournalLimits, room: () => number) {
  let newest = 0;
  const fitting = ({ records, bytes }: JournalLimit) => ({ records, bytes: Math.min(bytes, Math.max(LEAST_BYTES, room())) });
  const hops = createJournalPart(() => fitting(limits.hops), { keepsFirsts: true });
  const anonymous = createJournalPart(() => fitting(limits.anonymous), { keepsFirsts: false });
  const counts = createHopCounts();
  const parts = { hops, anonymous };

  const tracesOf = (correlationId: string): Omit<FoundTrace, 'sequence'> => ({
    correlationId,
    hops: hops.traces.of(correlationId),
    anonymous: anonymous.traces.of(correlationId),
  });
  const tracesIn = (part: JournalPart, before: number, limit: number): FoundTrace[] =>
    parts[part].traces.before(before, limit).map(({ order, correlationId }) => ({ sequence: order, ...tracesOf(correlationId) }));

  return {
    add(entry: JournalEntry): void {
      newest += 1;
      parts[partOf(entry)].add({ order: newest, entry, at: Date.now() });
      counts.add(entry.facts);
    },
    page({ correlationId, after, limit = Number.MAX_SAFE_INTEGER, bodies = true }: JournalAsk): JournalPage {
      const shown = recordedHops({ bodies });
      const found =
        after === undefined
          ? newestPage({ hops: shown(hops.newest(correlationId, limit)), anonymous: shown(anonymous.newest(correlationId, limit)) }, limit)
          : oldestPage(
              { hops: shown(hops.after(correlationId, after, limit)), anonymous: shown(anonymous.after(correlationId, after, limit)) },
              limit,
            );
      return { entries: found, discardedTo: hops.discarded().to, newest };
    },
    hop(requestId: string): RecordedHop | undefined {
      const found = hops.hop(requestId) ?? anonymous.hop(requestId);
      return found && recordedHops({ bodies: true })([found])[0];
    },
    has: (requestId: string): boolean => hops.hop(requestId) !== undefined || anonymous.hop(requestId) !== undefined,
    traces(before: number | undefined, limit: number): TracePage {
      const [from, many] = [before ?? 0, limit + 1];
      return tracePage({ hops: tracesIn('hops', from, many), anonymous: tracesIn('anonymous', from, many) }, limit);
    },
    tracesOf: (correlationIds: readonly string[]): readonly StoredTrace[] =>
      correlationIds.flatMap((correlationId) => joined(tracesOf(correlationId)) ?? []),
    size(): JournalSize {
      const onlyAnonymous = [...anonymous.traces.correlationIds()].filter((id) => hops.traces.of(id) === undefined);
      return {
        hops: hops.size().records + anonymous.size().records,
        traces: hops.traces.count + onlyAnonymous.length,
        discarded: hops.discarded().traces,
      };
    },
    counts: (): HopCounts => counts.all(),
    contents(): { readonly records: number; readonly bytes: number } {
      const [ours, theirs] = [hops.size(), anonymous.size()];
      return { records: ours.records + theirs.records, bytes: ours.bytes + theirs.bytes };
    },
  };
}

export type MemoryJournal = ReturnType<typeof createMemoryJournal>;

const recordedHops =
  ({ bodies: withBodies }: { readonly bodies: boolean }) =>
  (found: readonly Recorded[]): RecordedHop[] => {
    const now = Date.now();
    return found.map(({ order, at, entry: { requestId, correlationId, head, bodies, anonymous } }) => ({
      sequence: order,
      requestId,
      correlationId,
      head,
      bodies: withBodies ? bodies : undefined,
      anonymous,
      ageMs: now - at,
    }));
  };

/** A hop with its place in the journal. */
interface Recorded extends Ordered {
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
function createJournalPart(limitNow: () => JournalLimit, { keepsFirsts }: { readonly keepsFirsts: boolean }) {
  const records = new OrderedList<Recorded>();
  const byRequest = new Map<string, Recorded>();
  /** Sorted by the last hop of each trace, the oldest first. */
  const byTrace = new Map<string, TraceHops>();
  /** By API and outcome: the correlation id of the first trace that a full journal would have discarded. */
  const firsts = new Map<string, string>();
  /** The first traces. They leave only when nothing else can make room, or when they get another hop. */
  const staying = new Map<string, TraceHops>();
  const traces = createMemoryTraces();
  let [bytes, discardedTo, discardedTraces] = [0, 0, 0];

  const traceOf = (correlationId: string): TraceHops | undefined => byTrace.get(correlationId) ?? staying.get(correlationId);

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
    staying.delete(correlationId);
    bytes -= traces.remove(correlationId);
    discardedTraces += 1;
  }

  /** Keeps a trace that would be discarded, if it is the first one of its API and outcome. */
  function stays(correlationId: string, trace: TraceHops, limit: JournalLimit): boolean {
    const most = mostOfFirst(limit);
    const summary = traces.of(correlationId);
    const kind = keepsFirsts && summary ? kindOfTrace(summary) : undefined;
    if (kind === undefined || trace.hops.size > most.records || trace.bytes > most.bytes) return false;
    const first = firsts.get(kind) ?? (firsts.size < MOST_FIRSTS ? correlationId : undefined);
    if (first !== correlationId) return false;
    firsts.set(kind, correlationId);
    byTrace.delete(correlationId);
    staying.set(correlationId, trace);
    return true;
  }

  /** Shortens the trace that has grown, then discards other traces. */
  function makeRoom(grown: TraceHops): void {
    const limit = limitNow();
    const most = mostOfTrace(limit);
    while (grown.hops.size > most.records || (grown.bytes > most.bytes && grown.hops.size > 1)) {
      const [oldest] = grown.hops;
      if (oldest) forgetHop(grown, oldest);
    }
    const fits = (): boolean => records.size <= limit.records && bytes <= limit.bytes;
    for (const [correlationId, trace] of byTrace) {
      if (trace === grown) break;
      if (fits()) return;
      if (!stays(correlationId, trace, limit)) forgetTrace(correlationId, trace);
    }
    // The limit falls when other worlds grow.
    for (const [correlationId, trace] of staying) {
      if (fits()) return;
      forgetTrace(correlationId, trace);
    }
  }

  return {
    traces,
    add({ order, at, entry: { facts, ...entry } }: { readonly order: number; readonly at: number; readonly entry: JournalEntry }): void {
      const { requestId, correlationId } = entry;
      const recorded = { order, at, entry, bytes: sizeOf(entry) };
      const trace = traceOf(correlationId) ?? { hops: new OrderedList<Recorded>(), bytes: 0 };
      byTrace.delete(correlationId);
      staying.delete(correlationId);
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
      (correlationId === undefined ? records : traceOf(correlationId)?.hops)?.before(0, count).reverse() ?? [],
    /** The oldest hops after a sequence. */
    after: (correlationId: string | undefined, sequence: number, count: number): readonly Recorded[] =>
      (correlationId === undefined ? records : traceOf(correlationId)?.hops)?.after(sequence, count) ?? [],
    hop: (requestId: string): Recorded | undefined => byRequest.get(requestId),
    discarded: () => ({ to: discardedTo, traces: discardedTraces }),
    size: () => ({ records: records.size, bytes }),
  };
}

/** Counts the hops of a world. */
function createHopCounts() {
  const applications = new Map<string, { hops: number; failed: number; readonly faults: Set<string> }>();
  const calls = new Map<string, { readonly from: string; readonly to: string } & { calls: number; failed: number }>();

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

interface Kept {
  /** Position when traces are sorted by their start. */
  readonly order: number;
  readonly correlationId: string;
  summary: TraceSummary;
  bytes: number;
}

/** Characters that a summary counts in addition to its text. */
const SUMMARY_BYTES = 600;

/** The traces of one part of a world's journal. */
function createMemoryTraces() {
  const byCorrelation = new Map<string, Kept>();
  const inOrder = new OrderedList<Kept>();

  return {
    get count(): number {
      return byCorrelation.size;
    },
    of: (correlationId: string): TraceSummary | undefined => byCorrelation.get(correlationId)?.summary,
    /** Adds a hop to its trace. @returns the characters that the summary takes in addition */
    add(correlationId: string, sequence: number, facts: HopFacts): number {
      const hop = traceOfHop(sequence, facts);
      const kept = byCorrelation.get(correlationId);
      if (!kept) {
        const begun = { order: sequence, correlationId, summary: hop, bytes: sizeOfSummary(correlationId, hop) };
        byCorrelation.set(correlationId, begun);
        inOrder.put(begun);
        return begun.bytes;
      }
      const before = kept.bytes;
      kept.summary = joinTraces(kept.summary, hop);
      kept.bytes = sizeOfSummary(correlationId, kept.summary);
      return kept.bytes - before;
    },
    /** @returns the characters that the summary took */
    remove(correlationId: string): number {
      const kept = byCorrelation.get(correlationId);
      if (!kept) return 0;
      byCorrelation.delete(correlationId);
      inOrder.remove(kept.order);
      return kept.bytes;
    },
    /** Newest first. */
    before: (sequence: number, limit: number): readonly Kept[] => inOrder.before(sequence, limit),
    correlationIds: (): Iterable<string> => byCorrelation.keys(),
  };
}

function sizeOfSummary(correlationId: string, { path, faults, applications, apis }: TraceSummary): number {
  const names = charactersOf(faults) + charactersOf(applications) + charactersOf(apis);
  return SUMMARY_BYTES + correlationId.length + path.length + names;
}

function charactersOf(names: readonly string[]): number {
  let characters = 0;
  for (const name of names) characters += name.length + 1;
  return characters;
}
