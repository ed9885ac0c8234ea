import type { EstateObjects } from '../gateway/control/verify/held-world.ts';
import { dumpOf } from '../shared/store/collections.ts';
import type { Snapshot } from '../shared/store/ports/snapshots.ts';
import type { AnyService } from '../shared/work/handler.ts';
import { registeredApplications } from './registry.ts';

/** What a world starts with that begins at `now`. */
export function seedSnapshot(fixtures: Parameters<(typeof registeredApplications)[number]['seed']>[0], now: number): Snapshot {
  const applications = Object.fromEntries(
    registeredApplications.map(({ service, seed }) => [service.application, dumpOf(seed(fixtures, now))]),
  );
  const due = registeredApplications.flatMap(({ service, seedDue }) =>
    (seedDue?.(fixtures, now) ?? []).map((item) => ({ ...item, application: service.application, correlationId: 'seed' })),
  );
  return { now, applications, due };
}

/** Where each business object is stored. */
export function objectsOf(services: readonly AnyService[]): EstateObjects {
  return Object.fromEntries(
    services.flatMap(({ application, collections }) =>
      collections.flatMap(({ name, object }) => (object ? [[object.type, { application, collection: name, definition: object }]] : [])),
    ),
  );
}
