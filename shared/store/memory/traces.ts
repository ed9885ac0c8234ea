import type { HopFacts } from '../ports/journal.ts';
import { joinTraces, type TraceSummary, traceOfHop } from '../trace-summary.ts';
import { OrderedList } from './ordered-list.ts';

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
export function createMemoryTraces() {
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
        const begun = { order: sequence, correlationId, summary: hop, bytes: sizeOf(correlationId, hop) };
        byCorrelation.set(correlationId, begun);
        inOrder.put(begun);
        return begun.bytes;
      }
      const before = kept.bytes;
      kept.summary = joinTraces(kept.summary, hop);
      kept.bytes = sizeOf(correlationId, kept.summary);
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

function sizeOf(correlationId: string, { path, faults, applications, apis }: TraceSummary): number {
  const names = charactersOf(faults) + charactersOf(applications) + charactersOf(apis);
  return SUMMARY_BYTES + correlationId.length + path.length + names;
}

function charactersOf(names: readonly string[]): number {
  let characters = 0;
  for (const name of names) characters += name.length + 1;
  return characters;
}
