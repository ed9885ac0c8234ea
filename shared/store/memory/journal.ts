import { JOURNAL_LIMITS, type JournalLimit, journalPage, partOf, sizeOf } from '../journal-limits.ts';
import type { JournalAsk, JournalEntry, JournalPage } from '../ports/journal.ts';
import { createOrderedList, type OrderedList } from './ordered-list.ts';

interface Recorded {
  readonly order: number;
  readonly entry: JournalEntry;
  readonly bytes: number;
  /** Wall time. */
  readonly at: number;
}

/** The journal of a world. The cost of a page depends on its length, not on the size of the journal. */
export function createMemoryJournal() {
  let order = 0;
  const parts = { hops: createPart(JOURNAL_LIMITS.hops), anonymous: createPart(JOURNAL_LIMITS.anonymous) };
  return {
    add(entry: JournalEntry): void {
      order += 1;
      parts[partOf(entry)].add({ order, entry, bytes: sizeOf(entry), at: Date.now() });
    },
    page({ correlationId, limit = Number.MAX_SAFE_INTEGER }: JournalAsk): JournalPage {
      const found = { hops: parts.hops.newest(correlationId, limit), anonymous: parts.anonymous.newest(correlationId, limit) };
      const now = Date.now();
      const entries = journalPage(found, limit).map(({ entry, at }) => ({ ...entry, ageMs: now - at }));
      return { entries, truncated: parts.hops.isTruncated() };
    },
    has: (requestId: string): boolean => parts.hops.has(requestId) || parts.anonymous.has(requestId),
    size(): { readonly records: number; readonly bytes: number } {
      const [hops, anonymous] = [parts.hops.size(), parts.anonymous.size()];
      return { records: hops.records + anonymous.records, bytes: hops.bytes + anonymous.bytes };
    },
  };
}

export type MemoryJournal = ReturnType<typeof createMemoryJournal>;

function createPart(limit: JournalLimit) {
  /** By place, without gaps: the oldest record is found at once. */
  const records = new Map<number, Recorded>();
  const byRequest = new Map<string, number>();
  const byCorrelation = new Map<string, OrderedList<Recorded>>();
  let [first, next, bytes] = [0, 0, 0];

  function forgetOldest(): void {
    const oldest = records.get(first);
    if (!oldest) return;
    const { requestId, correlationId } = oldest.entry;
    records.delete(first);
    if (byRequest.get(requestId) === oldest.order) byRequest.delete(requestId);
    const same = byCorrelation.get(correlationId);
    same?.remove(oldest.order);
    if (same?.size === 0) byCorrelation.delete(correlationId);
    bytes -= oldest.bytes;
    first += 1;
  }

  return {
    add(recorded: Recorded): void {
      const { requestId, correlationId } = recorded.entry;
      records.set(next, recorded);
      next += 1;
      bytes += recorded.bytes;
      byRequest.set(requestId, recorded.order);
      const same = byCorrelation.get(correlationId) ?? createOrderedList<Recorded>();
      byCorrelation.set(correlationId, same);
      same.put(recorded);
      while (records.size > limit.records || (bytes > limit.bytes && records.size > 1)) forgetOldest();
    },
    /** In the order in which they were recorded. */
    newest(correlationId: string | undefined, count: number): readonly Recorded[] {
      if (correlationId !== undefined) return byCorrelation.get(correlationId)?.before(0, count).reverse() ?? [];
      const from = Math.max(first, next - count);
      return Array.from({ length: next - from }, (_, place) => records.get(from + place)).filter((one) => one !== undefined);
    },
    has: (requestId: string): boolean => byRequest.has(requestId),
    isTruncated: (): boolean => first > 0,
    size: () => ({ records: records.size, bytes }),
  };
}
