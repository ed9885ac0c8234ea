import { GATEWAY, type Owner } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import { idSource } from '../../domain/world.ts';
import { carriesEvent } from '../ports/due-work.ts';
import type {
  ApplicationDump,
  ExportedApplication,
  ExportedParked,
  ExportedWorld,
  WorldData,
  WorldDataStore,
} from '../ports/world-data.ts';
import { isHeld } from './commit.ts';
import type { DueRecord } from './due-schedule.ts';
import type { MemoryEstate } from './estate.ts';
import { type ApplicationState, nowOf, type Placed, type WorldState } from './state.ts';

export function createMemoryWorldData({ need }: MemoryEstate): WorldDataStore {
  return {
    data: async (world) => dataOf(need(world)),
    seed: async (world) => need(world).seed,
    ownData: async (world) => need(world).data,
    origin: async (world) => need(world).origin,
    exportWorld: async (world) => exportOf(need(world)),
  };
}

function dataOf(state: WorldState): WorldData {
  const applications: Partial<Record<Owner, ApplicationDump>> = {};
  for (const [application, data] of state.applications) applications[application] = dump(data);
  const now = nowOf(state);
  const due = [...state.due.records()]
    .filter(({ item }) => !carriesEvent(item.kind))
    .map(({ item }) => ({ item, at: item.withheldBy === undefined ? item.at : Math.min(item.at, now) }))
    .sort((a, b) => a.at - b.at || a.item.seq - b.item.seq)
    .map(dueOf);
  return { now, applications, due };
}

/** A payload is parsed on demand: the books of a world read none. */
function dueOf({ item, at }: { readonly item: DueRecord['item']; readonly at: Ms }): WorldData['due'][number] {
  const { seq: _seq, attempts: _attempts, withheldBy: _withheldBy, awaits: _awaits, hop: _hop, payload, ...rest } = item;
  return {
    ...rest,
    at,
    get payload(): unknown {
      return JSON.parse(payload);
    },
  };
}

/**
 * One synchronous step. The JSON of objects and events is shared with the world, because it never changes. Named members are copied many times
 * faster than the rest of an object.
 */
export function exportOf(state: WorldState): ExportedWorld {
  const { due, pending, parked, events, faults, faultRevision, progression, seed, data, origin, driver, clock, numbers } = state;
  const { [GATEWAY]: _webhooks, ...seeded } = seed.applications;
  const own = ({ item }: DueRecord): boolean => item.application !== GATEWAY;
  const applications: Partial<Record<Owner, ExportedApplication>> = {};
  for (const [application, data] of state.applications) if (application !== GATEWAY) applications[application] = exportApplication(data);
  return {
    lineage: idSource({ ...seed.beginning, lineage: state.lineage, world: state.world }),
    now: nowOf(state),
    flowing: driver?.flowed ?? clock.flowing,
    applications,
    due: [...due.records()]
      .filter(own)
      .sort((a, b) => a.item.seq - b.item.seq)
      .map(({ item }) => ({ ...item, payload: JSON.parse(item.payload) as unknown })),
    dueSeq: state.dueSeq,
    running: [...due.running(Date.now()).map((key) => `due ${key}`), ...requestsIn(state)],
    parked: [...parked.values()].flatMap(exportParked),
    pending: [...pending],
    events: events.after(0, events.last).map(({ id, topic, key, json, hop, outside }) => ({ id, topic, key, json, hop, outside })),
    faults: { revision: faultRevision, rules: [...faults].map(([name, { struck: _struck, ...fault }]) => ({ name, ...fault })) },
    progression,
    numbers: Object.fromEntries(numbers),
    seed: { ...seed, applications: seeded },
    data,
    origin,
  };
}

function requestsIn({ applications }: WorldState): string[] {
  return [...applications].flatMap(([name, { claims }]) => [...claims.values()].filter(isHeld).map(() => `request at ${name}`));
}

function exportApplication(state: ApplicationState): ExportedApplication {
  return Object.assign(dump(state), {
    claims: Array.from(state.claims, ([key, { fingerprint, since, preconditionHeld, committed, done }]) => ({
      key,
      fingerprint,
      since,
      preconditionHeld,
      committed,
      done,
    })),
    outbox: [...state.outbox.values()],
  });
}

function exportParked({ shown, item }: { readonly shown: ExportedParked; readonly item?: DueRecord['item'] }): ExportedParked[] {
  if (shown.key.startsWith(`${GATEWAY}|`)) return [];
  // The redrive of a delivery reads its event.
  if (!item || shown.what === 'delivery') return [shown];
  const { at: _at, seq: _seq, attempts: _attempts, withheldBy: _withheldBy, awaits: _awaits, ...rest } = item;
  return [{ ...shown, item: { ...rest, payload: JSON.parse(item.payload) as unknown } }];
}

function entriesOf(values: ReadonlyMap<string, readonly Placed[]>): (readonly [value: string, id: string])[] {
  const entries: (readonly [string, string])[] = [];
  for (const [value, placed] of values) for (const { id } of placed) entries.push([value, id]);
  return entries;
}

const mapped = <V, T>(map: ReadonlyMap<string, V>, of: (value: V) => T): Map<string, T> =>
  new Map(Array.from(map, ([key, value]) => [key, of(value)]));

const record = <V, T>(map: ReadonlyMap<string, V>, of: (value: V) => T): Record<string, T> => Object.fromEntries(mapped(map, of));

/** Makes a value when it is first read. */
function onDemand<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/**
 * Unique values and indexes of a large world take long to make, and neither the file of a snapshot nor the books of a world read them. So maps
 * are copied here, and the rest is made on demand.
 */
function dump(state: ApplicationState): ApplicationDump {
  const [unique, index] = [
    mapped(state.unique, (values) => new Map(values)),
    mapped(state.index, (values) => mapped(values, (all) => [...all])),
  ];
  const uniqueValues = onDemand(() => record(unique, (values) => Object.fromEntries(values)));
  const indexes = onDemand(() => record(index, entriesOf));
  return {
    // Maps iterate in insertion order: here the order of creation.
    objects: record(state.objects, (objects) => [...objects.values()]),
    get unique() {
      return uniqueValues();
    },
    get index() {
      return indexes();
    },
    counters: record(state.counters, (keys) => record(keys, (fields) => Object.fromEntries(fields))),
  };
}
