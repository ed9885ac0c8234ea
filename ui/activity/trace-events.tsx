import { control, drawn, rehearsalLink, useResource } from '../data/data.ts';
import { Badge, Empty, shortSubject, wallTime } from '../kit/kit.ts';

const MOST = 200;

/** The events of a trace. @param hops how many there are: more hops may have brought more events */
export function TraceEvents({ rehearsal, correlationId, hops }: { rehearsal: string; correlationId: string; hops: number }) {
  const events = useResource(`${correlationId} ${hops}`, (signal) =>
    control('list-events', { query: { correlationId, ext: 'true', limit: MOST } }, { signal }),
  );
  return drawn(events, ({ items }) =>
    items.length === 0 ? (
      <Empty title="This trace published no event." />
    ) : (
      <ul class="rows">
        {items.map(({ event }) => {
          const { id, type, subject, time } = event as Readonly<Record<'id' | 'type' | 'subject' | 'time', string>>;
          const name = type.replace(/^.*\.(?=[^.]+$)/, '');
          return (
            <li key={id}>
              <a href={rehearsalLink(rehearsal, 'events', id)}>
                <span class="what event-text">{name}</span>
                <span>{type.includes('.ext.') && <Badge>additional</Badge>}</span>
                <span class="meta">
                  <span>{shortSubject(subject)}</span>
                  <span>{wallTime(time)}</span>
                </span>
              </a>
            </li>
          );
        })}
      </ul>
    ),
  );
}
