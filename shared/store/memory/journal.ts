import { JOURNAL_LIMITS, type JournalLimit, type JournalPart, newestPage, oldestPage, partOf, sizeOf } from '../journal-limits.ts';
import type { JournalAsk, JournalEntry, JournalPage, JournalSize, RecordedHop } from '../ports/journal.ts';
import type { StoredTrace, TracePage } from '../ports/traces.ts';
import { type FoundTrace, joined, tracePage } from '../trace-summary.ts';
import { type Ordered, OrderedList } from './ordered-list.ts';
import { createMemoryTraces } from './traces.ts';

export function createMemoryJournal() {
  let newest = 0;
  const hops = createJournalPart(JOURNAL_LIMITS.hops);
  const anonymous = createJournalPart(JOURNAL_LIMITS.anonymous);
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
      return { entries: found, truncated: hops.isTruncated(), oldest: hops.oldest(), newest };
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
      return { hops: hops.size().records + anonymous.size().records, traces: hops.traces.count + onlyAnonymous.length };
    },
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
}

function createJournalPart(limit: JournalLimit) {
  /** By position in this part, without gaps, so that the oldest hop is found in one step. */
  const records = new Map<number, Recorded & { readonly bytes: number }>();
  const places = new Map<string, number>();
  const byCorrelation = new Map<string, OrderedList<Recorded>>();
  const traces = createMemoryTraces();
  let [first, next, bytes] = [0, 0, 0];

  function forgetOldest(): void {
    const oldest = records.get(first);
    if (!oldest) return;
    const { requestId, correlationId } = oldest.entry;
    records.delete(first);
    if (places.get(requestId) === first) places.delete(requestId);
    const same = byCorrelation.get(correlationId);
    same?.remove(oldest.order);
    if (same?.size === 0) {
      byCorrelation.delete(correlationId);
      bytes -= traces.remove(correlationId);
    }
    bytes -= oldest.bytes;
    first += 1;
  }

  /** The place of the first hop after a sequence. */
  function placeAfter(sequence: number): number {
    let [low, high] = [first, next];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((records.get(middle)?.order ?? 0) <= sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const from = (place: number, count: number): readonly Recorded[] =>
    Array.from({ length: Math.max(0, Math.min(count, next - place)) }, (_, n) => records.get(place + n)).filter((one) => one !== undefined);

  return {
    traces,
    add({ order, at, entry: { facts, ...entry } }: { readonly order: number; readonly at: number; readonly entry: JournalEntry }): void {
      const { requestId, correlationId } = entry;
      const recorded = { order, at, entry, bytes: sizeOf(entry) };
      records.set(next, recorded);
      places.set(requestId, next);
      next += 1;
      bytes += recorded.bytes + traces.add(correlationId, order, facts);
      const same = byCorrelation.get(correlationId) ?? new OrderedList<Recorded>();
      byCorrelation.set(correlationId, same);
      same.put(recorded);
      while (records.size > limit.records || (bytes > limit.bytes && records.size > 1)) forgetOldest();
    },
    /** The newest hops, oldest first. */
    newest(correlationId: string | undefined, count: number): readonly Recorded[] {
      if (correlationId !== undefined) return byCorrelation.get(correlationId)?.before(0, count).reverse() ?? [];
      return from(Math.max(first, next - count), count);
    },
    /** The oldest hops after a sequence. */
    after(correlationId: string | undefined, sequence: number, count: number): readonly Recorded[] {
      if (correlationId !== undefined) return byCorrelation.get(correlationId)?.after(sequence, count) ?? [];
      return from(placeAfter(sequence), count);
    },
    hop(requestId: string): Recorded | undefined {
      const place = places.get(requestId);
      return place === undefined ? undefined : records.get(place);
    },
    isTruncated: (): boolean => first > 0,
    /** Sequence of the oldest hop; 0 without any. */
    oldest: (): number => records.get(first)?.order ?? 0,
    size: () => ({ records: records.size, bytes }),
  };
}
