import type { Application } from '../../shared/catalog/applications.ts';
import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { DEFAULT_FIGURES, type Figures, figuresOf, type Retailer } from '../../shared/catalog/retailer.ts';
import { subscribersOf } from '../../shared/catalog/subscriptions.ts';
import { type Breathe, breathing } from '../../shared/domain/breathe.ts';
import type { World } from '../../shared/domain/world.ts';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { carriesEvent, type DueItem, dueKey } from '../../shared/store/ports/due-work.ts';
import type { LedgerStore, Parked } from '../../shared/store/ports/ledger.ts';
import type { EventReader } from '../../shared/store/ports/objects.ts';
import { deliveryKey, type RetriedEvent } from '../../shared/store/ports/outbox.ts';
import type { ApplicationDump, WorldData, WorldDataStore } from '../../shared/store/ports/world-data.ts';
import { allEventsOf } from '../events/reader.ts';
import { withheldEvent } from '../events/withheld.ts';

/** Where each business object is stored, by type. */
export type EstateObjects = Readonly<Record<string, KeptObjects>>;

export interface KeptObjects {
  readonly application: Application;
  readonly collection: string;
  readonly definition: ObjectDefinition;
  /** Names of the indexes of the collection. `order` lists the objects of an order. */
  readonly indexes: readonly string[];
}

/** All records of a world, read once. */
export interface WorldRecords {
  readonly world: World;
  readonly objects: EstateObjects;
  readonly seed: WorldData;
  /** The figures of the retailer. */
  readonly figures: Figures;
  /** Applications that real systems replace. The estate has only the objects that these systems have shown. */
  readonly swapped: ReadonlySet<Application>;
  /** Events on the bus or withheld from it, without duplicates. */
  readonly events: readonly EstateEvent[];
  /** Business objects as stored, with the private members of their owner. */
  of<T>(type: string): readonly T[];
  /** Private records of an application. */
  records<T>(application: Application, collection: string): readonly T[];
  counters(application: Application, counter: string): Readonly<Record<string, Readonly<Record<string, number>>>>;
  /**
   * Whether an application has due work that names this id and is not parked; with `kind`, only work of that kind. True for a swapped
   * application: its real system may have such work, which the estate cannot see.
   */
  queued(application: Application, id: string, kind?: string): boolean;
  /** Due work that is not parked, without deliveries. */
  readonly due: WorldData['due'];
  /** Due work that waits for an unavailable application and is not parked. */
  readonly awaiting: readonly DueItem[];
  readonly parked: readonly Parked[];
}

/** The parts of the store that verify reads. */
export type WorldReader = WorldDataStore & LedgerStore & EventReader;

interface ReadOptions {
  readonly objects: EstateObjects;
  readonly breathe: Breathe;
}

export async function readWorld(worlds: WorldReader, world: World, { objects, breathe }: ReadOptions): Promise<WorldRecords> {
  const data = await worlds.data(world);
  const ledger = await worlds.ledger(world);
  const withheld = ledger.withheld.flatMap((item) => withheldEvent(item) ?? []);
  const listed = [...(await allEventsOf(worlds, world, breathe)), ...withheld];
  const distinct = new Map<string, EstateEvent>();
  for await (const event of breathing(listed, breathe)) distinct.set(event.id, event);
  const events = [...distinct.values()];
  // Parked work that awaits an application rarely becomes due again, so no check may count on it.
  const parkedKeys = new Set(ledger.parked.map(({ key }) => key));
  const isLeft = (item: Pick<DueItem, 'application' | 'kind' | 'key'>): boolean => !parkedKeys.has(parkedKeyOf(item));
  const awaiting = ledger.awaiting.filter(isLeft);
  const deliveries = awaiting.filter(({ kind }) => carriesEvent(kind));
  const due: WorldData['due'][number][] = [];
  for await (const item of breathing(data.due, breathe)) if (isLeft(item)) due.push(item);
  const queues = await queuesOf({ due, deliveries, withheld }, breathe);
  const dumps = new Map(Object.entries(data.applications) as [Application, ApplicationDump][]);
  const parsed = new Map<string, readonly unknown[]>();
  for (const [application, dump] of dumps) {
    for (const [collection, rows] of Object.entries(dump.objects)) {
      parsed.set(`${application}|${collection}`, await parseAll(rows, breathe));
    }
  }
  const records = <T>(application: Application, collection: string): readonly T[] =>
    (parsed.get(`${application}|${collection}`) ?? []) as readonly T[];
  const [retailer] = records<Retailer & { readonly swapped?: readonly Application[] }>('oms', 'retailer');
  const swapped = new Set(retailer?.swapped);
  return {
    world,
    objects,
    seed: await worlds.seed(world),
    swapped,
    figures: retailer ? figuresOf(retailer) : DEFAULT_FIGURES,
    events,
    of: <T>(type: string) => {
      const at = objects[type];
      return at ? records<T>(at.application, at.collection) : [];
    },
    records,
    counters: (application, counter) => dumps.get(application)?.counters[counter] ?? {},
    queued: (application, id, kind) =>
      swapped.has(application) || (queues.get(kind === undefined ? application : `${application}|${kind}`)?.has(id) ?? false),
    due,
    awaiting,
    parked: ledger.parked,
  };
}

async function parseAll(rows: readonly { readonly json: string }[], breathe: Breathe): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const { json } of rows) {
    await breathe();
    found.push(JSON.parse(json));
  }
  return found;
}

export const ID = /[a-z]{3}_[A-Za-z0-9]+/g;

const parkedKeyOf = ({ application, kind, key }: Pick<DueItem, 'application' | 'kind' | 'key'>): string =>
  carriesEvent(kind) ? deliveryKey(application, key) : dueKey(application, kind, key);

interface Queued {
  readonly due: WorldData['due'];
  readonly deliveries: readonly DueItem[];
  readonly withheld: readonly EstateEvent[];
}

/** The ids that due work, and postponed or withheld deliveries, name: by application, and by application and kind. */
async function queuesOf({ due, deliveries, withheld }: Queued, breathe: Breathe): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const queues = new Map<string, Set<string>>();
  const add = (queue: string, text: string): void => {
    const ids = queues.get(queue) ?? new Set();
    for (const [id] of text.matchAll(ID)) ids.add(id);
    queues.set(queue, ids);
  };
  for await (const { application, kind, key, payload } of breathing(due, breathe)) {
    const text = `${key} ${JSON.stringify(payload)}`;
    add(application, text);
    add(`${application}|${kind}`, text);
  }
  for await (const { application, payload } of breathing(deliveries, breathe)) {
    const { data } = JSON.parse((payload as RetriedEvent).json) as EstateEvent;
    add(application, JSON.stringify(data.object));
  }
  for await (const { type, data } of breathing(withheld, breathe))
    for (const name of subscribersOf(nameOf(type))) add(name, JSON.stringify(data.object));
  return queues;
}
