import type { Application } from './applications.ts';
import type { EventDefinition, Subscription } from './define-object.ts';
import { allEvents } from './events.ts';

const byName: ReadonlyMap<string, EventDefinition> = new Map(allEvents.map((event) => [event.name, event]));
const named = (name: string): EventDefinition | undefined => byName.get(name);

/** The applications that consume an event. @param name without prefix */
export function subscribersOf(name: string): readonly Application[] {
  return named(name)?.subscribers?.map(({ application }) => application) ?? [];
}

export function subscriptionOf(name: string, application: Application): Subscription | undefined {
  return named(name)?.subscribers?.find((subscription) => subscription.application === application);
}

export function consumedBy(application: Application): readonly EventDefinition[] {
  return allEvents.filter(({ name }) => subscriptionOf(name, application));
}

interface ObjectChange {
  readonly isNew: boolean;
  readonly changesState: boolean;
}

/** Events of the source document declare their classification. For an additional event it follows from the change. */
export function classificationOf(name: string, change: ObjectChange): EventDefinition['classification'] {
  if (!name.startsWith('ext.')) return named(name)?.classification ?? 'updated';
  if (change.isNew) return 'created';
  return change.changesState ? 'transitioned' : 'updated';
}
