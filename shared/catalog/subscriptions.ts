import type { Application } from './applications.ts';
import type { EventDefinition, Subscription } from './define-object.ts';
import { allEvents } from './events.ts';

const byName: ReadonlyMap<string, EventDefinition> = new Map(allEvents.map((event) => [event.name, event]));
const named = (name: string): EventDefinition | undefined => byName.get(name);

/** The applications that consume an event, by its name without prefix. */
export function subscribersOf(name: string): readonly Application[] {
  return named(name)?.subscribers?.map(({ application }) => application) ?? [];
}

/** How an application consumes an event; undefined when it does not. */
export function subscriptionOf(name: string, application: Application): Subscription | undefined {
  return named(name)?.subscribers?.find((subscription) => subscription.application === application);
}

/** The events that an application consumes. */
export function consumedBy(application: Application): readonly EventDefinition[] {
  return allEvents.filter(({ name }) => subscriptionOf(name, application));
}

/** The events of the source document say their classification; of the additional ones it follows from what changed. */
export function classificationOf(name: string, isNew: boolean, stateChanged: boolean): EventDefinition['classification'] {
  if (!name.startsWith('ext.')) return named(name)?.classification ?? 'updated';
  return isNew ? 'created' : stateChanged ? 'transitioned' : 'updated';
}
