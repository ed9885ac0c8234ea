import type { EstateObjects } from '../control/verify/world-records.ts';
import type { AnyService } from '../shared/work/handler.ts';

/** The application and collection of each type of business object. */
export function objectsOf(services: readonly AnyService[]): EstateObjects {
  return Object.fromEntries(
    services.flatMap(({ application, collections }) =>
      collections.flatMap(({ name, object }) => (object ? [[object.type, { application, collection: name, definition: object }]] : [])),
    ),
  );
}
