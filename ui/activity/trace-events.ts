import { h } from 'preact';
import { control, drawn, rehearsalLink, useResource } from '../data/data.ts';
import { Badge, Empty, shortSubject, wallTime } from '../kit/kit.ts';

const MOST = 200;

/** The events of a trace. @param hops how many there are: more hops may have brought more events */
export function TraceEvents({ rehearsal, correlationId, hops }: { rehearsal: string; correlationId: string; hops: number }) {
  const events = useResource(`${correlationId} ${hops}`, (signal) =>
    control('list-events', { query: { correlationId, ext: 'true', limit: MOST } }, { signal }),
  );
  return drawn(events, ({ items }) =>
    items.length === 0
      ? h(Empty, { title: 'This trace published no event.' })
      : h(
          'ul',
          { class: 'rows' },
          items.map(({ event }) => {
            const { id, type, subject, time } = event as Readonly<Record<'id' | 'type' | 'subject' | 'time', string>>;
            const name = type.replace(/^.*\.(?=[^.]+$)/, '');
            return h(
              'li',
              { key: id },
              h(
                'a',
                { href: rehearsalLink(rehearsal, 'events', id) },
                h('span', { class: 'what event-text' }, name),
                h('span', {}, type.includes('.ext.') && h(Badge, {}, 'additional')),
                h('span', { class: 'meta' }, h('span', {}, shortSubject(subject)), h('span', {}, wallTime(time))),
              ),
            );
          }),
        ),
  );
}
