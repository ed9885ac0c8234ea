import { rehearsalLink, withQuery } from '../data/data.ts';
import { ListAndDetail } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import { EventDetail } from './event-detail.tsx';
import { EventList } from './event-list.tsx';

/** What was published in a rehearsal: the events, and beside them the one that is selected. */
export const Events = ({ rehearsal, rest: [id], query }: PageProps) => (
  <ListAndDetail
    name="Events"
    rehearsal={rehearsal}
    about="Everything on the bus of this rehearsal, newest first"
    link={withQuery(rehearsalLink(rehearsal, 'events'), Object.fromEntries(query))}
    back="All events"
    opened={id}
    list={<EventList rehearsal={rehearsal} selected={id} />}
    detail={<EventDetail key={id} rehearsal={rehearsal} id={id ?? ''} />}
    invitation={['Select an event.', 'It shows what was published, who consumed it, and with what result.']}
  />
);
