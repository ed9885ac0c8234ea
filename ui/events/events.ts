import './events.css';
import { h } from 'preact';
import { navigate, rehearsalLink, withQuery } from '../data/data.ts';
import { Empty, Heading, useKeys, useListPlace } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import { EventDetail } from './event-detail.ts';
import { EventList } from './event-list.ts';

/** What was published in a rehearsal: the events, and beside them the one that is selected. */
export function Events({ rehearsal, rest: [id], query }: PageProps) {
  const list = withQuery(rehearsalLink(rehearsal, 'events'), Object.fromEntries(query));
  const place = useListPlace(list, id);
  useKeys({ Escape: () => id !== undefined && navigate(list) });
  return h(
    'div',
    { class: id === undefined ? 'stack' : 'stack with-detail' },
    h(
      'div',
      { class: 'title' },
      id === undefined ? h(Heading, { title: `Events of ${rehearsal}` }, 'Events') : h('p', { class: 'as-h1' }, 'Events'),
      id !== undefined && h('a', { class: 'button below', href: list }, '← All events'),
      h('p', { class: 'muted wide' }, 'Everything on the bus of this rehearsal, newest first'),
    ),
    h(
      'div',
      { class: 'acts', ...place },
      h(EventList, { rehearsal, selected: id }),
      id !== undefined
        ? h(EventDetail, { key: id, rehearsal, id })
        : h(
            'section',
            { class: 'card wide' },
            h(
              Empty,
              { title: 'Select an event.' },
              h('p', { class: 'muted' }, 'It shows what was published, who consumed it, and with what result.'),
            ),
          ),
    ),
  );
}
