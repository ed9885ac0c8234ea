import { events } from '../data/catalog.ts';
import { eventName, isAdditional, rehearsalLink, route, setQuery, withQuery } from '../data/data.ts';
import { type EventFilter, type PublishedEvent, useEventFeed } from '../data/event-feed.ts';
import {
  Badge,
  Empty,
  FilterField,
  OlderRows,
  ProblemCard,
  Skeleton,
  shortSubject,
  useListInUse,
  WaitingRows,
  wallTime,
} from '../kit/kit.ts';

const filterOf = (query: URLSearchParams): EventFilter => ({
  type: query.get('type') ?? undefined,
  subject: query.get('subject') ?? undefined,
  ext: query.get('ext') === 'true',
});

/** The events of a rehearsal. New ones wait while the pointer or the focus is in the list. */
export function EventList({ rehearsal, selected }: { rehearsal: string; selected: string | undefined }) {
  const filter = filterOf(route.value.query);
  const { list, isInUse, onLeave } = useListInUse();
  const feed = useEventFeed(rehearsal, filter, isInUse);
  const leave = onLeave(feed.showWaiting);
  const isFiltered = filter.type !== undefined || filter.subject !== undefined;
  return (
    <section ref={list} class="card list" aria-label="Events" onPointerLeave={leave} onFocusOut={leave}>
      <div class="in stack-tight">
        <TypeField filter={filter} />
        <FilterField parameter="subject" label="Subject, in full: order/ord_…" placeholder="Subject: order/ord_…" />
        <p class="line">
          <button
            type="button"
            class={filter.ext ? 'badge on' : 'badge'}
            aria-pressed={filter.ext ? 'true' : 'false'}
            onClick={() => setQuery({ ext: filter.ext ? undefined : 'true' })}
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
      <WaitingRows shown={feed.items?.length} waiting={feed.waiting} show={feed.showWaiting} />
      {!feed.items && !feed.refusal && feed.slow && <Skeleton rows={8} />}
      {feed.refusal && <ProblemCard refusal={feed.refusal} retry={feed.reload} />}
      <div class="scrolls">
        <nav aria-label="Events, newest first">
          <ul class="rows">
            {feed.items?.map((published) => (
              <EventRow key={published.order} published={published} rehearsal={rehearsal} selected={selected} />
            ))}
          </ul>
        </nav>
        {feed.items?.length === 0 && (isFiltered ? <NothingFound /> : <NothingYet rehearsal={rehearsal} />)}
        <OlderRows show={feed.showOlder} />
      </div>
    </section>
  );
}

const showAll = (): void => setQuery({ type: undefined, subject: undefined });

function EventRow({ published, rehearsal, selected }: { published: PublishedEvent; rehearsal: string; selected: string | undefined }) {
  const { event, order } = published;
  const { id, subject, time } = event as Readonly<Record<'id' | 'subject' | 'time', string>>;
  const name = eventName(event);
  return (
    <li>
      <a
        href={withQuery(rehearsalLink(rehearsal, 'events', id), Object.fromEntries(route.value.query))}
        data-row=""
        aria-current={id === selected ? 'true' : undefined}
      >
        <span class="what event-text">{name.replace(/^ext\./, '')}</span>
        <span>{isAdditional(name) && <Badge>additional</Badge>}</span>
        <span class="meta">
          <span>{shortSubject(subject)}</span>
          <span>
            {wallTime(time)} · no. {order}
          </span>
        </span>
      </a>
    </li>
  );
}

function TypeField({ filter }: { filter: EventFilter }) {
  const known = Object.keys(events);
  const names = filter.type === undefined || known.includes(filter.type) ? known : [filter.type, ...known];
  return (
    <select
      aria-label="Type of event"
      value={filter.type ?? ''}
      onChange={({ target }) => target instanceof HTMLSelectElement && setQuery({ type: target.value })}
    >
      <option value="">all types</option>
      {names.map((name) => (
        <option key={name} value={name} selected={name === filter.type}>
          {name}
        </option>
      ))}
    </select>
  );
}

const NothingFound = () => (
  <Empty title="No event matches.">
    <p class="muted">A subject is matched in full: the type of the object, a slash, its id.</p>
    <button type="button" onClick={showAll}>
      Show all
    </button>
  </Empty>
);

const NothingYet = ({ rehearsal }: { rehearsal: string }) => (
  <Empty title="Nothing has been published here yet.">
    <p class="muted">Each change of a basket, an order, a payment appears here as an event, with those who consume it.</p>
    <a class="button" href={rehearsalLink(rehearsal, 'activity')}>
      See the activity
    </a>
  </Empty>
);
