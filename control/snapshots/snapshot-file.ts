import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Owner } from '../../shared/catalog/applications.ts';
import { FaultInput, FaultName } from '../../shared/catalog/control/faults.ts';
import { SnapshotName } from '../../shared/catalog/control/operations/snapshots.ts';
import { Progression } from '../../shared/catalog/control/progression.ts';
import { Instant } from '../../shared/catalog/shapes.ts';
import { entryOfHop } from '../../shared/control/journal.ts';
import { canonicalJson } from '../../shared/domain/canonical-json.ts';
import { instant } from '../../shared/domain/time.ts';
import { DELIVER_AGAIN, PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { JournalEntry, RecordedHop } from '../../shared/store/ports/journal.ts';
import { deliveryKey } from '../../shared/store/ports/outbox.ts';
import type { ExportedApplication, ExportedClaim, ExportedWorld, WorldData } from '../../shared/store/ports/world-data.ts';

/**
 * The file of a snapshot: JSON, so that a person can read it and compare two of them. Unique values and indexes are left out, because they
 * derive from the objects. A change that an older estate would misread needs a new version.
 */
export const FORMAT = 'unified-commerce-estate-snapshot';
export const VERSION = 1;

const Text = z.string();
const Count = z.int().min(0);
const Time = z.number().describe('Epoch milliseconds.');
const Json = z.unknown();
const optional = <T extends z.ZodType>(schema: T) => schema.optional();

/** A stored object, and its position by creation. The schema of its collection is checked separately. */
const StoredObject = z.strictObject({ order: z.int().min(1), object: z.looseObject({ id: z.string().min(1), version: z.int().min(1) }) });

const Counters = z.record(Text, z.record(Text, z.record(Text, z.int())));

/** What the file needs of an event. Its type decides its data. */
export const EventHead = z.looseObject({ id: Text, type: Text, subject: Text, correlationid: Text, aggregateversion: z.int() });

const Event = z.strictObject({
  topic: Text,
  key: Text,
  hop: optional(Text),
  committedAt: optional(Time),
  struck: optional(z.literal(true)),
  event: EventHead,
});

const Request = z.strictObject({
  key: Text,
  fingerprint: Text,
  since: Time,
  committed: z.boolean(),
  preconditionHeld: z.boolean(),
  answer: optional(Json),
  keepUntil: optional(Time),
});

const Work = {
  application: Text,
  kind: Text,
  key: Text,
  correlationId: Text,
  traceparent: optional(Text),
  hop: optional(Text),
  occasion: optional(Text),
  payload: optional(Json),
};
const Due = z.strictObject({ ...Work, at: Time, seq: z.number(), attempts: Count, withheldBy: optional(Text), awaits: optional(Text) });
const SeededDue = z.strictObject({ ...Work, at: Time });

const Parked = z.strictObject({
  what: z.enum(['delivery', 'due']),
  key: Text,
  error: Text,
  at: Time,
  item: optional(z.strictObject(Work)),
});

const Fault = z.strictObject({ name: FaultName, rule: FaultInput, hits: Count, chances: Count, since: Count });

const Beginning = z.strictObject({ seed: optional(Text), startsAt: optional(Time) });

const Hop = z.strictObject({
  hop: z.looseObject({
    requestId: Text,
    correlationId: Text,
    parentId: optional(Text),
    application: Text,
    api: Text,
    method: Text,
    path: Text,
    status: z.int(),
    durationMs: z.number(),
    startedAt: Instant,
    at: Instant,
    calls: z.array(Text),
    faults: z.array(Text),
  }),
  bodies: optional(z.record(Text, Json)),
  anonymous: optional(z.literal(true)),
});

const Application = z.strictObject({
  objects: z.record(Text, z.array(StoredObject)),
  counters: Counters,
  requests: z.array(Request).describe('Idempotency records.'),
  outbox: z.array(Event),
});

const Seeded = z.strictObject({
  objects: z.record(Text, z.array(z.looseObject({ id: Text, version: z.int() }))),
  counters: Counters,
});

const Head = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  digest: optional(Text),
  estate: Text,
  name: SnapshotName,
  rehearsal: Text,
  takenAt: Instant,
});

export const SnapshotFile = Head.extend({
  lineage: Text.min(1).describe('What ids derive from: a world, or a seed.'),
  clock: z.strictObject({ now: Instant, flowing: z.boolean() }),
  progression: optional(Progression),
  applications: z.record(Text, Application),
  due: z.array(Due),
  dueSeq: z.number().min(0),
  parked: z.array(Parked),
  deliveries: z.array(Text),
  faults: z.strictObject({ revision: Count, rules: z.array(Fault) }),
  events: z.array(Event),
  numbers: z.record(Text, Count).describe('In a world with a seed: how many requests there were of each name.'),
  seed: z.strictObject({ now: Time, applications: z.record(Text, Seeded), due: z.array(SeededDue), beginning: optional(Beginning) }),
  data: optional(z.record(Text, Json)),
  journal: optional(z.array(Hop)),
});
export type SnapshotFile = z.output<typeof SnapshotFile>;
type FileHead = Pick<SnapshotFile, 'estate' | 'name' | 'rehearsal' | 'takenAt'>;

/** SHA-256 of the file without its digest, whatever the order of its members. */
export function digestOf({ digest: _digest, ...file }: Readonly<Record<string, unknown>>): string {
  return `sha256:${createHash('sha256').update(canonicalJson(file)).digest('hex')}`;
}

const sealed = <File extends Readonly<Record<string, unknown>>>(file: File) => {
  const { format, version, digest: _digest, ...rest } = file;
  return { format, version, digest: digestOf(file), ...rest };
};

/** The address of a payment page. Its last segment lets a browser approve the payment without another credential. */
const PAYMENT_PAGE = /(\/payment-actions\/[^/"\\]+\/[^/"\\]+\/)[0-9a-f]{40}/g;

/** The file of a world. @param hops of its journal @returns its JSON value, sealed */
export function fileOf(world: ExportedWorld, head: FileHead, hops: readonly HopText[] | undefined = world.journal): SnapshotFile {
  const { lineage, now, flowing, progression, applications, due, dueSeq, parked, pending, faults, events, numbers, seed, data } = world;
  const file = {
    format: FORMAT,
    version: VERSION,
    ...head,
    lineage,
    clock: { now: instant(now), flowing },
    progression,
    applications: mapped(applications, applicationIn),
    due,
    dueSeq,
    parked,
    deliveries: pending,
    faults: { ...faults, rules: faults.rules.map(({ json, ...fault }) => ({ ...fault, rule: JSON.parse(json) as unknown })) },
    events: events.map(eventIn),
    numbers,
    seed: { now: seed.now, due: seed.due, applications: mapped(seed.applications, seededIn), beginning: seed.beginning },
    data,
    journal: hops?.map(hopIn),
  };
  const text = JSON.stringify(file).replaceAll(PAYMENT_PAGE, '$1left-out');
  return sealed(JSON.parse(text) as Record<string, unknown>) as SnapshotFile;
}

const mapped = <T, R>(applications: Readonly<Partial<Record<Owner, T>>>, each: (one: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(applications).map(([name, one]) => [name, each(one as T)]));

const applicationIn = ({ objects, counters, claims = [], outbox = [] }: ExportedApplication) => ({
  objects: rows(objects, ({ json, order }) => ({ order, object: JSON.parse(json) as unknown })),
  counters,
  requests: claims.map(({ done, ...claim }) => ({
    ...claim,
    answer: done && (JSON.parse(done.json) as unknown),
    keepUntil: done?.keepUntil,
  })),
  outbox: outbox.map(eventIn),
});

const seededIn = ({ objects, counters }: Pick<ExportedApplication, 'objects' | 'counters'>) => ({
  objects: rows(objects, ({ json }) => JSON.parse(json) as unknown),
  counters,
});

const rows = <T>(
  objects: ExportedApplication['objects'],
  row: (object: ExportedApplication['objects'][string][number]) => T,
): Record<string, T[]> => Object.fromEntries(Object.entries(objects).map(([collection, all]) => [collection, all.map(row)]));

const eventIn = ({ id: _id, json, ...about }: { readonly id: string; readonly json: string }) => ({
  ...about,
  event: JSON.parse(json) as unknown,
});

type HopText = Pick<RecordedHop, 'head' | 'bodies' | 'anonymous'>;

const hopIn = ({ head, bodies, anonymous }: HopText) => ({
  hop: JSON.parse(head) as unknown,
  bodies: bodies === undefined ? undefined : (JSON.parse(bodies) as unknown),
  anonymous,
});

function journalIn(hops: NonNullable<SnapshotFile['journal']>): JournalEntry[] {
  const applications = new Map(hops.map(({ hop }) => [hop.requestId, hop.application]));
  return hops.map(({ hop, bodies, anonymous }) => {
    const text = { head: JSON.stringify(hop), bodies: bodies && JSON.stringify(bodies), anonymous };
    return entryOfHop(text, (requestId) => applications.get(requestId));
  });
}

/** Completes the stored data of an application with its unique values and indexes. */
export type Indexed = (application: Owner, objects: ExportedApplication['objects']) => Pick<ExportedApplication, 'unique' | 'index'>;

/** The world of a file that has been checked. */
export function worldOf(file: SnapshotFile, indexed: Indexed): ExportedWorld {
  const { clock, applications, due, deliveries, faults, events, numbers, seed, progression, data, dueSeq, parked } = file;
  return {
    lineage: file.lineage,
    now: Date.parse(clock.now),
    flowing: clock.flowing,
    applications: Object.fromEntries(
      Object.entries(applications).map(([name, { objects, counters, requests, outbox }]) => {
        const stored = Object.fromEntries(
          Object.entries(objects).map(([collection, all]) => [
            collection,
            all
              .toSorted((a, b) => a.order - b.order)
              .map(({ order, object }) => ({ id: object.id, version: object.version, order, json: JSON.stringify(object) })),
          ]),
        );
        return [
          name,
          { objects: stored, counters, ...indexed(name as Owner, stored), claims: requests.map(claimOf), outbox: outbox.map(entryOf) },
        ];
      }),
    ),
    due: due as ExportedWorld['due'],
    dueSeq,
    running: [],
    parked: parked as ExportedWorld['parked'],
    pending: deliveries,
    events: events.map(entryOf),
    faults: { ...faults, rules: faults.rules.map(({ rule, ...fault }) => ({ ...fault, json: JSON.stringify(rule) })) },
    progression,
    numbers,
    seed: {
      now: seed.now,
      beginning: seed.beginning as WorldData['beginning'],
      due: seed.due as WorldData['due'],
      applications: Object.fromEntries(
        Object.entries(seed.applications).map(([name, { objects, counters }]) => [
          name,
          {
            objects: Object.fromEntries(
              Object.entries(objects).map(([collection, all]) => [
                collection,
                all.map((object) => ({ id: object.id, version: object.version, json: JSON.stringify(object) })),
              ]),
            ),
            unique: {},
            index: {},
            counters,
          },
        ]),
      ),
    },
    data,
    journal: file.journal && journalIn(file.journal),
  };
}

const claimOf = ({ answer, keepUntil, ...claim }: z.output<typeof Request>): ExportedClaim => ({
  ...claim,
  ...(keepUntil !== undefined && { done: { json: JSON.stringify(answer), keepUntil } }),
});

const entryOf = ({ event, ...about }: z.output<typeof Event>) => ({ ...about, id: event.id, json: JSON.stringify(event) });

/** Work that was in progress during an export. A world opened from the export would lose it. */
export function inMotion({ applications, running, pending, due }: ExportedWorld): readonly string[] {
  const carried = new Set(due.filter(({ kind }) => kind === DELIVER_AGAIN).map(({ application, key }) => deliveryKey(application, key)));
  const withheld = new Set(due.filter(({ kind }) => kind === PUBLISH_WITHHELD_EVENT).map(({ key }) => key));
  const unsent = Object.entries(applications).flatMap(([name, { outbox = [] }]) => outbox.map(({ id }) => `unsent ${name}|${id}`));
  const underway = pending.filter((key) => !carried.has(key) && !withheld.has(key.slice(key.indexOf('|') + 1)));
  return [...unsent, ...underway.map((key) => `pending ${key}`), ...running];
}
