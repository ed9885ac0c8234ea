import { type JournalLimit, sizeOf } from '../journal-limits.ts';
import type { JournalEntry } from '../ports/journal.ts';
import { type Ordered, OrderedList } from './ordered-list.ts';
import { createMemoryTraces } from './traces.ts';

/** A hop with its place in the journal. */
export interface Recorded extends Ordered {
  readonly entry: Omit<JournalEntry, 'facts'>;
  /** Wall time. */
  readonly at: number;
}

export function createJournalPart(limit: JournalLimit) {
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
