import { control, type Output } from './control.ts';
import { eventName, isAdditional } from './event-name.ts';
import { type GrowingList, type ListPage, MOST, useGrowingList } from './growing-list.ts';
import { useBeginning, useFrames } from './live.ts';

export type PublishedEvent = Output<'list-events'>['items'][number];
export interface EventFilter {
  /** Without prefix. */
  readonly type?: string;
  /** `payment/pay_…` */
  readonly subject?: string;
  /** Additional events too. A type that is named is always included. */
  readonly ext: boolean;
}

/** The bus lists events from the oldest; places count from 1 without gaps, so a window of places is read from its end. */
const WINDOW = 1_000;
const ENOUGH = 50;
const MOST_WINDOWS = 5;
/** The events of a rehearsal, newest first, kept up to date. @param isInUse whether somebody points into the list */
export function useEventFeed(rehearsal: string, filter: EventFilter, isInUse: () => boolean): GrowingList<PublishedEvent> {
  const readNewest = async (signal?: AbortSignal) => {
    const { counts } = await control('read-rehearsal', { params: { name: rehearsal } }, { signal });
    return readBackwards(filter, counts.events, signal);
  };
  const { list, known, grow, fail } = useGrowingList<PublishedEvent>({
    key: JSON.stringify([rehearsal, filter]),
    readFirst: readNewest,
    readOlder: (before) => readBackwards(filter, before),
    isInUse,
  });
  const add = (events: readonly PublishedEvent[]): void => {
    grow((before) => {
      const newest = before.fresh[0]?.order ?? before.items[0]?.order ?? 0;
      const news = events.filter((one) => one.order > newest && matches(one, filter)).reverse();
      return { ...before, fresh: [...news, ...before.fresh].slice(0, MOST) };
    });
    if (!known.current) list.reload();
  };
  useFrames('events', add);
  useBeginning(() => void readNewest().then(({ items }) => add(items.toReversed()), fail));
  useFrames('gap', list.reload);
  return list;
}

/** Windows of places, the newest first, until there are enough events or too many windows. */
async function readBackwards(filter: EventFilter, from: number, signal?: AbortSignal): Promise<ListPage<PublishedEvent>> {
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
  return { items, next: before === 0 ? undefined : before };
}

function matches({ event }: PublishedEvent, { type, subject, ext }: EventFilter): boolean {
  const name = eventName(event);
  if (type === undefined ? !ext && isAdditional(name) : name !== type) return false;
  return subject === undefined || event['subject'] === subject;
}
