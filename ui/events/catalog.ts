import { allEvents } from '../../shared/catalog/events.ts';

/** The applications that consume an event, by its name. The bundler evaluates this module, as `data/catalog.ts`. */
export const subscribers: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allEvents.map(({ name, subscribers = [] }) => [name, subscribers.map(({ application }) => application)]),
);
