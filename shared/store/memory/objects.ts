import type { World } from '../../domain/world.ts';
import type { Found, ObjectStore, PageRequest } from '../ports/objects.ts';
import type { OrderedList } from './ordered-list.ts';
import type { ApplicationState, Placed } from './state.ts';

/** @param stateOf throws WorldGone when the world was dropped */
export function createMemoryObjects(stateOf: (world: World) => ApplicationState): ObjectStore {
  return {
    object: async (world, collection, id) => stateOf(world).objects.get(collection)?.get(id),
    unique: async (world, collection, name, value) => {
      const state = stateOf(world);
      const id = state.unique.get(`${collection}.${name}`)?.get(value);
      return id === undefined ? undefined : state.objects.get(collection)?.get(id);
    },
    index: async (world, collection, name, value, page) => {
      const state = stateOf(world);
      return pageOf(state, collection, state.index.get(`${collection}.${name}`)?.get(value), page);
    },
    count: async (world, collection, name, values) => {
      const found = stateOf(world).index.get(`${collection}.${name}`);
      return values.map((value) => found?.get(value)?.size ?? 0);
    },
    all: async (world, collection, page) => {
      const state = stateOf(world);
      return pageOf(state, collection, state.placed.get(collection), page);
    },
    counters: async (world, counter, keys) => {
      const found = stateOf(world).counters.get(counter);
      return keys.map((key) => Object.fromEntries(found?.get(key) ?? []));
    },
  };
}

function pageOf(
  state: ApplicationState,
  collection: string,
  placed: OrderedList<Placed> | undefined,
  { after, limit, newestFirst }: PageRequest,
): readonly Found[] {
  const objects = state.objects.get(collection);
  const page = newestFirst ? placed?.before(after, limit) : placed?.after(after, limit);
  return (page ?? []).flatMap(({ id }) => objects?.get(id) ?? []);
}
