import { Problem } from '../../catalog/problems.ts';
import type { World } from '../../domain/world.ts';
import { indexValues, type Stored } from '../../store/collections.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import type { Found, PageRequest } from '../../store/ports/objects.ts';
import type { Page, PageOptions, UnitOfWork } from '../unit-of-work.ts';
import type { CollectionOf, LoadedObjects } from './loaded-objects.ts';
import type { HeldPrecondition } from './precondition.ts';

interface ReadParts {
  readonly store: Store;
  readonly world: World;
  readonly objects: LoadedObjects;
  readonly precondition: HeldPrecondition;
}

const DEFAULT_LIMIT = 1_000;

/** Reads of objects. They show the changes of this unit, except for `count`. */
export function createReads({
  store,
  world,
  objects,
  precondition,
}: ReadParts): Pick<UnitOfWork, 'get' | 'findUnique' | 'find' | 'count' | 'all'> {
  return {
    async get(of, id) {
      const loaded = objects.loaded(of, id) ?? objects.load(of, id, await store.object(world, of.name, id));
      if (!loaded.next) precondition.check(of, loaded.storedObject);
      return objects.current(of, loaded);
    },
    async findUnique(of, unique, value) {
      const uniqueOf = of.unique[unique];
      const known = objects.find(of, (object) => uniqueOf(object) === value);
      const found = known ? undefined : await store.unique(world, of.name, unique, value);
      const loaded = known ?? (found && objects.load(of, found.id, found));
      const object = loaded && objects.current(of, loaded);
      if (!object || uniqueOf(object) !== value) return undefined;
      if (!loaded.next) precondition.check(of, object);
      return object;
    },
    find: (of, index, value, options) =>
      pageOf(
        objects,
        of,
        {
          fetch: (request) => store.index(world, of.name, index, value, request),
          belongs: (object) => indexValues(of.index[index](object)).includes(value),
        },
        options,
      ),
    count: (of, index, values) => store.count(world, of.name, index, values),
    all: (of, options) => pageOf(objects, of, { fetch: (request) => store.all(world, of.name, request), belongs: () => true }, options),
  };
}

interface Query<T> {
  readonly fetch: (request: PageRequest) => Promise<readonly Found[]>;
  /** Whether an object that this unit changed still fits. */
  readonly belongs: (object: T) => boolean;
}

/** A page as this unit sees it. Objects that it has created are the newest of all. */
async function pageOf<T extends Stored>(
  objects: LoadedObjects,
  of: CollectionOf<T>,
  { fetch, belongs }: Query<T>,
  { limit = DEFAULT_LIMIT, cursor, newestFirst = false }: PageOptions = {},
): Promise<Page<T>> {
  const found = await fetch({ after: orderOf(cursor), limit: limit + 1, newestFirst });
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = found.length > limit;
  const items = shown.flatMap((one) => objects.current(of, objects.load(of, one.id, one)) ?? []).filter(belongs);
  const shownIds = new Set(shown.map(({ id }) => id));
  const created = objects
    .writtenIn(of)
    .flatMap(({ object, isNew }) => (isNew && !shownIds.has(object.id) && belongs(object) ? [object] : []));
  if (newestFirst && cursor === undefined) items.unshift(...created.reverse());
  if (!newestFirst && !hasMore) items.push(...created);
  return hasMore && last ? { items, nextCursor: cursorOf(last.order) } : { items };
}

const cursorOf = (order: number): string => Buffer.from(String(order)).toString('base64url');

/** @throws Problem `validation_failed` when no page gave this cursor */
function orderOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const order = Number(Buffer.from(cursor, 'base64url').toString());
  if (Number.isSafeInteger(order) && order > 0) return order;
  throw new Problem('validation_failed', 'The cursor is not one that this API gave.', {
    errors: [{ pointer: '?cursor', code: 'invalid_cursor', detail: 'Use the nextCursor of the page before.' }],
  });
}
