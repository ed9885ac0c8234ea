import { type JournalLimits, type JournalPart, newestPage, oldestPage, partOf } from '../journal-limits.ts';
import type { HopCounts, JournalAsk, JournalEntry, JournalPage, JournalSize, RecordedHop } from '../ports/journal.ts';
import type { StoredTrace, TracePage } from '../ports/traces.ts';
import { type FoundTrace, joined, tracePage } from '../trace-summary.ts';
import { createHopCounts } from './hop-counts.ts';
import { createJournalPart, type Recorded } from './journal-part.ts';

/** The journal of a world. The cost of a page depends on its length, not on the size of the journal. */
export function createMemoryJournal(limits: JournalLimits) {
  let newest = 0;
  const hops = createJournalPart(limits.hops);
  const anonymous = createJournalPart(limits.anonymous);
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
