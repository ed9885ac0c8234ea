import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { held, onFrames } from './live.ts';
import { asRefusal, type Refusal } from './refusal.ts';
import { type Resource, useResource } from './resource.tsx';
import { here } from './router.ts';
import type { FrameKind } from './stream.ts';

/** Most rows kept in the DOM. */
const MOST = 1_000;

/** A page of a list, newest first. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where older ones begin; undefined: there are none. */
  readonly next?: number;
}

interface Listed<Item> extends ListPage<Item> {
  /** The list that it belongs to. */
  readonly key: string;
  /** New ones that wait until the list is left, newest first. */
  readonly fresh: readonly Item[];
  /** Shown items that have left the list. They stay while the list is in use. */
  readonly gone: ReadonlySet<Item>;
}

export interface GrowingList<Item> extends Pick<Resource<unknown>, 'refusal' | 'slow' | 'reload'> {
  /** Newest first. */
  readonly items: readonly Item[] | undefined;
  /** New ones that wait until the list is left. */
  readonly waiting: number;
  readonly showWaiting: () => void;
  /** Absent: there are no older ones, or as many as a page can show. */
  readonly showOlder: (() => void) | undefined;
}

interface Source<Item> {
  readonly key: string;
  /** The newest items, or those before a place. */
  readonly read: (before: number | undefined, signal?: AbortSignal) => Promise<ListPage<Item>>;
  /** The items after a place. Default: pages from the newest back to it. */
  readonly readAfter?: (place: number, signal: AbortSignal) => Promise<ListPage<Item>>;
  readonly keyOf: (item: Item) => string | number;
  /** A newer item has a higher place. */
  readonly placeOf: (item: Item) => number;
  /** Items change without a new place, so all shown items are read again. */
  readonly changes?: boolean;
  readonly follows: readonly FrameKind[];
  /** Whether somebody points into the list. */
  readonly isInUse: () => boolean;
}

/** A list that grows at its beginning while it is shown. Known items are replaced where they stand; new ones wait while the list is in use. */
export function useGrowingList<Item>(source: Source<Item>): GrowingList<Item> {
  const { read, isInUse } = source;
  const key = `${here()} ${source.key}`;
  const [listed, setListed] = useState<Listed<Item>>();
  const [failure, setFailure] = useState<Refusal>();
  /** The world was replaced, or the stream has missed frames. */
  const isStale = useRef(false);
  const readNews = async (signal: AbortSignal) => {
    const known = listed?.key === key && !isStale.current ? [...listed.fresh, ...listed.items] : [];
    if (known.length === 0) return { page: await read(undefined, signal), isWhole: true };
    const places = known.map(source.placeOf);
    const since = source.changes ? Math.min(...places) : Math.max(...places);
    const page = await (source.readAfter?.(since, signal) ?? readBackTo(since, read, signal));
    return { page, isWhole: (page.next ?? 0) > since };
  };
  const news = useResource(key, readNews, { follows: source.follows });
  const restart = (): void => {
    isStale.current = true;
    news.reload();
  };
  useEffect(() => onFrames('gap', restart), []);
  useEffect(() => {
    setFailure(undefined);
    const wasStale = isStale.current;
    isStale.current = false;
    setListed((before) => {
      if (!news.value) return undefined;
      const { page, isWhole } = news.value;
      const after =
        before && !isWhole ? merged(before, page.items, source) : { ...page, key, items: [], fresh: page.items, gone: new Set<Item>() };
      // New rows of an empty list may appear immediately: they move no row below the pointer.
      const waits = before && !wasStale && (held.peek() || (isInUse() && after.items.length > 0));
      return waits ? after : shown(after);
    });
  }, [news.value]);

  const showWaiting = useCallback(() => setListed((before) => before && shown(before)), []);
  const isHeld = held.value;
  useEffect(() => {
    if (!isHeld && !isInUse()) showWaiting();
  }, [isHeld]);
  const showOlder = (before: number): Promise<void> =>
    read(before).then(
      ({ items, next }) => setListed((list) => list && { ...list, items: [...list.items, ...items].slice(0, MOST), next }),
      (error: unknown) => setFailure(asRefusal(error)),
    );
  const next = listed?.next;
  return {
    items: listed?.items,
    waiting: listed?.fresh.length ?? 0,
    showWaiting,
    showOlder: next === undefined || (listed?.items.length ?? 0) >= MOST ? undefined : () => void showOlder(next),
    refusal: news.refusal ?? failure,
    slow: news.slow,
    reload: news.reload,
  };
}

/** Reads pages from the newest item back to a place. It stops earlier when the list is full; `next` is then above the place. */
async function readBackTo<Item>(place: number, read: Source<Item>['read'], signal: AbortSignal): Promise<ListPage<Item>> {
  const items: Item[] = [];
  let next: number | undefined;
  do {
    const page = await read(next, signal);
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined && next > place && items.length < MOST);
  return { items, next };
}

function merged<Item>(list: Listed<Item>, news: readonly Item[], { keyOf, placeOf, changes }: Source<Item>): Listed<Item> {
  const newest = new Map(news.map((item) => [keyOf(item), item]));
  const items = list.items.map((item) => newest.get(keyOf(item)) ?? item);
  const known = new Set(items.map(keyOf));
  const waiting = new Map([...list.fresh, ...news].filter((item) => !known.has(keyOf(item))).map((item) => [keyOf(item), item]));
  return {
    ...list,
    items,
    fresh: [...waiting.values()].sort((one, other) => placeOf(other) - placeOf(one)).slice(0, MOST),
    gone: new Set(changes ? items.filter((item) => !newest.has(keyOf(item))) : []),
  };
}

function shown<Item>(list: Listed<Item>): Listed<Item> {
  const { items, fresh, gone } = list;
  if (fresh.length + gone.size === 0) return list;
  return { ...list, items: [...fresh, ...items.filter((item) => !gone.has(item))].slice(0, MOST), fresh: [], gone: new Set() };
}
