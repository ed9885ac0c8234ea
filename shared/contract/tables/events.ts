import { topicOf } from '../../catalog/applications.ts';
import type { EventDefinition } from '../../catalog/define-object.ts';
import { TYPE_PREFIX } from '../../catalog/event-names.ts';
import { changeEvents, events } from '../../catalog/events.ts';
import { objects } from '../../catalog/objects.ts';
import { publicApis, titleOf } from './known-calls.ts';
import { code, list, table } from './markdown.ts';

/** Events in the source document. */
const DOCUMENTED_EVENTS = 16;

/** Every event of the source document: its type on the wire, its topic, its causes and its subscribers. */
export function eventTable(): string {
  const rows = events.map((event) => [
    ...addressed(event),
    event.classification,
    event.meaning,
    list(publicApis.filter(({ emits }) => emits.includes(event.name)).map(({ name }) => name)),
    subscribersOf(event),
  ]);
  return [
    `${events.length} of the ${DOCUMENTED_EVENTS} events of the source document.`,
    '',
    table(['Type', 'Topic', 'Object', 'Kind', 'Meaning', 'Caused by', 'Subscribers'], rows),
  ].join('\n');
}

/** The additional events, one per object that changes. */
export function changeEventTable(): string {
  return table(
    ['Type', 'Topic', 'Object', 'Subscribers'],
    changeEvents.map((event) => [...addressed(event), subscribersOf(event)]),
  );
}

export function topicOfEvent(event: EventDefinition): string {
  const object = objects.find(({ type }) => type === event.object);
  return object ? topicOf(object.domain) : '';
}

const addressed = (event: EventDefinition): string[] => [code(TYPE_PREFIX + event.name), code(topicOfEvent(event)), code(event.object)];

const subscribersOf = ({ subscribers }: EventDefinition): string =>
  list(subscribers?.map(({ application, purpose }) => `${titleOf(application)}: ${purpose}`) ?? []);
