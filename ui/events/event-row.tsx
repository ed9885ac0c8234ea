import { clockTime, nameOf, type Output } from '../data/data.ts';
import { Badge, Row, shortSubject } from '../kit/kit.ts';

export type PublishedEvent = Output<'list-events'>['items'][number];

/** What pages show of an event. Additional events are not in the source document; their prefix becomes a badge. */
export function eventFacts(event: PublishedEvent['event']) {
  const { type, ...facts } = event as Readonly<Record<'id' | 'type' | 'subject' | 'time' | 'correlationid', string>>;
  const name = nameOf(type);
  return { ...facts, name, title: name.replace(/^ext\./, ''), isAdditional: name.startsWith('ext.') };
}

interface EventRowProps {
  readonly published: PublishedEvent;
  readonly href: string;
}

/** An event in a list. */
export function EventRow({ published: { event, order }, href }: EventRowProps) {
  const { title, isAdditional, subject, time } = eventFacts(event);
  return (
    <Row
      href={href}
      what={<span class="event-text">{title}</span>}
      badge={isAdditional && <Badge>additional</Badge>}
      meta={[shortSubject(subject), `${clockTime(time)} · no. ${order}`]}
    />
  );
}
