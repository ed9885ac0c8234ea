import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { control, type Output } from './control.ts';
import { held, useBeginning, useFrames } from './live.ts';
import { asRefusal, type Refusal } from './refusal.ts';
import { useResource } from './resource.ts';

export type Trace = Output<'list-traces'>['items'][number];
export interface TraceFilter {
  readonly q?: string | undefined;
  readonly status?: 'ok' | 'refused' | 'failed' | undefined;
  readonly fault?: string | undefined;
  readonly api?: string | undefined;
  readonly application?: string | undefined;
  readonly object?: string | undefined;
}

export interface TraceFeed {
  readonly items: readonly Trace[] | undefined;
  /** New traces that wait until the list is left. */
  readonly waiting: number;
  readonly showWaiting: () => void;
  /** Absent: there are no older ones, or as many as a page can show. */
  readonly showOlder: (() => void) | undefined;
  readonly refusal: Refusal | undefined;
  readonly slow: boolean;
  readonly reload: () => void;
}

/** Frames come up to ten times a second; the list is read half as often as people can follow. Wall time. */
const REFRESH_MS = 400;
const PAGE = 50;
/** Of rows in the document. */
const MOST = 1_000;

interface Listed {
  readonly items: readonly Trace[];
  readonly next: number | undefined;
}

/** The traces of a rehearsal, newest first, kept up to date. @param isInUse whether somebody points into the list */
export function useTraceFeed(key: string, filter: TraceFilter, isInUse: () => boolean): TraceFeed {
  const read = (signal?: AbortSignal, before?: number) =>
    control('list-traces', { query: { ...filter, before, limit: PAGE } as never }, { signal });
  const [listed, setListed] = useState<Listed>();
  const [fresh, setFresh] = useState<readonly Trace[]>([]);
  const [failure, setFailure] = useState<Refusal>();
  const first = useResource(key, (signal) => read(signal));
  useEffect(() => {
    setListed(first.value && { items: first.value.items, next: first.value.next });
    setFresh([]);
  }, [first.value]);

  const latest = useRef({ listed, fresh, read, key });
  latest.current = { listed, fresh, read, key };
  const showWaiting = useCallback(() => {
    const { fresh: waiting } = latest.current;
    if (waiting.length === 0) return;
    setListed((before) => before && { ...before, items: [...waiting, ...before.items].slice(0, MOST) });
    setFresh([]);
  }, []);

  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refresh = useCallback(() => {
    due.current ??= setTimeout(async () => {
      due.current = undefined;
      const asked = latest.current;
      const answer = await asked.read().catch(() => undefined);
      if (!answer || latest.current.key !== asked.key) return;
      if (!latest.current.listed) return first.reload();
      const news = merged(latest.current.listed, latest.current.fresh, answer.items);
      setListed({ ...latest.current.listed, items: news.items });
      setFresh(news.fresh);
      latest.current = { ...latest.current, listed: { ...latest.current.listed, items: news.items }, fresh: news.fresh };
      if (!held.peek() && !isInUse()) showWaiting();
    }, REFRESH_MS);
  }, []);
  useEffect(() => () => clearTimeout(due.current), []);
  useFrames('hops', refresh);
  useBeginning(refresh);
  useFrames('gap', first.reload);
  const isHeld = held.value;
  useEffect(() => {
    if (!isHeld && !isInUse()) showWaiting();
  }, [isHeld]);

  const next = listed?.next;
  const showOlder = async (): Promise<void> => {
    try {
      const older = await read(undefined, next);
      setListed((before) => before && { items: [...before.items, ...older.items], next: older.next });
    } catch (error) {
      setFailure(asRefusal(error));
    }
  };
  return {
    items: listed?.items,
    waiting: fresh.length,
    showWaiting,
    showOlder: next === undefined || (listed?.items.length ?? 0) >= MOST ? undefined : () => void showOlder(),
    refusal: first.refusal ?? failure,
    slow: first.slow,
    reload: first.reload,
  };
}

/** Known traces are replaced where they stand; new ones are put apart, newest first. */
function merged(
  { items }: Listed,
  waiting: readonly Trace[],
  newest: readonly Trace[],
): { items: readonly Trace[]; fresh: readonly Trace[] } {
  const byId = new Map(newest.map((trace) => [trace.correlationId, trace]));
  const shown = new Set(items.map(({ correlationId }) => correlationId));
  const fresh = new Map(
    [...waiting, ...newest].filter(({ correlationId }) => !shown.has(correlationId)).map((trace) => [trace.correlationId, trace]),
  );
  return {
    items: items.map((trace) => byId.get(trace.correlationId) ?? trace),
    fresh: [...fresh.values()].sort((one, other) => other.sequence - one.sequence),
  };
}
