import { events } from '../data/catalog.ts';
import { control, here, linkHere, route, setQuery, withQuery } from '../data/data.ts';
import { type GrowingList, type ListPage, useGrowingList } from '../data/growing-list.ts';
import { Choice, Empty, FilterField, GrowingRows, type useListInUse } from '../kit/kit.ts';
import { ColumnChoice, RowTable } from '../kit/table.tsx';
import { eventCell, useEventColumns } from './event-columns.tsx';
import { eventFacts, type PublishedEvent } from './event-row.tsx';
import css from './events.module.css';

interface EventFilter {
  /** Without prefix. */
  readonly type?: string;
  /** `payment/pay_…` */
  readonly subject?: string;
  /** Additional events too. A type that is named is always included. */
  readonly ext: 'true' | 'false';
}

export const filterOf = (query: URLSearchParams): EventFilter => ({
  type: query.get('type') ?? undefined,
  subject: query.get('subject') ?? undefined,
  ext: query.get('ext') === 'true' ? 'true' : 'false',
});

interface EventListProps {
  readonly use: ReturnType<typeof useListInUse>;
  readonly feed: GrowingList<PublishedEvent>;
  /** Its id. */
  readonly selected: string | undefined;
}

/** The events of a rehearsal as a table. New ones wait while the pointer or the focus is in the list. */
export function EventList({ use, feed, selected }: EventListProps) {
  const { query } = route.value;
  const filter = filterOf(query);
  const columns = useEventColumns(feed.items);
  const isFiltered = filter.type !== undefined || filter.subject !== undefined;
  const withExtra = filter.ext === 'true';
  const filters = (
    <div class="in stack-tight">
      <div class={css['find']}>
        <FilterField
          parameter="subject"
          label="Subject: an id, an order number or order/ord_…"
          placeholder="Subject: id, number, order/ord_…"
        />
        <Choice
          attributes={{ 'aria-label': 'Type of event' }}
          value={filter.type ?? ''}
          choices={[['', 'all types'], ...typesWith(filter.type).map((name) => [name, name] as const)]}
          onChange={(type) => setQuery({ type })}
        />
        <ColumnChoice columns={columns} />
      </div>
      <p class="line">
        <button
          type="button"
          class="badge"
          aria-pressed={withExtra ? 'true' : 'false'}
          onClick={() => setQuery({ ext: withExtra ? undefined : 'true' })}
        >
          with additional events
        </button>
        {isFiltered && (
          <button type="button" class="badge" onClick={showAll}>
            show all
          </button>
        )}
      </p>
    </div>
  );
  return (
    <GrowingRows
      use={use}
      label="Events"
      class="card"
      feeds={[feed]}
      filters={filters}
      rows={
        feed.items &&
        feed.items.length > 0 && (
          <RowTable
            label="Events"
            heading="event"
            items={feed.items}
            keyOf={({ order }) => order}
            href={({ event }) => withQuery(linkHere('events', eventFacts(event).id), Object.fromEntries(query))}
            name={eventCell}
            columns={columns}
            isCurrent={({ event }) => event['id'] === selected}
            facts={({ event, order }) => ({ id: eventFacts(event).id, more: `no. ${order} on the bus` })}
          />
        )
      }
      empty={isFiltered ? <NothingFound /> : <NothingYet />}
    />
  );
}

/** The bus lists events from the oldest; places count from 1 without gaps, so a window of places is read from its end. */
const WINDOW = 1_000;
const ENOUGH = 50;
const MOST_WINDOWS = 5;

/** The events of a rehearsal, newest first, kept up to date. */
export function useEventFeed(filter: EventFilter, isInUse: () => boolean): GrowingList<PublishedEvent> {
  const read = async (before?: number, signal?: AbortSignal): Promise<ListPage<PublishedEvent>> => {
    const found = await withSubject(filter, signal);
    if (!found) return { items: [] };
    if (before !== undefined) return readBackwards(found, before, signal);
    const { counts } = await control('read-rehearsal', { params: { name: here() } }, { signal });
    return readBackwards(found, counts.events, signal);
  };
  return useGrowingList<PublishedEvent>({
    key: JSON.stringify(filter),
    read,
    readAfter: async (after, signal) => {
      const found = await withSubject(filter, signal);
      if (!found) return { items: [] };
      const { items } = await control('list-events', { query: { ...found, after, limit: WINDOW } }, { signal });
      return items.length < WINDOW ? { items: items.toReversed() } : read(undefined, signal);
    },
    keyOf: ({ order }) => order,
    placeOf: ({ order }) => order,
    follows: ['events'],
    isInUse,
  });
}

/** A subject without its type is the id or the number of an object. @returns undefined when no object has it */
async function withSubject(filter: EventFilter, signal?: AbortSignal): Promise<EventFilter | undefined> {
  const { subject } = filter;
  if (subject === undefined || subject.includes('/')) return filter;
  const { items } = await control('search', { query: { q: subject } }, { signal });
  const found = items.find(({ id, label }) => id === subject || label === subject);
  return found && { ...filter, subject: `${found.type}/${found.id}` };
}

/** Windows of places, the newest first, until there are enough events or too many windows. */
async function readBackwards(filter: EventFilter, from: number, signal?: AbortSignal): Promise<ListPage<PublishedEvent>> {
  const items: PublishedEvent[] = [];
  let before = from;
  for (let windows = 0; windows === 0 || (before > 0 && windows < MOST_WINDOWS && items.length < ENOUGH); windows += 1) {
    const end = before;
    before = Math.max(0, before - WINDOW);
    const answer = await control('list-events', { query: { ...filter, after: before, limit: WINDOW } }, { signal });
    items.push(...answer.items.filter(({ order }) => windows === 0 || order <= end).reverse());
  }
  return { items, next: before === 0 ? undefined : before };
}

const showAll = (): void => setQuery({ type: undefined, subject: undefined });

/** All types, and one that an address names although it does not exist. */
function typesWith(chosen: string | undefined): readonly string[] {
  const known = Object.keys(events);
  return chosen === undefined || known.includes(chosen) ? known : [chosen, ...known];
}

const NothingFound = () => (
  <Empty title="No event matches.">
    <p class="muted">A subject is matched in full: the id or the number of an object, or its type, a slash and its id.</p>
    <button type="button" onClick={showAll}>
      Show all
    </button>
  </Empty>
);

const NothingYet = () => (
  <Empty title="Nothing has been published here yet.">
    <p class="muted">Each change of a basket, an order or a payment appears here as an event, with its consumers.</p>
    <a class="button" href={linkHere('activity')}>
      See the activity
    </a>
  </Empty>
);
