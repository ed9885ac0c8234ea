import type { Ms } from '../domain/time.ts';
import type { HopFacts, StoredTrace, TracePage } from './ports/journal.ts';

/** A summary as the stores keep it. The adapter for Redis adds hops to it in Lua (`redis/lua/traces.ts`), by the same rules. */
export interface TraceSummary extends Omit<StoredTrace, 'correlationId' | 'faults' | 'applications' | 'apis'> {
  /** Whether the hop that names the trace came from outside, and its start in wall time. */
  readonly isFromOutside: boolean;
  readonly namedAt: Ms;
  /** Names, each once. They are few: a list takes less memory than a set. */
  readonly faults: readonly string[];
  readonly applications: readonly string[];
  readonly apis: readonly string[];
}

const counted = (condition: boolean): number => (condition ? 1 : 0);

export function traceOfHop(sequence: number, hop: HopFacts): TraceSummary {
  const { kind, application, api, method, path, status, startedAt, at, durationMs, faults } = hop;
  const isFromOutside = kind === 'request';
  const isAnswered = isFromOutside && status > 0;
  return {
    sequence,
    startedAt,
    lastAt: startedAt + Math.round(durationMs),
    at,
    isFromOutside,
    namedAt: startedAt,
    method,
    path,
    api,
    application,
    status,
    durationMs,
    requests: counted(isAnswered),
    calls: counted(kind === 'call'),
    deliveries: counted(kind === 'delivery'),
    failed: counted(status === 0 || status >= 400),
    faults: faults.length > 1 ? [...new Set(faults)] : faults,
    applications: [application],
    apis: [api],
  };
}

/** The summary of both, at the position of the first. */
export function joinTraces(first: TraceSummary, second: TraceSummary): TraceSummary {
  const earlier = second.startedAt < first.startedAt ? second : first;
  const naming = namesRather(second, first) ? second : first;
  return {
    ...naming,
    sequence: first.sequence,
    startedAt: earlier.startedAt,
    at: earlier.at,
    lastAt: Math.max(first.lastAt, second.lastAt),
    requests: first.requests + second.requests,
    calls: first.calls + second.calls,
    deliveries: first.deliveries + second.deliveries,
    failed: first.failed + second.failed,
    faults: both(first.faults, second.faults),
    applications: both(first.applications, second.applications),
    apis: both(first.apis, second.apis),
  };
}

function both(first: readonly string[], second: readonly string[]): readonly string[] {
  const added = second.filter((name) => !first.includes(name));
  return added.length === 0 ? first : [...first, ...added];
}

/** Ranks an answer, the worst highest: a failure, no answer (the gateway then answers with a failure), a refusal, a success. */
function badness(status: number): number {
  if (status >= 500) return 3;
  if (status === 0) return 2;
  return counted(status >= 400);
}

/** The API of a trace and its outcome. Undefined without a request from outside. */
export const kindOfTrace = ({ isFromOutside, api, status }: TraceSummary): string | undefined =>
  isFromOutside ? `${api} ${badness(status)}` : undefined;

/**
 * The worst request from outside names a trace; of equally bad ones, the latest. Without a request from outside, the earliest hop names it,
 * because callers come after calls.
 */
function namesRather(second: TraceSummary, first: TraceSummary): boolean {
  if (second.isFromOutside !== first.isFromOutside) return second.isFromOutside;
  if (!second.isFromOutside) return second.namedAt <= first.namedAt;
  const worse = badness(second.status) - badness(first.status);
  return worse > 0 || (worse === 0 && second.namedAt >= first.namedAt);
}

function storedTrace(correlationId: string, summary: TraceSummary): StoredTrace {
  const { isFromOutside: _isFromOutside, namedAt: _namedAt, faults, applications, apis, ...rest } = summary;
  return { ...rest, correlationId, faults: sorted(faults), applications: sorted(applications), apis: sorted(apis) };
}

const sorted = (names: readonly string[]): readonly string[] => [...names].sort();

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
 * @param found the newest traces of each part: more than `limit` traces, or all if a part has fewer
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
