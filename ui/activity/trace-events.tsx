import { control, drawn, linkHere, useResource } from '../data/data.ts';
import { EventRow } from '../events/event-row.tsx';
import { Empty } from '../kit/kit.ts';

const MOST = 200;

/** The events of a trace. @param hops how many there are: more hops may have brought more events */
export function TraceEvents({ correlationId, hops }: { correlationId: string; hops: number }) {
  const events = useResource(`${correlationId} ${hops}`, (signal) =>
    control('list-events', { query: { correlationId, ext: 'true', limit: MOST } }, { signal }),
  );
  return drawn(events, ({ items }) =>
    items.length === 0 ? (
      <Empty title="This trace published no event." />
    ) : (
      <ul class="rows">
        {items.map((published) => (
          <EventRow key={published.order} published={published} href={linkHere('events', String(published.event['id']))} />
        ))}
      </ul>
    ),
  );
}
