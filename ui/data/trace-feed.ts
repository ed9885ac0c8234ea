import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { control, type Output } from './control.ts';
import { held, useBeginning, useFrames } from './live.ts';
import { asRefusal, type Refusal } from './refusal.ts';
import { useResource } from './resource.tsx';

export type Trace = Output<'list-traces'>['items'][number];
export interface TraceFilter {
  readonly q?: string;
  readonly status?: 'ok' | 'refused' | 'failed';
  readonly fault?: string;
  readonly api?: string;
  readonly application?: string;
  readonly object?: string;
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
/** Traces of a further page, when the first one is full. */
const CATCH_UP = 200;
/** Most rows kept in the DOM. */
const MOST = 1_000;

interface Listed {
  readonly items: readonly Trace[];
  readonly next: number | undefined;
}

type ReadPage = (signal?: AbortSignal, before?: number, limit?: number) => Promise<Output<'list-traces'>>;

/** The traces of a rehearsal, newest first, kept up to date. @param isInUse whether somebody points into the list */
export function useTraceFeed(key: string, filter: TraceFilter, isInUse: () => boolean): TraceFeed {
  const read: ReadPage = (signal, before, limit = PAGE) =>
    control('list-traces', { query: { ...filter, before, limit } as never }, { signal });
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
      const known = newestOf(asked);
      const answer = await readBackTo(known, asked.read).catch(() => undefined);
      if (!answer || latest.current.key !== asked.key) return;
      if (!latest.current.listed) return first.reload();
      const isWhole = known === 0 || (answer.next ?? 0) > known;
      const news = isWhole ? { items: [], fresh: answer.items } : merged(latest.current.listed, latest.current.fresh, answer.items);
      const listed = { items: news.items, next: isWhole ? answer.next : latest.current.listed.next };
      setListed(listed);
      setFresh(news.fresh);
      latest.current = { ...latest.current, listed, fresh: news.fresh };
      // In an empty list nothing can move from below the pointer.
      if (!held.peek() && (news.items.length === 0 || !isInUse())) showWaiting();
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

/** Place of the newest trace that is known; 0 without any. */
const newestOf = ({ listed, fresh }: { readonly listed: Listed | undefined; readonly fresh: readonly Trace[] }): number =>
  Math.max(0, ...fresh.map(({ sequence }) => sequence), listed?.items[0]?.sequence ?? 0);

/**
 * The newest traces, back to the newest one that is known: more may have come than a page holds. Gives up when a list could not show more;
 * then `next` is above it.
 */
async function readBackTo(known: number, read: ReadPage): Promise<Listed> {
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
