import { linkHere, withQuery } from '../data/data.ts';
import { ListAndDetail, type PageProps, useChosen, useListInUse } from '../kit/kit.ts';
import { EventDetail } from './event-detail.tsx';
import { EventList, filterOf, useEventFeed } from './event-list.tsx';
import { eventFacts } from './event-row.tsx';

/** What was published in a rehearsal: the events, and beside them the one that is selected. */
export function Events({ rest: [id], query }: PageProps) {
  const link = withQuery(linkHere('events'), Object.fromEntries(query));
  const use = useListInUse();
  const feed = useEventFeed(filterOf(query), use.isInUse);
  const chosen = useChosen(
    id,
    link,
    feed.items?.map(({ event }) => eventFacts(event).id),
  );
  return (
    <ListAndDetail
      name="Events"
      about="Everything on the bus of this rehearsal, newest first"
      link={link}
      back="All events"
      chosen={chosen}
      isTable
      list={<EventList use={use} feed={feed} selected={chosen.key} />}
      detail={<EventDetail key={chosen.key} id={chosen.key ?? ''} />}
    />
  );
}
