import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { held } from './live.ts';
import { asRefusal, type Refusal } from './refusal.ts';
import { useResource } from './resource.tsx';

/** Most rows kept in the DOM. */
export const MOST = 1_000;

/** A page of a list, newest first. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Where older ones begin; undefined: there are none. */
  readonly next: number | undefined;
}

export interface Listed<Item> extends ListPage<Item> {
  /** New ones that wait until the list is left, newest first. */
  readonly fresh: readonly Item[];
}

export interface GrowingList<Item> {
  /** Newest first. */
  readonly items: readonly Item[] | undefined;
  /** New ones that wait until the list is left. */
  readonly waiting: number;
  readonly showWaiting: () => void;
  /** Absent: there are no older ones, or as many as a page can show. */
  readonly showOlder: (() => void) | undefined;
  readonly refusal: Refusal | undefined;
  readonly slow: boolean;
  readonly reload: () => void;
}

interface Source<Item> {
  readonly key: string;
  readonly readFirst: (signal: AbortSignal) => Promise<ListPage<Item>>;
  readonly readOlder: (before: number) => Promise<ListPage<Item>>;
  /** Whether somebody points into the list. */
  readonly isInUse: () => boolean;
}

/** A list that grows at its beginning while it is shown. `grow` adds new ones, which wait while the list is in use; `known` is what is listed. */
export function useGrowingList<Item>({ key, readFirst, readOlder, isInUse }: Source<Item>) {
  const [listed, setListed] = useState<Listed<Item>>();
  const [failure, setFailure] = useState<Refusal>();
  const first = useResource(key, readFirst);
  useEffect(() => {
    setListed(first.value && { ...first.value, fresh: [] });
    setFailure(undefined);
  }, [first.value]);
  const known = useRef(listed);
  known.current = listed;

  const showWaiting = useCallback(() => setListed((before) => before && shown(before)), []);
  const grow = (change: (before: Listed<Item>) => Listed<Item>): void =>
    setListed((before) => {
      if (!before) return before;
      const after = change(before);
      // In an empty list nothing can move from below the pointer.
      const waits = held.peek() || (isInUse() && after.items.length > 0);
      return waits ? after : shown(after);
    });
  const isHeld = held.value;
  useEffect(() => {
    if (!isHeld && !isInUse()) showWaiting();
  }, [isHeld]);

  const fail = (error: unknown): void => setFailure(asRefusal(error));
  const showOlder = (before: number): Promise<void> =>
    readOlder(before).then(
      ({ items, next }) => setListed((list) => list && { ...list, items: [...list.items, ...items].slice(0, MOST), next }),
      fail,
    );
  const next = listed?.next;
  const list: GrowingList<Item> = {
    items: listed?.items,
    waiting: listed?.fresh.length ?? 0,
    showWaiting,
    showOlder: next === undefined || (listed?.items.length ?? 0) >= MOST ? undefined : () => void showOlder(next),
    refusal: first.refusal ?? failure,
    slow: first.slow,
    reload: first.reload,
  };
  return { list, known, grow, fail };
}

const shown = <Item>(list: Listed<Item>): Listed<Item> =>
  list.fresh.length === 0 ? list : { ...list, items: [...list.fresh, ...list.items].slice(0, MOST), fresh: [] };
