import { linkHere, withQuery } from '../data/data.ts';
import { ListAndDetail, type PageProps } from '../kit/kit.ts';
import { EventDetail } from './event-detail.tsx';
import { EventList } from './event-list.tsx';

/** What was published in a rehearsal: the events, and beside them the one that is selected. */
export const Events = ({ rest: [id], query }: PageProps) => (
  <ListAndDetail
    name="Events"
    about="Everything on the bus of this rehearsal, newest first"
    link={withQuery(linkHere('events'), Object.fromEntries(query))}
    back="All events"
    opened={id}
    list={<EventList selected={id} />}
    detail={<EventDetail key={id} id={id ?? ''} />}
    invitation={['Select an event.', 'It shows what was published, who consumed it, and with what result.']}
  />
);
