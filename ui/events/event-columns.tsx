import { publishers } from '../data/catalog.ts';
import { applicationTitle, shortTime, useResource } from '../data/data.ts';
import { Badge } from '../kit/kit.ts';
import type { Cell, TableColumn } from '../kit/table.tsx';
import { DELIVERY_STATES, WORST_FIRST } from '../webhooks/delivery-states.ts';
import { type Delivery, readSent } from '../webhooks/webhook-read.ts';
import { subscribers } from './catalog.ts';
import { eventNames } from './event-owners.ts';
import { eventFacts, type PublishedEvent } from './event-row.tsx';

/** The event as a row names it. Additional events have a badge. */
export function eventCell({ event }: PublishedEvent): Cell {
  const { title, isAdditional } = eventFacts(event);
  return {
    text: title,
    shown: (
      <>
        <span class="event-text">{title}</span> {isAdditional && <Badge>additional</Badge>}
      </>
    ),
  };
}

/** The columns of the list of events. The receivers that have it are read once for all rows. */
export function useEventColumns(items: readonly PublishedEvent[] = []): readonly TableColumn<PublishedEvent>[] {
  const sent = useResource('deliveries of all webhooks', readDeliveries, { follows: ['hops', 'gap'] }).value;
  const names = eventNames(items.map(({ event }) => event));
  const text = (name: string, of: (facts: ReturnType<typeof eventFacts>, event: PublishedEvent['event']) => string | undefined) => ({
    name,
    kind: 'text' as const,
    of: ({ event }: PublishedEvent) => {
      const shown = of(eventFacts(event), event);
      return shown ? { text: shown } : undefined;
    },
  });
  return [
    text('object', ({ subject }) => names.object(subject.slice(subject.indexOf('/') + 1))),
    text('customer or order', (_facts, event) => names.owner(event)),
    text('application', ({ name }) => applicationTitle(publishers[name] ?? '')),
    text('receivers', ({ name }) => subscribers[name]?.map(applicationTitle).join(', ')),
    { name: 'webhooks', kind: 'state', of: ({ event }) => deliveryCell(sent?.get(eventFacts(event).id)) },
    { name: 'when', kind: 'time', of: ({ event }) => ({ text: shortTime(eventFacts(event).time) }) },
  ];
}

function deliveryCell(states: readonly Delivery['state'][] = []): Cell | undefined {
  const worst = WORST_FIRST.find((state) => states.includes(state));
  if (worst === undefined) return undefined;
  const count = states.filter((state) => state === worst).length;
  return { text: states.length === 1 ? worst : `${count} of ${states.length} ${worst}`, kind: DELIVERY_STATES[worst].kind };
}

/** The states of the newest deliveries, by the id of the event. */
async function readDeliveries(signal: AbortSignal): Promise<ReadonlyMap<string, readonly Delivery['state'][]>> {
  const byEvent = Map.groupBy(await readSent(signal), ({ delivery }) => delivery.event.id);
  return new Map([...byEvent].map(([id, all]) => [id, all.map(({ delivery }) => delivery.state)]));
}
