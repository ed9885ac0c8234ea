import { h } from 'preact';
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
  return h(
    'section',
    { ref: list, class: 'card list', 'aria-label': 'Events', onPointerLeave: leave, onFocusOut: leave },
    h(
      'div',
      { class: 'in stack-tight' },
      h(TypeField, { filter }),
      h(FilterField, { parameter: 'subject', label: 'Subject, in full: order/ord_…', placeholder: 'Subject: order/ord_…' }),
      h(
        'p',
        { class: 'line' },
        h(
          'button',
          {
            type: 'button',
            class: filter.ext ? 'badge on' : 'badge',
            'aria-pressed': filter.ext ? 'true' : 'false',
            onClick: () => setQuery({ ext: filter.ext ? undefined : 'true' }),
          },
          'with additional events',
        ),
        isFiltered && h('button', { type: 'button', class: 'badge', onClick: showAll }, 'show all'),
      ),
    ),
    h(WaitingRows, { shown: feed.items?.length, waiting: feed.waiting, show: feed.showWaiting }),
    !feed.items && !feed.refusal && feed.slow && h(Skeleton, { rows: 8 }),
    feed.refusal && h(ProblemCard, { refusal: feed.refusal, retry: feed.reload }),
    h(
      'div',
      { class: 'scrolls' },
      h(
        'nav',
        { 'aria-label': 'Events, newest first' },
        h(
          'ul',
          { class: 'rows' },
          feed.items?.map((published) => h(EventRow, { key: published.order, published, rehearsal, selected })),
        ),
      ),
      feed.items?.length === 0 && (isFiltered ? h(NothingFound, {}) : h(NothingYet, { rehearsal })),
      h(OlderRows, { show: feed.showOlder }),
    ),
  );
}

const showAll = (): void => setQuery({ type: undefined, subject: undefined });

function EventRow({ published, rehearsal, selected }: { published: PublishedEvent; rehearsal: string; selected: string | undefined }) {
  const { event, order } = published;
  const { id, subject, time } = event as Readonly<Record<'id' | 'subject' | 'time', string>>;
  const name = eventName(event);
  return h(
    'li',
    {},
    h(
      'a',
      {
        href: withQuery(rehearsalLink(rehearsal, 'events', id), Object.fromEntries(route.value.query)),
        'data-row': '',
        'aria-current': id === selected ? 'true' : undefined,
      },
      h('span', { class: 'what event-text' }, name.replace(/^ext\./, '')),
      h('span', {}, isAdditional(name) && h(Badge, {}, 'additional')),
      h('span', { class: 'meta' }, h('span', {}, shortSubject(subject)), h('span', {}, `${wallTime(time)} · no. ${order}`)),
    ),
  );
}

function TypeField({ filter }: { filter: EventFilter }) {
  const known = Object.keys(events);
  const names = filter.type === undefined || known.includes(filter.type) ? known : [filter.type, ...known];
  return h(
    'select',
    {
      'aria-label': 'Type of event',
      value: filter.type ?? '',
      onChange: ({ target }) => target instanceof HTMLSelectElement && setQuery({ type: target.value }),
    },
    h('option', { value: '' }, 'all types'),
    names.map((name) => h('option', { key: name, value: name, selected: name === filter.type }, name)),
  );
}

const NothingFound = () =>
  h(
    Empty,
    { title: 'No event matches.' },
    h('p', { class: 'muted' }, 'A subject is matched in full: the type of the object, a slash, its id.'),
    h('button', { type: 'button', onClick: showAll }, 'Show all'),
  );

const NothingYet = ({ rehearsal }: { rehearsal: string }) =>
  h(
    Empty,
    { title: 'Nothing has been published here yet.' },
    h('p', { class: 'muted' }, 'Each change of a basket, an order, a payment appears here as an event, with those who consume it.'),
    h('a', { class: 'button', href: rehearsalLink(rehearsal, 'activity') }, 'See the activity'),
  );
