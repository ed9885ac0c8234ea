import { createHash } from 'node:crypto';
import { z } from 'zod';
import { applicationNames, GATEWAY, type Owner } from '../../shared/catalog/applications.ts';
import { FORBIDDEN } from '../../shared/catalog/control/drift.ts';
import { FaultInput, FaultName } from '../../shared/catalog/control/faults.ts';
import { SnapshotName } from '../../shared/catalog/control/operations/snapshots.ts';
import { Progression } from '../../shared/catalog/control/progression.ts';
import { Instant } from '../../shared/catalog/shapes.ts';
import { entryOfHop } from '../../shared/control/journal.ts';
import { type Breathe, eachBreathing, type Steps, stepsBreathing } from '../../shared/domain/breathe.ts';
import { canonicalPieces, jsonPieces } from '../../shared/domain/json-pieces.ts';
import { instant, NEVER } from '../../shared/domain/time.ts';
import { joinedBreathing } from '../../shared/process/waiting.ts';
import type { Stored } from '../../shared/store/collections.ts';
import { DELIVER_AGAIN, PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import { MOST_FAULTS } from '../../shared/store/ports/faults.ts';
import type { JournalEntry, RecordedHop } from '../../shared/store/ports/journal.ts';
import { deliveryKey } from '../../shared/store/ports/outbox.ts';
import type { ExportedApplication, ExportedClaim, ExportedWorld, WorldData } from '../../shared/store/ports/world-data.ts';
import { FORMATS } from '../../shared/store/ports/world-formats.ts';
import { type ForbiddenChange, MOST_REMEMBERED, recordsOf } from '../verify/forbidden-changes.ts';
import { LONGEST_TEXT, listOf, recordOf } from './in-sections.ts';

/**
 * The file of a snapshot: JSON, so that a person can read it and compare two of them. Unique values and indexes are left out, because they
 * derive from the objects. Its version is the version of the formats of the world.
 */
export const FORMAT = 'unified-commerce-estate-snapshot';
export const VERSION = FORMATS;

/** Names, ids and keys. */
const Text = z.string().max(400);
/** Sentences about errors. */
const Sentence = z.string().max(LONGEST_TEXT);
/** Counts that continue: adding to them must stay exact. */
const Count = z.int().min(0).max(1e12);
const Time = z.number().min(0).max(NEVER).describe('Epoch milliseconds.');
const Json = z.unknown();
const optional = <T extends z.ZodType>(schema: T) => schema.optional();

/** A stored object, and its position by creation. The schema of its collection is checked separately. */
const StoredObject = z.strictObject({
  order: Count.min(1),
  object: z.looseObject({ id: Text.min(1), version: Count.min(1) }),
});

/** Numbers of things and of minor units. Which fields may be below zero is checked with the counters. */
const Counters = recordOf(recordOf(recordOf(z.int().min(-1e15).max(1e15), 20), 200_000), 100);

/** What the file needs of an event. Its type decides its data. */
export const EventHead = z.looseObject({
  id: Text.min(1),
  source: Text,
  type: Text,
  subject: Text,
  correlationid: Text,
  aggregateversion: Count,
  time: optional(Instant),
});

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
  key: z.string().max(2_000),
  correlationId: Text,
  traceparent: optional(Text),
  hop: optional(Text),
  occasion: optional(Text),
  // JSON.stringify makes no text of a missing payload.
  payload: Json.refine((payload) => payload !== undefined, 'This member is required.'),
};
const Due = z.strictObject({
  ...Work,
  at: z.number(),
  seq: z.number().min(0).max(1e12),
  attempts: Count,
  withheldBy: optional(Text),
  awaits: optional(z.enum(applicationNames)),
});
const SeededDue = z.strictObject({ ...Work, at: z.number() });

const Parked = z.strictObject({
  what: z.enum(['delivery', 'due']),
  key: z.string().max(2_500),
  error: Sentence,
  at: Time,
  item: optional(z.strictObject(Work)),
});

const Fault = z.strictObject({ name: FaultName, rule: FaultInput, hits: Count, chances: Count, since: Count });

/** A forbidden change that the world had, even if its fault was deleted. */
const Forbidden = z.strictObject({ name: FaultName, change: z.enum(FORBIDDEN) });

const Beginning = z.strictObject({ seed: optional(Text.min(1)), startsAt: optional(z.number()) });

/** A day of wall time is longer than any hop. */
const Took = z.number().min(0).max(86_400_000);

const Hop = z.strictObject({
  hop: z.strictObject({
    requestId: Text,
    correlationId: Text,
    parentId: optional(Text),
    application: Text,
    api: Text,
    method: z.string().max(20),
    path: z.string().max(4_000),
    status: z.int().min(0).max(999),
    durationMs: Took,
    startedAt: Instant,
    at: Instant,
    calls: z.array(Text).max(1_000),
    faults: z.array(Text).max(1_000),
    unchanged: optional(Sentence),
    headers: optional(z.record(Text, z.string().max(10_000))),
    outside: optional(z.strictObject({ status: z.int().min(0).max(999), durationMs: Took, violation: optional(Sentence) })),
    truncated: optional(z.literal(true)),
  }),
  bodies: optional(z.strictObject({ request: optional(Json), response: optional(Json) })),
  anonymous: optional(z.literal(true)),
});

/** Rows of a section. The size of a file permits fewer honest ones. */
const MANY = 200_000;
/** Applications, and collections of one. */
const SOME = 100;

const Application = z.strictObject({
  objects: recordOf(listOf(StoredObject, MANY), SOME),
  counters: Counters,
  requests: listOf(Request, MANY).describe('Idempotency records.'),
  outbox: listOf(Event, MANY),
});

const Seeded = z.strictObject({
  objects: recordOf(listOf(z.looseObject({ id: Text.min(1), version: Count.min(1) }), MANY), SOME),
  counters: Counters,
});

const Head = z.strictObject({
  format: z.literal(FORMAT),
  version: z.int().min(1).max(VERSION),
  digest: optional(Text),
  estate: Text.min(1),
  name: SnapshotName,
  rehearsal: SnapshotName,
  takenAt: Instant,
});

export const SnapshotFile = Head.extend({
  lineage: Text.min(1).describe('What ids derive from: a world, or a seed.'),
  clock: z.strictObject({ now: Instant, flowing: z.boolean() }),
  progression: optional(Progression),
  applications: recordOf(Application, SOME),
  due: listOf(Due, MANY),
  dueSeq: z.number().min(0).max(1e12),
  parked: listOf(Parked, MANY),
  deliveries: listOf(z.string().max(1_000), MANY),
  faults: z.strictObject({
    revision: Count,
    rules: listOf(Fault, MOST_FAULTS),
    forbidden: optional(listOf(Forbidden, MOST_REMEMBERED)),
  }),
  events: listOf(Event, MANY),
  numbers: recordOf(Count, 1_000).describe('In a world with a seed: how many requests there were of each name.'),
  seed: z.strictObject({
    now: z.number(),
    applications: recordOf(Seeded, SOME),
    due: listOf(SeededDue, 20_000),
    beginning: optional(Beginning),
  }),
  data: optional(recordOf(Json, SOME)),
  journal: optional(listOf(Hop, MANY)),
});
export type SnapshotFile = z.output<typeof SnapshotFile>;
type FileHead = Pick<SnapshotFile, 'estate' | 'name' | 'rehearsal' | 'takenAt'>;

/** SHA-256 of the file without its digest, whatever the order of its members. */
export async function digestOf({ digest: _digest, ...file }: Readonly<Record<string, unknown>>, breathe: Breathe): Promise<string> {
  const hash = createHash('sha256');
  for (const piece of canonicalPieces(file)) {
    const waiting = breathe();
    if (waiting) await waiting;
    hash.update(withoutPages(piece));
  }
  return `sha256:${hash.digest('hex')}`;
}

/** The text of a file, with its digest. */
export async function sealed(file: SnapshotFile, breathe: Breathe): Promise<{ readonly digest: string; readonly text: Buffer }> {
  const { format, version, digest: _digest, ...rest } = file;
  const digest = await digestOf(file, breathe);
  const chunks: Buffer[] = [];
  let chunk = '';
  for (const piece of jsonPieces({ format, version, digest, ...rest })) {
    const waiting = breathe();
    if (waiting) await waiting;
    chunk += withoutPages(piece);
    if (chunk.length < CHUNK) continue;
    chunks.push(Buffer.from(chunk));
    chunk = '';
  }
  return { digest, text: await joinedBreathing([...chunks, Buffer.from(chunk)], breathe) };
}

/** Characters that become bytes together. */
const CHUNK = 65_536;

/** The address of a payment page. Its last segment lets a browser approve the payment without another credential. */
const PAYMENT_PAGE = /(\/payment-actions\/[^/"\\]+\/[^/"\\]+\/)[0-9a-f]{40}/g;

const withoutPages = (text: string): string => (text.includes('/payment-actions/') ? text.replaceAll(PAYMENT_PAGE, '$1left-out') : text);

interface Filed {
  /** The hops of its journal. */
  readonly hops?: readonly HopText[] | undefined;
  /** The forbidden changes that clients may have got, deleted ones included. */
  readonly forbidden?: readonly ForbiddenChange[];
  readonly breathe: Breathe;
}

/** The file of a world, not sealed yet. */
export async function fileOf(
  world: ExportedWorld,
  head: FileHead,
  { hops = world.journal, forbidden = [], breathe }: Filed,
): Promise<SnapshotFile> {
  const { lineage, now, flowing, progression, applications, due, dueSeq, parked, pending, faults, events, numbers, seed, data } = world;
  const file = {
    format: FORMAT,
    version: VERSION,
    ...head,
    lineage,
    clock: { now: instant(now), flowing },
    progression,
    applications: await mapped(applications, (one) => applicationIn(one, breathe)),
    due,
    dueSeq,
    parked,
    deliveries: pending,
    faults: {
      ...faults,
      rules: faults.rules.map(({ json, ...fault }) => ({ ...fault, rule: JSON.parse(json) as unknown })),
      ...(forbidden.length > 0 && { forbidden }),
    },
    events: await eachBreathing(events, breathe, eventIn),
    numbers,
    seed: {
      now: seed.now,
      due: seed.due,
      applications: await mapped(seed.applications, (one) => seededIn(one, breathe)),
      beginning: seed.beginning,
    },
    data,
    journal: hops && (await eachBreathing(hops, breathe, hopIn)),
  };
  return file as unknown as SnapshotFile;
}

async function mapped<T, R>(of: Readonly<Record<string, T>>, each: (one: T) => Promise<R>): Promise<Record<string, R>> {
  const made: [string, R][] = [];
  for (const [name, one] of Object.entries(of)) made.push([name, await each(one)]);
  return Object.fromEntries(made);
}

const applicationIn = async ({ objects, counters, claims = [], outbox = [] }: ExportedApplication, breathe: Breathe) => ({
  objects: await mapped(objects, (all) =>
    eachBreathing(all, breathe, ({ json, order }) => ({ order, object: JSON.parse(json) as unknown })),
  ),
  counters,
  requests: await eachBreathing(claims, breathe, ({ done, ...claim }) => ({
    ...claim,
    answer: done && (JSON.parse(done.json) as unknown),
    keepUntil: done?.keepUntil,
  })),
  outbox: outbox.map(eventIn),
});

const seededIn = async ({ objects, counters }: Pick<ExportedApplication, 'objects' | 'counters'>, breathe: Breathe) => ({
  objects: await mapped(objects, (all) => eachBreathing(all, breathe, ({ json }) => JSON.parse(json) as unknown)),
  counters,
});

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

function journalIn(hops: NonNullable<SnapshotFile['journal']>, breathe: Breathe): Promise<JournalEntry[]> {
  const applications = new Map(hops.map(({ hop }) => [hop.requestId, hop.application]));
  return eachBreathing(hops, breathe, ({ hop, bodies, anonymous }) => {
    const text = { head: JSON.stringify(hop), bodies: bodies && JSON.stringify(bodies), anonymous };
    return entryOfHop(text, (requestId) => applications.get(requestId));
  });
}

/** Completes the stored data of an application with its unique values and indexes. */
export type Indexed = (
  application: Owner,
  objects: Readonly<Record<string, readonly Stored[]>>,
) => Steps<Pick<ExportedApplication, 'unique' | 'index'>>;

/** The world of a file that has been checked. */
export async function worldOf(file: SnapshotFile, indexed: Indexed, breathe: Breathe): Promise<ExportedWorld> {
  const { clock, due, deliveries, faults, events, numbers, seed, progression, data, dueSeq, parked } = file;
  const applications: [string, ExportedApplication][] = [];
  for (const [name, { objects, counters, requests, outbox }] of Object.entries(file.applications)) {
    const rows = await mapped(objects, async (all) => all.toSorted((a, b) => a.order - b.order));
    const stored = await mapped(rows, (all) =>
      eachBreathing(all, breathe, ({ order, object }) => ({ id: object.id, version: object.version, order, json: JSON.stringify(object) })),
    );
    const plain = await mapped(rows, async (all) => all.map(({ object }) => object as Stored));
    const claims = await eachBreathing(requests, breathe, claimOf);
    const entries = await stepsBreathing(indexed(name as Owner, plain), breathe);
    applications.push([name, { objects: stored, counters, ...entries, claims, outbox: outbox.map(entryOf) }]);
  }
  const seeded = await mapped(seed.applications, async ({ objects, counters }) => ({
    objects: await mapped(objects, (all) =>
      eachBreathing(all, breathe, (object) => ({ id: object.id, version: object.version, json: JSON.stringify(object) })),
    ),
    unique: {},
    index: {},
    counters,
  }));
  return {
    lineage: file.lineage,
    now: Date.parse(clock.now),
    flowing: clock.flowing,
    applications: { ...Object.fromEntries(applications), ...(faults.forbidden && { [GATEWAY]: recordsOf(faults.forbidden) }) },
    due: due as ExportedWorld['due'],
    dueSeq,
    running: [],
    parked: parked as ExportedWorld['parked'],
    pending: deliveries,
    events: await eachBreathing(events, breathe, entryOf),
    faults: { revision: faults.revision, rules: faults.rules.map(({ rule, ...fault }) => ({ ...fault, json: JSON.stringify(rule) })) },
    progression,
    numbers,
    seed: {
      now: seed.now,
      beginning: seed.beginning as WorldData['beginning'],
      due: seed.due as WorldData['due'],
      applications: seeded,
    },
    data,
    journal: file.journal && (await journalIn(file.journal, breathe)),
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
