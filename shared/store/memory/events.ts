import { nameOf } from '../../catalog/event-names.ts';
import { eventHead } from '../../domain/event-head.ts';
import type { EventsAbout, StoredEvent } from '../ports/objects.ts';
import type { OutboxEntry } from '../ports/outbox.ts';
import { OrderedList } from './ordered-list.ts';

/** The published events of a world, oldest first, and indexed by every filter. */
export function createMemoryEvents() {
  const events: StoredEvent[] = [];
  /** The first event of the group of each event: events with one correlation id that follow each other. */
  const groups: number[] = [];
  let lastCorrelation: string | undefined;
  const about = new Map<string, OrderedList<StoredEvent>>();
  return {
    get last(): number {
      return events.length;
    },
    add({ id, topic, key, json, hop, outside }: OutboxEntry): void {
      const event = { order: events.length + 1, id, topic, key, json, hop, outside };
      const head = eventHead(json);
      groups.push((head.correlationid === lastCorrelation && groups.at(-1)) || event.order);
      lastCorrelation = head.correlationid;
      events.push(event);
      for (const term of termsOf(id, head)) {
        const list = about.get(term) ?? new OrderedList<StoredEvent>();
        about.set(term, list);
        list.put(event);
      }
    },
    /** The order of the first event of a group. @param order of an event of the group */
    groupOf: (order: number): number => groups[order - 1] ?? order,
    after: (after: number, limit: number): readonly StoredEvent[] => events.slice(after, after + limit),
    about: (what: EventsAbout, after: number, limit: number): readonly StoredEvent[] => about.get(termOf(what))?.after(after, limit) ?? [],
    newestAbout: (what: EventsAbout, limit: number): readonly StoredEvent[] => about.get(termOf(what))?.before(0, limit) ?? [],
    count: (what: EventsAbout): number => about.get(termOf(what))?.size ?? 0,
  };
}

export type MemoryEvents = ReturnType<typeof createMemoryEvents>;

const termOf = (what: EventsAbout): string => (what.by === 'named' ? 'named' : `${what.by} ${what.value}`);

function termsOf(id: string, { type = '', subject = '', correlationid = '' }: ReturnType<typeof eventHead>): readonly string[] {
  const name = nameOf(type);
  const terms: EventsAbout[] = [
    { by: 'id', value: id },
    { by: 'correlation', value: correlationid },
    { by: 'subject', value: subject },
    { by: 'type', value: name },
    ...(name.startsWith('ext.') ? [] : [{ by: 'named' } as const]),
  ];
  return terms.map(termOf);
}
