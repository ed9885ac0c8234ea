import { z } from 'zod';
import { asSentence } from '../../fixtures/checked-file.ts';
import { checkAmounts } from '../../fixtures/coherence/check-coherence.ts';
import { members } from '../../fixtures/files.ts';
import { apis } from '../../shared/catalog/apis.ts';
import type { Owner } from '../../shared/catalog/applications.ts';
import { OwnData } from '../../shared/catalog/control/own-data.ts';
import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { type DueMeaning, dueWork } from '../../shared/catalog/due-work.ts';
import { nameOf, sourceOf } from '../../shared/catalog/event-names.ts';
import { allEvents } from '../../shared/catalog/events.ts';
import { objects } from '../../shared/catalog/objects.ts';
import type { FieldError } from '../../shared/catalog/problems.ts';
import { IN_WORDS, mistakesIn } from '../../shared/contract/issue-words.ts';
import { refuseSecretsInFile } from '../../shared/contract/secrets.ts';
import { pointerTo, validationFailed } from '../../shared/contract/validation.ts';
import { type Breathe, breathing, eachBreathing } from '../../shared/domain/breathe.ts';
import { exceededLimit, JSON_KINDS, JSON_LEVELS } from '../../shared/domain/json-limits.ts';
import type { Money } from '../../shared/domain/money.ts';
import { unknownWord } from '../../shared/domain/nearest-word.ts';
import type { World } from '../../shared/domain/world.ts';
import type { AnyCollection, Counters } from '../../shared/store/collections.ts';
import { carriesEvent } from '../../shared/store/ports/due-work.ts';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { ExportedWorld } from '../../shared/store/ports/world-data.ts';
import { retailers } from '../../shared/work/figures.ts';
import { relatedOf } from '../objects/related.ts';
import type { InvariantResult } from '../verify/invariant.ts';
import { ID, type WorldReader } from '../verify/world-records.ts';
import { mistakesOfNumbers, mistakesOfTimes } from './check-continuation.ts';
import { converted } from './conversions.ts';
import { type EstateData, indexedBy } from './estate-data.ts';
import { firstOf, isOversized, parseInSections } from './in-sections.ts';
import { mistake, type Path } from './mistake.ts';
import { digestOf, EventHead, FORMAT, SnapshotFile, VERSION, worldOf } from './snapshot-file.ts';
import { undeclaredMembers } from './undeclared.ts';

export interface CheckOptions {
  readonly estate: EstateData;
  /** A store for one world, which is closed afterwards. */
  readonly scratch: () => Promise<StoreAdapter>;
  readonly verify: (worlds: WorldReader, world: World, breathe: Breathe) => Promise<InvariantResult[]>;
  readonly breathe: Breathe;
}

/** What an upload accepts on purpose. */
export interface Accepted {
  readonly reseal: boolean;
  readonly unverified: boolean;
}

/**
 * Checks a file before a world is made of it. It stops at the first twenty mistakes.
 * @param accepted.reseal a wrong digest is accepted @param accepted.unverified broken invariants are accepted
 * @throws Problem validation_failed with mistakes of the format, else secrets, else mistakes of the contents, else of the invariants
 */
export async function checkFile(sent: unknown, { reseal, unverified }: Accepted, options: CheckOptions): Promise<SnapshotFile> {
  const { estate, breathe } = options;
  const head = headOf(sent);
  refuseOtherFormat(head);
  let parsed: unknown;
  async function* mistakesOfSections(): AsyncGenerator<FieldError, void> {
    parsed = yield* parseInSections(SnapshotFile, sent, { path: [], breathe });
  }
  const malformed = await firstOf(mistakesOfSections());
  const seal = reseal || head['digest'] === (await digestOf(head, breathe)) ? [] : [wrongDigest(head['digest'])];
  if (malformed.length > 0) throw validationFailed([...malformed, ...seal]);
  const file = await converted(parsed as SnapshotFile, (parsed as SnapshotFile).version, breathe);
  await refuseSecretsInFile(file, breathe);
  const errors = await firstOf(mistakesOf(file, options));
  if (errors.length > 0) throw validationFailed([...errors, ...seal]);
  const broken = unverified ? [] : await brokenInvariants(file, await worldOf(file, indexedBy(estate), breathe), options);
  if (broken.length + seal.length > 0) throw validationFailed([...broken, ...seal]);
  return file;
}

function headOf(sent: unknown): Readonly<Record<string, unknown>> {
  if (typeof sent === 'object' && sent !== null && !Array.isArray(sent)) return sent as Readonly<Record<string, unknown>>;
  throw validationFailed([
    mistake([], 'not_a_snapshot', 'The body must be an object: send a file that GET /_control/snapshots/{name} returned.'),
  ]);
}

function refuseOtherFormat({ format, version }: Readonly<Record<string, unknown>>): void {
  if (format !== FORMAT) {
    throw validationFailed([
      mistake(['format'], 'not_a_snapshot', `This must be "${FORMAT}": send a file that GET /_control/snapshots/{name} returned.`),
    ]);
  }
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1 || version > VERSION) {
    const detail = `This estate reads version ${VERSION} of snapshots, not ${typeof version === 'number' ? version : 'this value'}. Use an estate of the release that took the snapshot.`;
    throw validationFailed([mistake(['version'], 'unsupported_version', detail)]);
  }
}

const wrongDigest = (digest: unknown): FieldError =>
  mistake(
    ['digest'],
    'wrong_digest',
    `${digest === undefined ? 'The digest is missing' : 'The file has changed since its digest was made'}. If you changed it on purpose, upload it with the option reseal.`,
  );

const API_IDS = Object.keys(apis);

/** Records that do not have the formats of this estate. A world with other formats cannot be used. */
async function* mistakesOfFormats(file: SnapshotFile, { estate, breathe }: Checking): AsyncGenerator<FieldError, void> {
  yield* unknownMembers(['applications'], Object.keys(file.applications), [...estate.keys()], 'application');
  const orders = new Map<number, string>();
  for (const [application, { collections, counters }] of estate) {
    const at = ['applications', application];
    const data = file.applications[application];
    yield* mistakeOfRetailer(at, data?.objects);
    yield* mistakeOfRetailer(['seed', ...at], file.seed.applications[application]?.objects);
    if (!data) continue;
    yield* unknownMembers([...at, 'objects'], Object.keys(data.objects), [...collections.keys()], 'collection');
    yield* unknownMembers([...at, 'counters'], Object.keys(data.counters), [...counters.keys()], 'counter');
    for (const [name, rows] of Object.entries(data.objects)) {
      const of = collections.get(name);
      if (of) yield* mistakesOfObjects([...at, 'objects', name], rows, { of, orders, breathe });
    }
    for (const [name, keys] of Object.entries(data.counters)) {
      const of = counters.get(name);
      if (of) yield* mistakesOfCounters([...at, 'counters', name], keys, { of, breathe });
    }
  }
  yield* mistakesOfSeed(file, { estate, breathe });
  yield* mistakesOfData(file);
  yield* mistakesOfRequests(file, breathe);
  yield* mistakesOfWork(file, { estate, breathe });
  yield* mistakesOfEvents(file, { estate, breathe });
}

async function* mistakesOf(file: SnapshotFile, { estate, breathe }: Checking): AsyncGenerator<FieldError, void> {
  yield* mistakesOfFormats(file, { estate, breathe });
  const objectsOf = ({ objects: all }: SnapshotFile['applications'][string], name: string) => (all[name] ?? []).map(({ object }) => object);
  yield* unknownReferences(['applications'], file.applications, { estate, breathe, objectsOf, inside: ['object'] });
  yield* unknownReferences(['seed', 'applications'], file.seed.applications, {
    estate,
    breathe,
    objectsOf: ({ objects: all }, name) => all[name] ?? [],
    inside: [],
  });
  yield* unknownSubjects(file, breathe);
  yield* mistakesOfTimes(file, breathe);
  yield* mistakesOfNumbers(file, API_IDS, breathe);
}

/** @returns the file of a world, converted from an earlier version; or its first record that does not have the formats of this estate, as a sentence */
export async function fitted(
  file: unknown,
  formats: number | undefined,
  { estate, breathe }: Checking,
): Promise<{ readonly file: SnapshotFile } | { readonly misfit: string }> {
  let parsed: unknown;
  async function* mistakesOfSections(): AsyncGenerator<FieldError, void> {
    parsed = yield* parseInSections(SnapshotFile, file, { path: [], breathe });
  }
  const inWords = ({ pointer, detail }: FieldError) => ({ misfit: `${pointer}: ${detail}` });
  const [malformed] = await firstOf(mistakesOfSections());
  if (malformed) return inWords(malformed);
  const fitting = await converted(parsed as SnapshotFile, formats, breathe);
  const [first] = await firstOf(mistakesOfFormats(fitting, { estate, breathe }));
  return first ? inWords(first) : { file: fitting };
}

/** Each application has the figures of the retailer, from the start of a world. */
function* mistakeOfRetailer(at: Path, collections: Readonly<Record<string, readonly unknown[]>> = {}): Generator<FieldError, void> {
  if (collections[retailers.name]?.length === 1) return;
  yield mistake([...at, 'objects', retailers.name], 'required', 'This application must have one retailer, which every world has.');
}

/** The own data of the first world. A description of the rehearsal counts its rows. */
function* mistakesOfData({ data = {} }: SnapshotFile): Generator<FieldError, void> {
  yield* unknownMembers(['data'], Object.keys(data), members, 'member');
  const { error } = OwnData.safeParse(data, IN_WORDS);
  for (const { path, code, detail } of mistakesIn(error?.issues ?? [])) yield mistake(['data', ...path], code, detail);
}

interface Checking {
  readonly estate: EstateData;
  readonly breathe: Breathe;
}

function* unknownMembers(path: Path, names: readonly string[], known: readonly string[], thing: string): Generator<FieldError, void> {
  for (const name of names) {
    if (!known.includes(name)) yield mistake([...path, name], `unknown_${thing}`, unknownWord(thing, name, known));
  }
}

type Rows = SnapshotFile['applications'][string]['objects'][string];

interface CheckedObjects {
  readonly of: AnyCollection;
  readonly orders: Map<number, string>;
  readonly breathe: Breathe;
}

async function* mistakesOfObjects(path: Path, rows: Rows, { of, orders, breathe }: CheckedObjects): AsyncGenerator<FieldError, void> {
  const ids = new Set<string>();
  for await (const [place, { order, object }] of breathing(rows.entries(), breathe)) {
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
  if (!error && of.name === 'products') yield* mistakesOfPrices(at, object as { readonly price?: Partial<Money> });
  if (ids.has(object.id)) yield mistake([...at, 'id'], 'not_unique', `Two objects have the id ${object.id}.`);
  ids.add(object.id);
}

/** Files with products have the same limits of prices. */
function* mistakesOfPrices(at: Path, product: { readonly price?: Partial<Money> }): Generator<FieldError, void> {
  for (const { mistake: found } of checkAmounts('products.json', [product], product.price?.currency ?? ''))
    if (found && found.path.at(-1) === 'amount') yield mistake([...at, ...found.path.slice(1)], 'does_not_fit', asSentence(found.reason));
}

/** A reset returns to this data. */
async function* mistakesOfSeed({ seed: { applications } }: SnapshotFile, { estate, breathe }: Checking): AsyncGenerator<FieldError, void> {
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
      if (!of) continue;
      for await (const [place, object] of breathing(rows.entries(), breathe))
        yield* mistakesOfObject([...path, application, 'objects', name, place], object, of, ids);
    }
    for (const [name, keys] of Object.entries(seededCounters)) {
      const of = counters.get(name);
      if (of) yield* mistakesOfCounters([...path, application, 'counters', name], keys, { of, breathe });
    }
  }
}

/** Headers of an answer. */
const Header = z
  .string()
  .max(200)
  .regex(/^[\x20-\x7e]*$/, 'This must be visible ASCII.');

/** An idempotency record keeps the answer that a repeated request gets. */
const StoredAnswer = z.strictObject({
  status: z.int().min(200).max(599),
  body: z.string().refine(isJsonOrEmpty, { error: 'This must be JSON, or empty.', params: { code: 'invalid_json' } }),
  contentType: Header,
  etag: Header.optional(),
  retryAfter: z.int().min(0).max(86_400).optional(),
  replayed: z.boolean().optional(),
});

/** Limits of a JSON text within the file. */
const INSIDE = { levels: JSON_LEVELS, kinds: JSON_KINDS };

function isJsonOrEmpty(text: string): boolean {
  try {
    return text === '' || (exceededLimit(text, INSIDE) === undefined && JSON.parse(text) !== undefined);
  } catch {
    return false;
  }
}

async function* mistakesOfRequests({ applications }: SnapshotFile, breathe: Breathe): AsyncGenerator<FieldError, void> {
  for (const [application, { requests }] of Object.entries(applications)) {
    const keys = new Set<string>();
    for await (const [place, { key, answer, keepUntil }] of breathing(requests.entries(), breathe)) {
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

interface References<A> extends Checking {
  /** The objects of a collection. */
  readonly objectsOf: (application: A, collection: string) => readonly Rows[number]['object'][];
  /** The object within its row. */
  readonly inside: Path;
}

/** Business objects refer to objects of the same world. The till names an order by the id of its transaction. */
async function* unknownReferences<A extends { readonly objects: object }>(
  path: Path,
  applications: Readonly<Record<string, A>>,
  { estate, breathe, objectsOf, inside }: References<A>,
): AsyncGenerator<FieldError, void> {
  const known = new Set<string>();
  for (const one of Object.values(applications)) {
    for (const name of Object.keys(one.objects)) for (const { id } of objectsOf(one, name)) known.add(id);
  }
  for (const [application, { collections }] of estate) {
    const one = applications[application];
    if (!one) continue;
    for (const { name, object: definition } of collections.values()) {
      if (!definition) continue;
      for await (const [place, object] of breathing(objectsOf(one, name).entries(), breathe)) {
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

async function* mistakesOfCounters(
  path: Path,
  keys: Keys,
  { of: { fields, signed = [], guards }, breathe }: { readonly of: Counters; readonly breathe: Breathe },
): AsyncGenerator<FieldError, void> {
  for await (const [key, values] of breathing(Object.entries(keys), breathe)) {
    yield* unknownMembers([...path, key], Object.keys(values), fields, 'field');
    for (const [field, value] of Object.entries(values))
      if (value < 0 && !signed.includes(field))
        yield mistake([...path, key, field], 'below_zero', `This must be at least 0, but is ${value}.`);
    for (const terms of Object.values(guards)) {
      const sum = Object.entries(terms).reduce((total, [field, weight = 0]) => total + weight * (values[field] ?? 0), 0);
      const words = Object.entries(terms).map(([field, weight]) => `${weight === 1 ? '+' : '-'} ${field}`);
      if (sum < 0)
        yield mistake([...path, key], 'below_zero', `${words.join(' ').replace(/^\+ /, '')} must not be below zero, but is ${sum}.`);
    }
  }
}

async function* mistakesOfWork(
  { due, dueSeq, parked, faults, seed }: SnapshotFile,
  { estate, breathe }: Checking,
): AsyncGenerator<FieldError, void> {
  const rules = faults.rules.map(({ name }) => name);
  for await (const [place, item] of breathing(due.entries(), breathe)) {
    const { seq, withheldBy } = item;
    yield* mistakesOfItem(['due', place], item, estate);
    if (seq > dueSeq) yield mistake(['due', place, 'seq'], 'too_big', `This must be at most ${dueSeq}, the value of dueSeq.`);
    if (withheldBy !== undefined && !rules.includes(withheldBy))
      yield mistake(['due', place, 'withheldBy'], 'unknown_fault', unknownWord('fault', withheldBy, rules));
  }
  for await (const [place, item] of breathing(seed.due.entries(), breathe)) yield* mistakesOfItem(['seed', 'due', place], item, estate);
  for await (const [place, { item }] of breathing(parked.entries(), breathe))
    if (item) yield* mistakesOfItem(['parked', place, 'item'], item, estate);
}

/** Steps and deadlines name their object. A repair may be queued before its object exists. */
async function* unknownSubjects({ applications, due }: SnapshotFile, breathe: Breathe): AsyncGenerator<FieldError, void> {
  const rows = Object.values(applications).flatMap(({ objects: all }) => Object.values(all).flat());
  const known = new Set(rows.map(({ object }) => object.id));
  const keysOf = new Map<NonNullable<DueMeaning['keys']>, ReadonlySet<string>>();
  async function hasKey(keys: NonNullable<DueMeaning['keys']>, key: string): Promise<boolean> {
    const found = keysOf.get(keys) ?? new Set((await eachBreathing(rows, breathe, ({ object }) => valuesOf(keys, object))).flat());
    keysOf.set(keys, found);
    return found.has(key);
  }
  for await (const [place, { application, kind, key }] of breathing(due.entries(), breathe)) {
    const meaning = dueWork[application as Owner]?.[kind];
    if (meaning?.object === undefined || meaning.role === 'repair') continue;
    if (namesIn(key).some((id) => known.has(id)) || (meaning.keys && (await hasKey(meaning.keys, key)))) continue;
    yield mistake(
      ['due', place, 'key'],
      'unknown_reference',
      `${kind} is about the ${meaning.object} ${key}, which this file does not have.`,
    );
  }
}

/** The ids that a key may have: the whole key, an id within it, and what precedes a dot. */
const namesIn = (key: string): string[] => [
  key,
  ...[...key.matchAll(ID)].map(([id]) => id),
  ...[...key.matchAll(/\./g)].map(({ index }) => key.slice(0, index)),
];

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
  { application, kind, payload }: { readonly application: string; readonly kind: string; readonly payload: unknown },
  estate: EstateData,
): Generator<FieldError, void> {
  const payloads = estate.get(application)?.payloads;
  if (!payloads) {
    yield mistake([...path, 'application'], 'unknown_application', unknownWord('application', application, [...estate.keys()]));
    return;
  }
  const schema = payloads.get(kind);
  if (!schema) {
    yield mistake([...path, 'kind'], 'unknown_kind', unknownWord('due work', kind, [...payloads.keys()]));
    return;
  }
  if (carriesEvent(kind)) return;
  if (isOversized(payload)) {
    yield mistake([...path, 'payload'], 'too_big', `The payload of ${kind} has too many values, or too long a text.`);
    return;
  }
  const { error } = schema.safeParse(payload, IN_WORDS);
  for (const { path: inside, code, detail } of mistakesIn(error?.issues ?? []))
    yield mistake([...path, 'payload', ...inside], code, detail);
}

async function* mistakesOfEvents(
  { events, deliveries, applications, due, parked, seed }: SnapshotFile,
  { estate, breathe }: Checking,
): AsyncGenerator<FieldError, void> {
  const ids = new Set<string>();
  for await (const [place, { event }] of breathing(events.entries(), breathe)) {
    if (ids.has(event.id)) yield mistake(['events', place, 'event', 'id'], 'not_unique', `Two events have the id ${event.id}.`);
    ids.add(event.id);
    yield* mistakesOfEvent(['events', place, 'event'], event);
  }
  for (const [application, { outbox }] of Object.entries(applications)) {
    for await (const [place, { event }] of breathing(outbox.entries(), breathe)) {
      ids.add(event.id);
      yield* mistakesOfEvent(['applications', application, 'outbox', place, 'event'], event);
    }
  }
  for await (const [place, { kind, key, payload }] of breathing(due.entries(), breathe)) {
    ids.add(key);
    if (carriesEvent(kind)) yield* mistakesOfCarried(['due', place, 'payload'], key, payload);
  }
  for await (const [place, { kind, key, payload }] of breathing(seed.due.entries(), breathe))
    if (carriesEvent(kind)) yield* mistakesOfCarried(['seed', 'due', place, 'payload'], key, payload);
  for await (const [place, { item }] of breathing(parked.entries(), breathe))
    if (item && carriesEvent(item.kind)) yield* mistakesOfCarried(['parked', place, 'item', 'payload'], item.key, item.payload);
  for await (const [place, delivery] of breathing(deliveries.entries(), breathe)) {
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
      if (exceededLimit(text, INSIDE) === undefined) {
        const event: unknown = JSON.parse(text);
        if (!isOversized(event)) return EventHead.parse(event);
      }
      throw new SyntaxError('This is not an event.');
    } catch {
      const message = 'This must be the JSON of an event, with id, source, type, subject, correlationid and aggregateversion.';
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

const schemas = new Map<ObjectDefinition, z.ZodType>();

/** The schema of an event's data. Making one takes longer than using it. */
function dataOf(object: ObjectDefinition): z.ZodType {
  const known = schemas.get(object) ?? z.looseObject({ object: object.schema });
  schemas.set(object, known);
  return known;
}

/** The catalog declares the object of each type of event. */
function* mistakesOfEvent(path: Path, { type, source, subject, data }: Event): Generator<FieldError, void> {
  const name = nameOf(type);
  const definition = allEvents.find((one) => one.name === name);
  const object = objects.find((one) => one.type === definition?.object);
  if (!definition || !object || type === name) {
    yield mistake([...path, 'type'], 'unknown_event', `"${type}" is not an event of the catalog. GET /asyncapi.json lists them.`);
    return;
  }
  if (source !== sourceOf(object.owner))
    yield mistake([...path, 'source'], 'other_source', `The source of ${name} must be "${sourceOf(object.owner)}".`);
  if (!subject.startsWith(`${object.type}/`))
    yield mistake([...path, 'subject'], 'other_subject', `The subject of ${name} must be "${object.type}/<id>".`);
  const { error } = dataOf(object).safeParse(data, IN_WORDS);
  for (const { path: inside, code, detail } of mistakesIn(error?.issues ?? [])) yield mistake([...path, 'data', ...inside], code, detail);
}

/** Opens the world in a store of this process, so that nobody can see it. */
async function brokenInvariants(
  file: SnapshotFile,
  exported: ExportedWorld,
  { scratch, verify, breathe }: CheckOptions,
): Promise<FieldError[]> {
  const adapter = await scratch();
  try {
    const world = await adapter.worlds.open(file.rehearsal, exported, { bearer: '', apiKey: '', webhookSecret: '' });
    const pointerOf = placesOf(file);
    const results = await verify(adapter.worlds, world, breathe);
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
