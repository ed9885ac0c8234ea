import type { Application } from '../../catalog/applications.ts';
import type { Found } from '../ports/objects.ts';
import type { ApplicationDump } from '../ports/rehearsals.ts';
import { OrderedList } from './ordered-list.ts';
import { type ApplicationState, applicationState, getOr, type Placed, type WorldState } from './state.ts';

export function putObject(state: ApplicationState, collection: string, found: Found): void {
  const objects = getOr(state.objects, collection, () => new Map());
  const { id, order } = found;
  if (!objects.has(id)) getOr(state.placed, collection, () => new OrderedList<Placed>()).put({ order, id });
  objects.set(id, found);
}

interface IndexEntry extends Placed {
  readonly value: string;
}

export function enterIndex(state: ApplicationState, name: string, { value, id, order }: IndexEntry): void {
  const values = getOr(state.index, name, () => new Map<string, OrderedList<Placed>>());
  getOr(values, value, () => new OrderedList<Placed>()).put({ order, id });
}

export function leaveIndex(state: ApplicationState, name: string, { value, order }: Omit<IndexEntry, 'id'>): void {
  const values = state.index.get(name);
  const placed = values?.get(value);
  placed?.remove(order);
  if (placed?.size === 0) values?.delete(value);
}

/** Fills an application's maps from a dump. Objects keep their order. */
export function load(world: WorldState, application: Application, dump: ApplicationDump): void {
  const state = applicationState(world, application);
  for (const [collection, found] of Object.entries(dump.objects)) {
    for (const { id, version, json } of found) {
      putObject(state, collection, { id, version, json, order: ++world.order });
      world.bytes += json.length;
    }
  }
  for (const [name, values] of Object.entries(dump.unique)) state.unique.set(name, new Map(Object.entries(values)));
  for (const [name, entries] of Object.entries(dump.index)) {
    const collection = name.slice(0, name.indexOf('.'));
    for (const [value, id] of entries) enterIndex(state, name, { value, id, order: state.objects.get(collection)?.get(id)?.order ?? 0 });
  }
  for (const [name, keys] of Object.entries(dump.counters)) {
    const counter = getOr(state.counters, name, () => new Map());
    for (const [key, fields] of Object.entries(keys)) counter.set(key, new Map(Object.entries(fields)));
  }
}

export function dump(state: ApplicationState): ApplicationDump {
  const record = <V, T>(map: Map<string, V>, of: (value: V) => T): Record<string, T> =>
    Object.fromEntries([...map].map(([key, value]) => [key, of(value)]));
  return {
    // Maps iterate in insertion order: here the order of creation.
    objects: record(state.objects, (objects) => [...objects.values()].map(({ id, version, json }) => ({ id, version, json }))),
    unique: record(state.unique, (values) => Object.fromEntries(values)),
    index: record(state.index, (values) => [...values].flatMap(([value, placed]) => [...placed].map(({ id }) => [value, id] as const))),
    counters: record(state.counters, (keys) => record(keys, (fields) => Object.fromEntries(fields))),
  };
}
