import type { Application } from '../../../shared/catalog/applications.ts';
import type { ObjectDefinition } from '../../../shared/catalog/define-object.ts';
import { nameOf } from '../../../shared/catalog/event-names.ts';
import { subscribersOf } from '../../../shared/catalog/subscriptions.ts';
import type { World } from '../../../shared/domain/world.ts';
import type { EstateEvent } from '../../../shared/events/envelope.ts';
import type { EventReader } from '../../../shared/store/ports/inspection.ts';
import type { Ledger, LedgerStore } from '../../../shared/store/ports/ledger.ts';
import type { ApplicationDump, Snapshot, SnapshotStore } from '../../../shared/store/ports/snapshots.ts';
import { allEventsOf } from '../events/reader.ts';
import { withheldEvent } from '../events/withheld.ts';

/** Where each business object is stored, by type. */
export type EstateObjects = Readonly<
  Record<string, { readonly application: Application; readonly collection: string; readonly definition: ObjectDefinition }>
>;

/** All records of a world, read once. */
export interface WorldRecords {
  readonly objects: EstateObjects;
  readonly seed: Snapshot;
  /** Events on the bus or withheld from it, without duplicates. */
  readonly events: readonly EstateEvent[];
  /** Business objects as stored, with the private members of their owner. */
  of<T>(type: string): readonly T[];
  /** Private records of an application. */
  records<T>(application: Application, collection: string): readonly T[];
  counters(application: Application, counter: string): Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Whether an application has due or parked work that names this id; with `kind`, only work of that kind. */
  queued(application: Application, id: string, kind?: string): boolean;
  /** Whether an application has parked work of a kind that names this id. */
  parked(application: Application, id: string, kind: string): boolean;
}

/** The parts of the store that verify reads. */
export type WorldReader = SnapshotStore & LedgerStore & EventReader;

export async function readWorld(worlds: WorldReader, world: World, objects: EstateObjects): Promise<WorldRecords> {
  const snapshot = await worlds.snapshot(world);
  const ledger = await worlds.ledger(world);
  const withheld = ledger.withheld.flatMap((item) => withheldEvent(item) ?? []);
  const listed = [...(await allEventsOf(worlds, world)), ...withheld];
  const events = [...new Map(listed.map((event) => [event.id, event])).values()];
  const queues = queuesOf(snapshot.due, { ledger, withheld, events });
  const parked = queuesOf([], { ledger, withheld: [], events });
  const dumps = new Map(Object.entries(snapshot.applications) as [Application, ApplicationDump][]);
  const parsed = new Map<string, readonly unknown[]>();
  const records = <T>(application: Application, collection: string): readonly T[] => {
    const path = `${application}|${collection}`;
    const known = parsed.get(path) ?? (dumps.get(application)?.objects[collection] ?? []).map(({ json }) => JSON.parse(json) as unknown);
    parsed.set(path, known);
    return known as readonly T[];
  };
  return {
    objects,
    seed: await worlds.seed(world),
    events,
    of: <T>(type: string) => {
      const at = objects[type];
      return at ? records<T>(at.application, at.collection) : [];
    },
    records,
    counters: (application, counter) => dumps.get(application)?.counters[counter] ?? {},
    queued: (application, id, kind) => queues.get(kind === undefined ? application : `${application}|${kind}`)?.has(id) ?? false,
    parked: (application, id, kind) => parked.get(`${application}|${kind}`)?.has(id) ?? false,
  };
}

const ID = /[a-z]{3}_[A-Za-z0-9]+/g;

interface OwedWork {
  readonly ledger: Ledger;
  readonly withheld: readonly EstateEvent[];
  readonly events: readonly EstateEvent[];
}

/** The ids that due work, parked work and withheld deliveries name, by application, and by application and kind. */
function queuesOf(due: Snapshot['due'], { ledger: { parked }, withheld, events }: OwedWork): ReadonlyMap<string, ReadonlySet<string>> {
  const queues = new Map<string, Set<string>>();
  const add = (queue: string, text: string): void => {
    const ids = queues.get(queue) ?? new Set();
    for (const [id] of text.matchAll(ID)) ids.add(id);
    queues.set(queue, ids);
  };
  for (const { application, kind, key, payload } of due) {
    const text = `${key} ${JSON.stringify(payload)}`;
    add(application, text);
    add(`${application}|${kind}`, text);
  }
  for (const { type, data } of withheld) for (const name of subscribersOf(nameOf(type))) add(name, JSON.stringify(data.object));
  const delivered = new Map(events.map((event) => [event.id, event]));
  for (const { what, key } of parked) {
    const [application = '', second = '', ...rest] = key.split('|');
    if (what === 'delivery') add(application, JSON.stringify(delivered.get(second)?.data.object ?? {}));
    else {
      add(application, rest.join('|'));
      add(`${application}|${second}`, rest.join('|'));
    }
  }
  return queues;
}
