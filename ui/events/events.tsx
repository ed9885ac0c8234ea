import './events.css';
import { navigate, rehearsalLink, withQuery } from '../data/data.ts';
import { Empty, Heading, useKeys, useListPlace } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import { EventDetail } from './event-detail.tsx';
import { EventList } from './event-list.tsx';

/** What was published in a rehearsal: the events, and beside them the one that is selected. */
export function Events({ rehearsal, rest: [id], query }: PageProps) {
  const list = withQuery(rehearsalLink(rehearsal, 'events'), Object.fromEntries(query));
  const place = useListPlace(list, id);
  useKeys({ Escape: () => id !== undefined && navigate(list) });
  return (
    <div class={id === undefined ? 'stack' : 'stack with-detail'}>
      <div class="title">
        {id === undefined ? <Heading title={`Events of ${rehearsal}`}>Events</Heading> : <p class="as-h1">Events</p>}
        {id !== undefined && (
          <a class="button below" href={list}>
            ← All events
          </a>
        )}
        <p class="muted wide">Everything on the bus of this rehearsal, newest first</p>
      </div>
      <div class="acts" {...place}>
        <EventList rehearsal={rehearsal} selected={id} />
        {id !== undefined ? (
          <EventDetail key={id} rehearsal={rehearsal} id={id} />
        ) : (
          <section class="card wide">
            <Empty title="Select an event.">
              <p class="muted">It shows what was published, who consumed it, and with what result.</p>
            </Empty>
          </section>
        )}
      </div>
    </div>
  );
}
