import type { StoredTrace, TracePage } from './ports/traces.ts';
import { joinTraces, storedTrace, type TraceSummary } from './trace-summary.ts';

/** A correlation id in one part of the journal, with the summaries of both parts. */
export interface FoundTrace {
  readonly correlationId: string;
  /** Its place in the part where it was found. */
  readonly sequence: number;
  readonly hops: TraceSummary | undefined;
  readonly anonymous: TraceSummary | undefined;
}

/**
 * A page of the traces of both parts, newest first. Hops of callers without a credential belong to the trace of the others, if there is
 * one, and do not move it.
 * @param found the newest traces of each part: more than `limit` of them, or all
 */
export function tracePage(
  found: { readonly hops: readonly FoundTrace[]; readonly anonymous: readonly FoundTrace[] },
  limit: number,
): TracePage {
  const all = [...found.hops, ...found.anonymous.map((one) => ({ ...one, isElsewhere: one.hops !== undefined }))].sort(
    (a, b) => b.sequence - a.sequence,
  );
  const page = all.slice(0, limit);
  const last = page.at(-1);
  const hasMore = all.length > limit;
  return {
    traces: page.flatMap((one) => ('isElsewhere' in one && one.isElsewhere ? [] : (joined(one) ?? []))),
    next: hasMore ? last?.sequence : undefined,
  };
}

/** The trace of both parts. */
export function joined({ correlationId, hops, anonymous }: Omit<FoundTrace, 'sequence'>): StoredTrace | undefined {
  const summary = hops && anonymous ? joinTraces(hops, anonymous) : (hops ?? anonymous);
  return summary && storedTrace(correlationId, summary);
}
