import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { Owner } from '../../shared/catalog/applications.ts';
import { type DueMeaning, dueWork } from '../../shared/catalog/due-work.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { objects } from '../../shared/catalog/objects.ts';
import type { FieldError } from '../../shared/catalog/problems.ts';
import { IN_WORDS, mistakesIn } from '../../shared/contract/issue-words.ts';
import { pointerTo, validationFailed } from '../../shared/contract/validation.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import type { World } from '../../shared/domain/world.ts';
import { nextTurn } from '../../shared/process/waiting.ts';
import type { AnyCollection, Counters } from '../../shared/store/collections.ts';
import { carriesEvent } from '../../shared/store/ports/due-work.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { ExportedWorld } from '../../shared/store/ports/world-data.ts';
import { relatedOf } from '../objects/related.ts';
import type { InvariantResult } from '../verify/invariant.ts';
import { ID, type WorldReader } from '../verify/world-records.ts';
import { mistakesOfNumbers, mistakesOfTimes } from './check-continuation.ts';
import { type EstateData, indexedBy } from './estate-data.ts';
import { mistake, type Path } from './mistake.ts';
import { digestOf, EventHead, FORMAT, SnapshotFile, VERSION, worldOf } from './snapshot-file.ts';
import { undeclaredMembers } from './undeclared.ts';

export interface CheckOptions {
  readonly estate: EstateData;
  /** A store for one world, which is closed afterwards. */
  readonly scratch: () => StoreAdapter;
  readonly verify: (worlds: WorldReader, world: World) => Promise<InvariantResult[]>;
}

/**
 * Checks a file before a world is made of it.
 * @param accepted.reseal a wrong digest is accepted @param accepted.unverified broken invariants are accepted
 * @throws Problem validation_failed with all mistakes of the format, else of the contents, else of the invariants
 */
export async function checkFile(
  sent: unknown,
  { reseal, unverified }: { readonly reseal: boolean; readonly unverified: boolean },
  options: CheckOptions,
): Promise<{ file: SnapshotFile; world: ExportedWorld }> {
  const head = (typeof sent === 'object' && sent !== null ? sent : {}) as Readonly<Record<string, unknown>>;
  refuseOtherFormat(head);
  const parsed = SnapshotFile.safeParse(sent, IN_WORDS);
  const seal = reseal || head['digest'] === digestOf(head) ? [] : [wrongDigest(head['digest'])];
  if (!parsed.success) {
    const mistakes = [...mistakesIn(parsed.error.issues)].map(({ path, code, detail }) => mistake(path, code, detail));
    throw validationFailed([...mistakes, ...seal]);
  }
  const file = parsed.data;
  const errors: FieldError[] = [];
  for await (const error of mistakesOf(file, options.estate)) errors.push(error);
  if (errors.length > 0) throw validationFailed([...errors, ...seal]);
  const world = worldOf(file, indexedBy(options.estate));
  const broken = unverified ? [] : await brokenInvariants(file, world, options);
  if (broken.length + seal.length > 0) throw validationFailed([...broken, ...seal]);
  return { file, world };
}

function refuseOtherFormat({ format, version }: Readonly<Record<string, unknown>>): void {
  if (format !== FORMAT) {
    throw validationFailed([
      mistake(['format'], 'not_a_snapshot', `This must be "${FORMAT}": send a file that GET /_control/snapshots/{name} returned.`),
    ]);
  }
  if (version !== VERSION) {
    const detail = `This estate reads version ${VERSION} of snapshots, not ${String(version)}. Use an estate of the release that took the snapshot.`;
    throw validationFailed([mistake(['version'], 'unsupported_version', detail)]);
  }
}

const wrongDigest = (digest: unknown): FieldError =>
  mistake(
    ['digest'],
    'wrong_digest',
    `${digest === undefined ? 'The digest is missing' : 'The file has changed since its digest was made'}. If you changed it on purpose, send it with ?reseal=true.`,
  );

const API_IDS = Object.keys(apis);

async function* mistakesOf(file: SnapshotFile, estate: EstateData): AsyncGenerator<FieldError, void> {
  yield* unknownMembers(['applications'], Object.keys(file.applications), [...estate.keys()], 'application');
  const orders = new Map<number, string>();
  for (const [application, { collections, counters }] of estate) {
    const data = file.applications[application];
    if (!data) continue;
    const at = ['applications', application];
    yield* unknownMembers([...at, 'objects'], Object.keys(data.objects), [...collections.keys()], 'collection');
    yield* unknownMembers([...at, 'counters'], Object.keys(data.counters), [...counters.keys()], 'counter');
    for (const [name, rows] of Object.entries(data.objects)) {
      const of = collections.get(name);
      if (of) yield* mistakesOfObjects([...at, 'objects', name], rows, of, orders);
    }
    for (const [name, keys] of Object.entries(data.counters)) {
      const of = counters.get(name);
      if (of) yield* mistakesOfCounters([...at, 'counters', name], keys, of);
    }
  }
  yield* mistakesOfSeed(file, estate);
  yield* unknownReferences(['applications'], objectsIn(file.applications), estate, 'object');
  yield* unknownReferences(['seed', 'applications'], file.seed.applications, estate);
  yield* mistakesOfRequests(file);
  yield* mistakesOfWork(file, estate);
  yield* unknownSubjects(file);
  yield* mistakesOfEvents(file, estate);
  yield* mistakesOfTimes(file);
  yield* mistakesOfNumbers(file, API_IDS);
}

function* unknownMembers(path: Path, names: readonly string[], known: readonly string[], thing: string): Generator<FieldError, void> {
  for (const name of names) {
    if (!known.includes(name)) yield mistake([...path, name], `unknown_${thing}`, unknownWord(thing, name, known));
  }
}

/** Number of objects that are checked before other work gets a turn. */
const OBJECTS_AT_ONCE = 200;

type Rows = SnapshotFile['applications'][string]['objects'][string];
type Seeded = SnapshotFile['seed']['applications'];

async function* mistakesOfObjects(
  path: Path,
  rows: Rows,
  of: AnyCollection,
  orders: Map<number, string>,
): AsyncGenerator<FieldError, void> {
  const ids = new Set<string>();
  for (const [place, { order, object }] of rows.entries()) {
    if (place % OBJECTS_AT_ONCE === 0) await nextTurn();
    const at = [...path, place];
    yield* mistakesOfObject([...at, 'object'], object, of, ids);
    const other = orders.get(order);
    if (other !== undefined) yield mistake([...at, 'order'], 'not_unique', `${other} has the order ${order} already.`);
    orders.set(order, `${of.name}/${object.id}`);
  }
  for (const [name, keyOf] of Object.entries(of.unique)) yield* sharedValues(path, rows, name, keyOf);
}

function* mistakesOfObject(at: Path, object: Rows[number]['object'], of: AnyCollection, ids: Set<string>): Generator<FieldError, void> {
  const { data, error } = of.schema.safeParse(object, IN_WORDS);
  for (const { path: inside, code, detail } of mistakesIn(error?.issues ?? [])) yield mistake([...at, ...inside], code, detail);
  if (!error) yield* undeclaredMembers(at, object, data);
  if (ids.has(object.id)) yield mistake([...at, 'id'], 'not_unique', `Two objects have the id ${object.id}.`);
  ids.add(object.id);
}

/** A reset returns to this data. */
function* mistakesOfSeed({ seed: { applications } }: SnapshotFile, estate: EstateData): Generator<FieldError, void> {
  const path = ['seed', 'applications'];
  yield* unknownMembers(path, Object.keys(applications), [...estate.keys()], 'application');
  for (const [application, { objects: seeded, counters: seededCounters }] of Object.entries(applications)) {
    const { collections, counters } = estate.get(application) ?? {};
    if (!collections || !counters) continue;
    yield* unknownMembers([...path, application, 'objects'], Object.keys(seeded), [...collections.keys()], 'collection');
    yield* unknownMembers([...path, application, 'counters'], Object.keys(seededCounters), [...counters.keys()], 'counter');
    for (const [name, rows] of Object.entries(seeded)) {
      const of = collections.get(name);
      const ids = new Set<string>();
      if (of)
        for (const [place, object] of rows.entries())
          yield* mistakesOfObject([...path, application, 'objects', name, place], object, of, ids);
    }
    for (const [name, keys] of Object.entries(seededCounters)) {
      const of = counters.get(name);
      if (of) yield* mistakesOfCounters([...path, application, 'counters', name], keys, of);
    }
  }
}

/** An idempotency record keeps the answer that a repeated request gets. */
const StoredAnswer = z.looseObject({ status: z.int().min(200).max(599), body: z.string(), contentType: z.string() });

function* mistakesOfRequests({ applications }: SnapshotFile): Generator<FieldError, void> {
  for (const [application, { requests }] of Object.entries(applications)) {
    const keys = new Set<string>();
    for (const [place, { key, answer, keepUntil }] of requests.entries()) {
      const at = ['applications', application, 'requests', place];
      if (keys.has(key)) yield mistake([...at, 'key'], 'not_unique', `Two idempotency records have the key ${key}.`);
      keys.add(key);
      if (keepUntil === undefined) continue;
      const { error } = StoredAnswer.safeParse(answer, IN_WORDS);
      for (const { path: inside, code, detail } of mistakesIn(error?.issues ?? []))
        yield mistake([...at, 'answer', ...inside], code, detail);
    }
  }
}

function* sharedValues(path: Path, rows: Rows, name: string, keyOf: AnyCollection['unique'][string]): Generator<FieldError, void> {
  const owners = new Map<string, string>();
  for (const [place, { object }] of rows.entries()) {
    const value = valueIn(keyOf, object);
    if (value === undefined) continue;
    const owner = owners.get(value);
    if (owner !== undefined && owner !== object.id)
      yield mistake([...path, place, 'object'], 'not_unique', `${object.id} and ${owner} share the ${name} "${value}".`);
    owners.set(value, object.id);
  }
}

/** @returns undefined also for an object that does not fit its schema, which is a separate mistake */
function valueIn(keyOf: AnyCollection['unique'][string], object: unknown): string | undefined {
  try {
    return keyOf(object);
  } catch {
    return undefined;
  }
}

/** Other references are not checked: a SKU or a code may name something that does not exist yet. */
const WHOLE_ID = new RegExp(`^(?:${ID.source})$`);

const objectsIn = (applications: SnapshotFile['applications']): Seeded =>
  Object.fromEntries(
    Object.entries(applications).map(([application, { objects: all, counters }]) => [
      application,
      { counters, objects: Object.fromEntries(Object.entries(all).map(([name, rows]) => [name, rows.map(({ object }) => object)])) },
    ]),
  );

/** Business objects refer to objects of the same world. The till names an order by the id of its transaction. */
function* unknownReferences(path: Path, applications: Seeded, estate: EstateData, ...inside: Path): Generator<FieldError, void> {
  const all = Object.values(applications).flatMap((one) => Object.values(one.objects));
  const known = new Set(all.flatMap((rows) => rows.map(({ id }) => id)));
  for (const [application, { collections }] of estate) {
    for (const { name, object: definition } of collections.values()) {
      if (!definition) continue;
      for (const [place, object] of (applications[application]?.objects[name] ?? []).entries()) {
        for (const { type, id } of relatedOf(definition, object)) {
          if (known.has(id) || !WHOLE_ID.test(id)) continue;
          const at = [...path, application, 'objects', name, place, ...inside];
          yield mistake(at, 'unknown_reference', `${object.id} refers to the ${type} ${id}, which this file does not have.`);
        }
      }
    }
  }
}

type Keys = SnapshotFile['applications'][string]['counters'][string];

function* mistakesOfCounters(path: Path, keys: Keys, { fields, guards }: Counters): Generator<FieldError, void> {
  for (const [key, values] of Object.entries(keys)) {
    yield* unknownMembers([...path, key], Object.keys(values), fields, 'field');
    for (const terms of Object.values(guards)) {
      const sum = Object.entries(terms).reduce((total, [field, weight = 0]) => total + weight * (values[field] ?? 0), 0);
      const words = Object.entries(terms).map(([field, weight]) => `${weight === 1 ? '+' : '-'} ${field}`);
      if (sum < 0)
        yield mistake([...path, key], 'below_zero', `${words.join(' ').replace(/^\+ /, '')} must not be below zero, but is ${sum}.`);
    }
  }
}

function* mistakesOfWork({ due, dueSeq, parked, faults, seed }: SnapshotFile, estate: EstateData): Generator<FieldError, void> {
  const rules = faults.rules.map(({ name }) => name);
  for (const [place, { application, kind, seq, withheldBy }] of due.entries()) {
    yield* mistakesOfItem(['due', place], { application, kind }, estate);
    if (seq > dueSeq) yield mistake(['due', place, 'seq'], 'too_big', `This must be at most ${dueSeq}, the value of dueSeq.`);
    if (withheldBy !== undefined && !rules.includes(withheldBy))
      yield mistake(['due', place, 'withheldBy'], 'unknown_fault', unknownWord('fault', withheldBy, rules));
  }
  for (const [place, item] of seed.due.entries()) yield* mistakesOfItem(['seed', 'due', place], item, estate);
  for (const [place, { item }] of parked.entries()) if (item) yield* mistakesOfItem(['parked', place, 'item'], item, estate);
}

/** Steps and deadlines name their object. A repair may be queued before its object exists. */
function* unknownSubjects({ applications, due }: SnapshotFile): Generator<FieldError, void> {
  const rows = Object.values(applications).flatMap(({ objects: all }) => Object.values(all).flat());
  const known = new Set(rows.map(({ object }) => object.id));
  const names = (key: string, { keys }: DueMeaning): boolean =>
    known.has(key) ||
    [...key.matchAll(ID)].some(([id]) => known.has(id)) ||
    rows.some(({ object }) => key.startsWith(`${object.id}.`) || (keys !== undefined && valuesOf(keys, object).includes(key)));
  for (const [place, { application, kind, key }] of due.entries()) {
    const meaning = dueWork[application as Owner]?.[kind];
    if (meaning?.object === undefined || meaning.role === 'repair' || names(key, meaning)) continue;
    yield mistake(
      ['due', place, 'key'],
      'unknown_reference',
      `${kind} is about the ${meaning.object} ${key}, which this file does not have.`,
    );
  }
}

/** @returns an empty list also for an object of another type */
function valuesOf(keys: NonNullable<DueMeaning['keys']>, object: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    return keys(object);
  } catch {
    return [];
  }
}

function* mistakesOfItem(
  path: Path,
  { application, kind }: { readonly application: string; readonly kind: string },
  estate: EstateData,
): Generator<FieldError, void> {
  const kinds = estate.get(application)?.kinds;
  if (!kinds) yield mistake([...path, 'application'], 'unknown_application', unknownWord('application', application, [...estate.keys()]));
  else if (!kinds.has(kind)) yield mistake([...path, 'kind'], 'unknown_kind', unknownWord('due work', kind, [...kinds]));
}

function* mistakesOfEvents({ events, deliveries, applications, due }: SnapshotFile, estate: EstateData): Generator<FieldError, void> {
  const ids = new Set<string>();
  for (const [place, { event }] of events.entries()) {
    if (ids.has(event.id)) yield mistake(['events', place, 'event', 'id'], 'not_unique', `Two events have the id ${event.id}.`);
    ids.add(event.id);
    yield* mistakesOfEvent(['events', place, 'event'], event);
  }
  for (const [application, { outbox }] of Object.entries(applications)) {
    for (const [place, { event }] of outbox.entries()) {
      ids.add(event.id);
      yield* mistakesOfEvent(['applications', application, 'outbox', place, 'event'], event);
    }
  }
  for (const [place, { kind, key, payload }] of due.entries()) {
    ids.add(key);
    if (carriesEvent(kind)) yield* mistakesOfCarried(['due', place, 'payload'], key, payload);
  }
  for (const [place, delivery] of deliveries.entries()) {
    const [application = '', id = ''] = delivery.split('|');
    if (!estate.has(application) || !ids.has(id))
      yield mistake(['deliveries', place], 'unknown_event', 'This must be an application, "|" and the id of an event of this file.');
  }
}

/** A withheld event, or one that a delivery retries, is JSON text in the work that sends it. */
const Carried = z.looseObject({
  id: z.string(),
  json: z.string().transform((text, { addIssue }) => {
    try {
      return EventHead.parse(JSON.parse(text));
    } catch {
      const message = 'This must be the JSON of an event, with id, type, subject, correlationid and aggregateversion.';
      addIssue({ code: 'custom', message, params: { code: 'invalid_event' } });
      return z.NEVER;
    }
  }),
});

function* mistakesOfCarried(path: Path, key: string, payload: unknown): Generator<FieldError, void> {
  const { data, error } = Carried.safeParse(payload, IN_WORDS);
  for (const { path: inside, code, detail } of mistakesIn(error?.issues ?? [])) yield mistake([...path, ...inside], code, detail);
  if (!data) return;
  if (data.id !== key || data.json.id !== key)
    yield mistake([...path, 'id'], 'other_event', `This work is about the event ${key}, and has the event ${data.json.id}.`);
  yield* mistakesOfEvent([...path, 'json'], data.json);
}

type Event = SnapshotFile['events'][number]['event'];

/** The catalog declares the object of each type of event. */
function* mistakesOfEvent(path: Path, { type, subject, data }: Event): Generator<FieldError, void> {
  const name = nameOf(type);
  const definition = allEvents.find((one) => one.name === name);
  const object = objects.find((one) => one.type === definition?.object);
  if (!definition || !object || type === name) {
    yield mistake([...path, 'type'], 'unknown_event', `"${type}" is not an event of the catalog. GET /asyncapi.json lists them.`);
    return;
  }
  if (!subject.startsWith(`${object.type}/`))
    yield mistake([...path, 'subject'], 'other_subject', `The subject of ${name} must be "${object.type}/<id>".`);
  const { error } = z.looseObject({ object: object.schema }).safeParse(data, IN_WORDS);
  for (const { path: inside, code, detail } of mistakesIn(error?.issues ?? [])) yield mistake([...path, 'data', ...inside], code, detail);
}

/** Opens the world in a store of this process, so that nobody can see it. */
async function brokenInvariants(file: SnapshotFile, exported: ExportedWorld, { scratch, verify }: CheckOptions): Promise<FieldError[]> {
  const adapter = scratch();
  try {
    const world = await adapter.worlds.open(file.rehearsal, exported, { bearer: '', apiKey: '', webhookSecret: '' });
    const pointerOf = placesOf(file);
    const results = await verify(adapter.worlds, world);
    return results.flatMap(({ id, title, violations }) =>
      violations.map((violation) => ({ pointer: pointerOf(violation), code: 'invariant', detail: `${title} (${id}): ${violation}` })),
    );
  } finally {
    await adapter.close();
  }
}

/** Finds the object that a violation names first. */
function placesOf({ applications }: SnapshotFile): (violation: string) => string {
  const places = new Map<string, Path>();
  for (const [application, { objects }] of Object.entries(applications)) {
    for (const [collection, rows] of Object.entries(objects)) {
      for (const [place, { object }] of rows.entries()) {
        if (!places.has(object.id)) places.set(object.id, ['applications', application, 'objects', collection, place, 'object']);
      }
    }
  }
  return (violation) => {
    const first = [...violation.matchAll(ID)].map(([id]) => places.get(id)).find((path) => path !== undefined);
    return first ? pointerTo('body', first) : '';
  };
}
