import type { HopFacts, JournalEntry } from './ports/journal.ts';

/** Capacity of one part of a world's journal: its hops and the summaries of their traces. */
export interface JournalLimit {
  readonly records: number;
  /** Capacity in characters. */
  readonly bytes: number;
}

/** Hops of callers without a credential have a separate part, so that they never displace other hops. */
export const journalParts = ['hops', 'anonymous'] as const;
export type JournalPart = (typeof journalParts)[number];
export type JournalLimits = Readonly<Record<JournalPart, JournalLimit>>;

/** The limits of a journal that keeps this many hops of callers with a credential. */
export const journalLimits = ({ records, bytes }: JournalLimit = { records: 5_000, bytes: 8 * 1024 * 1024 }): JournalLimits => ({
  hops: { records, bytes },
  anonymous: { records: Math.ceil(records / 20), bytes: Math.ceil(bytes / 32) },
});

/**
 * A full journal discards whole traces, the trace with the oldest last hop first. One trace fills at most half of it, so that it never
 * displaces all others: beyond that, the trace loses its own oldest hops.
 */
export const mostOfTrace = ({ records, bytes }: JournalLimit): JournalLimit => ({
  records: Math.ceil(records / 2),
  bytes: Math.ceil(bytes / 2),
});

/** Traces of a full journal that stay: the first one of each API and outcome, so that the first orders of a load test can still be opened. */
export const MOST_FIRSTS = 50;
/** Part of the journal that such a trace fills at most. Together they fill at most half of it. */
export const SHARE_OF_FIRST = 1 / 100;

export const mostOfFirst = ({ records, bytes }: JournalLimit): JournalLimit => ({
  records: Math.ceil(records * SHARE_OF_FIRST),
  bytes: Math.ceil(bytes * SHARE_OF_FIRST),
});

export const partOf = ({ anonymous }: Pick<JournalEntry, 'anonymous'>): JournalPart => (anonymous ? 'anonymous' : 'hops');

/** Characters that a record counts in addition to its text. */
const RECORD_BYTES = 200;

export const sizeOf = ({ head, bodies = '', requestId, correlationId }: Omit<JournalEntry, 'facts'>): number =>
  head.length + bodies.length + requestId.length + correlationId.length + RECORD_BYTES;

/** Share of a page for hops of callers without a credential. */
const ANONYMOUS_SHARE = 1 / 4;

type Found<T> = Readonly<Record<JournalPart, readonly T[]>>;
interface Placed {
  readonly sequence: number;
}

/**
 * The newest hops of both parts, oldest first.
 * @param found the newest hops of each part, oldest first: `limit` hops, or all if a part has fewer
 */
export function newestPage<T extends Placed>(found: Found<T>, limit: number): T[] {
  const anonymous = Math.min(found.anonymous.length, Math.max(limit - found.hops.length, Math.floor(limit * ANONYMOUS_SHARE)));
  return inOrder([...lastOf(found.hops, limit - anonymous), ...lastOf(found.anonymous, anonymous)]);
}

/** A page of the oldest hops of both parts. @param found the oldest hops of each part: `limit` hops, or all if a part has fewer */
export const oldestPage = <T extends Placed>(found: Found<T>, limit: number): T[] =>
  inOrder([...found.hops, ...found.anonymous]).slice(0, limit);

const inOrder = <T extends Placed>(hops: readonly T[]): T[] => hops.toSorted((a, b) => a.sequence - b.sequence);

const lastOf = <T>(list: readonly T[], count: number): readonly T[] => list.slice(Math.max(0, list.length - count));

export const isFailed = ({ status }: Pick<HopFacts, 'status'>): boolean => status === 0 || status >= 400;

/** Who called: an application or `client`. Undefined for deliveries and due work, which have no caller. */
export function callerOf({ kind, caller }: Pick<HopFacts, 'kind' | 'caller'>): string | undefined {
  if (kind === 'delivery' || kind === 'due') return undefined;
  return caller ?? 'client';
}
