import { nameOf } from '../../../shared/catalog/event-names.ts';
import { allEvents } from '../../../shared/catalog/events.ts';
import { invalid } from '../../../shared/catalog/problems.ts';

/** @throws Problem validation_failed when the catalog has no such event */
export function requireKnownEvent(type: string, pointer: string): void {
  const name = nameOf(type);
  if (allEvents.some((event) => event.name === name)) return;
  throw invalid(pointer, 'unknown_event', `There is no event "${type}"; there are ${allEvents.map((event) => event.name).join(', ')}.`);
}
