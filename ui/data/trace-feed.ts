import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { control, type Output } from './control.ts';
import { type GrowingList, type Listed, type ListPage, MOST, useGrowingList } from './growing-list.ts';
import { useBeginning, useFrames } from './live.ts';

export type Trace = Output<'list-traces'>['items'][number];
export interface TraceFilter {
  readonly q?: string;
  readonly status?: 'ok' | 'refused' | 'failed';
  readonly fault?: string;
  readonly api?: string;
  readonly application?: string;
  readonly object?: string;
}

/** Frames come up to ten times a second; the list is read half as often as people can follow. Wall time. */
const REFRESH_MS = 400;
const PAGE = 50;
/** Traces of a further page, when the first one is full. */
const CATCH_UP = 200;

type ReadPage = (signal?: AbortSignal, before?: number, limit?: number) => Promise<ListPage<Trace>>;

export interface TraceFeed extends GrowingList<Trace> {
  /** Number of traces that the journal has discarded. */
  readonly discarded: number;
}

/** The traces of a rehearsal, newest first, kept up to date. @param isInUse whether somebody points into the list */
export function useTraceFeed(key: string, filter: TraceFilter, isInUse: () => boolean): TraceFeed {
  const [discarded, setDiscarded] = useState(0);
  const read: ReadPage = async (signal, before, limit = PAGE) => {
    const { items, next, discarded: gone } = await control('list-traces', { query: { ...filter, before, limit } as never }, { signal });
    setDiscarded(gone);
    return { items, next };
  };
  const readOlder = (before: number) => read(undefined, before);
  const { list, known, grow } = useGrowingList<Trace>({ key, readFirst: (signal) => read(signal), readOlder, isInUse });
  const latest = useRef({ read, key, grow });
  latest.current = { read, key, grow };

  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refresh = useCallback(() => {
    due.current ??= setTimeout(async () => {
      due.current = undefined;
      const asked = latest.current;
      const newest = newestOf(known.current);
      const answer = await readBackTo(newest, asked.read).catch(() => undefined);
      if (!answer || latest.current.key !== asked.key) return;
      if (!known.current) return list.reload();
      const isWhole = newest === 0 || (answer.next ?? 0) > newest;
      latest.current.grow((before) => (isWhole ? { items: [], fresh: answer.items, next: answer.next } : merged(before, answer.items)));
    }, REFRESH_MS);
  }, []);
  useEffect(() => () => clearTimeout(due.current), []);
  useFrames('hops', refresh);
  useBeginning(refresh);
  useFrames('gap', list.reload);
  return { ...list, discarded };
}

/** Place of the newest trace that is known; 0 without any. */
const newestOf = (known: Listed<Trace> | undefined): number =>
  Math.max(0, ...(known?.fresh ?? []).map(({ sequence }) => sequence), known?.items[0]?.sequence ?? 0);

/**
 * The newest traces, back to the newest one that is known: more may have come than a page holds. Gives up when a list could not show more;
 * then `next` is above it.
 */
async function readBackTo(known: number, read: ReadPage): Promise<ListPage<Trace>> {
  const { items, next } = await read();
  const all = [...items];
  let before = next;
  while (known > 0 && before !== undefined && before > known && all.length < MOST) {
    const page = await read(undefined, before, CATCH_UP);
    all.push(...page.items);
    before = page.next;
  }
  return { items: all, next: before };
}

/** Known traces are replaced where they stand; new ones wait, newest first. */
function merged({ items, fresh, next }: Listed<Trace>, newest: readonly Trace[]): Listed<Trace> {
  const byId = new Map(newest.map((trace) => [trace.correlationId, trace]));
  const shown = new Set(items.map(({ correlationId }) => correlationId));
  const waiting = [...fresh, ...newest].filter(({ correlationId }) => !shown.has(correlationId));
  const once = new Map(waiting.map((trace) => [trace.correlationId, trace]));
  return {
    items: items.map((trace) => byId.get(trace.correlationId) ?? trace),
    fresh: [...once.values()].sort((one, other) => other.sequence - one.sequence),
    next,
  };
}
