import { useCallback, useEffect, useState } from 'preact/hooks';
import { control, type Output } from './control.ts';
import { eventName, isAdditional } from './event-name.ts';
import { held, useBeginning, useFrames } from './live.ts';
import { asRefusal, type Refusal } from './refusal.ts';
import { useResource } from './resource.tsx';

export type PublishedEvent = Output<'list-events'>['items'][number];
export interface EventFilter {
  /** Without prefix. */
  readonly type?: string;
  /** `payment/pay_…` */
  readonly subject?: string;
  /** Additional events too. A type that is named is always included. */
  readonly ext: boolean;
}

export interface EventFeed {
  /** Newest first. */
  readonly items: readonly PublishedEvent[] | undefined;
  /** New events that wait until the list is left. */
  readonly waiting: number;
  readonly showWaiting: () => void;
  /** Absent: there are no older ones, or as many as a page can show. */
  readonly showOlder: (() => void) | undefined;
  readonly refusal: Refusal | undefined;
  readonly slow: boolean;
  readonly reload: () => void;
}

/** The bus lists events from the oldest; places count from 1 without gaps, so a window of places is read from its end. */
const WINDOW = 1_000;
const ENOUGH = 50;
const MOST_WINDOWS = 5;
/** Most rows kept in the DOM. */
const MOST = 1_000;

interface Listed {
  readonly items: readonly PublishedEvent[];
  /** New events that wait. */
  readonly fresh: readonly PublishedEvent[];
  /** Places up to this one have not been read. */
  readonly before: number;
}

/** The events of a rehearsal, newest first, kept up to date. @param isInUse whether somebody points into the list */
export function useEventFeed(rehearsal: string, filter: EventFilter, isInUse: () => boolean): EventFeed {
  const key = JSON.stringify([rehearsal, filter]);
  const [listed, setListed] = useState<Listed>();
  const [failure, setFailure] = useState<Refusal>();
  const readNewest = async (signal?: AbortSignal) => {
    const { counts } = await control('read-rehearsal', { params: { name: rehearsal } }, { signal });
    return readBackwards(filter, counts.events, signal);
  };
  const first = useResource(key, readNewest);
  useEffect(() => {
    setListed(first.value && { ...first.value, fresh: [] });
    setFailure(undefined);
  }, [first.value]);

  const showWaiting = useCallback(() => setListed((known) => known && shown(known)), []);
  const add = (events: readonly PublishedEvent[]): void => {
    setListed((known) => {
      if (!known) return known;
      // In an empty list nothing can move from below the pointer.
      const waits = held.peek() || (isInUse() && known.items.length > 0);
      const newest = known.fresh[0]?.order ?? known.items[0]?.order ?? 0;
      const news = events.filter((one) => one.order > newest && matches(one, filter)).reverse();
      if (news.length === 0) return known;
      const grown = { ...known, fresh: [...news, ...known.fresh].slice(0, MOST) };
      return waits ? grown : shown(grown);
    });
    if (!first.value) first.reload();
  };
  useFrames('events', add);
  useBeginning(
    () =>
      void readNewest()
        .then(({ items }) => add(items.toReversed()))
        .catch((error: unknown) => setFailure(asRefusal(error))),
  );
  useFrames('gap', first.reload);
  const isHeld = held.value;
  useEffect(() => {
    if (!isHeld && !isInUse()) showWaiting();
  }, [isHeld]);

  const before = listed?.before ?? 0;
  const showOlder = async (): Promise<void> => {
    try {
      const older = await readBackwards(filter, before);
      setListed((known) => known && { ...known, ...older, items: [...known.items, ...older.items].slice(0, MOST) });
    } catch (error) {
      setFailure(asRefusal(error));
    }
  };
  return {
    items: listed?.items,
    waiting: listed?.fresh.length ?? 0,
    showWaiting,
    showOlder: before === 0 || (listed?.items.length ?? 0) >= MOST ? undefined : () => void showOlder(),
    refusal: first.refusal ?? failure,
    slow: first.slow,
    reload: first.reload,
  };
}

const shown = ({ items, fresh, before }: Listed): Listed => ({ items: [...fresh, ...items].slice(0, MOST), fresh: [], before });

/** Windows of places, the newest first, until there are enough events or too many windows. */
async function readBackwards(filter: EventFilter, from: number, signal?: AbortSignal): Promise<Omit<Listed, 'fresh'>> {
  const items: PublishedEvent[] = [];
  const ext = filter.ext ? 'true' : 'false';
  let before = from;
  for (let windows = 0; windows === 0 || (before > 0 && windows < MOST_WINDOWS && items.length < ENOUGH); windows += 1) {
    const end = before;
    before = Math.max(0, before - WINDOW);
    const query = { type: filter.type, subject: filter.subject, ext, after: before, limit: WINDOW } as const;
    const answer = await control('list-events', { query }, { signal });
    items.push(...answer.items.filter(({ order }) => windows === 0 || order <= end).reverse());
  }
  return { items, before };
}

function matches({ event }: PublishedEvent, { type, subject, ext }: EventFilter): boolean {
  const name = eventName(event);
  if (type === undefined ? !ext && isAdditional(name) : name !== type) return false;
  return subject === undefined || event['subject'] === subject;
}
