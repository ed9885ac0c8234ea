import { namesVersion } from '../../catalog/headers.ts';
import { Problem } from '../../catalog/problems.ts';
import type { Context } from '../../control/context.ts';
import { eachBreathing, inOneSlice } from '../../domain/breathe.ts';
import { digest } from '../../domain/ids.ts';
import { type AnyCollection, type Counters, indexValues, type Stored } from '../../store/collections.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import type { Found, PageRequest } from '../../store/ports/objects.ts';
import type { Plan } from '../../store/ports/plan.ts';
import type { ReferenceData } from '../reference-data.ts';
import { type Aggregate, OUT_OF_SEQUENCE, type Page, type PageOptions, type UnitOfWork } from '../unit-of-work.ts';
import { Conflict } from './interruptions.ts';
import { type CollectionOf, CounterMoves, LoadedObjects, type ParseStored, parseStored } from './loaded-objects.ts';

export interface ReadParts {
  readonly store: Store;
  readonly context: Context;
  /** Shared by all runs of a request. */
  readonly precondition?: Precondition;
  /** Shared by all units of an application. By default a unit parses each object itself. */
  readonly parse?: ParseStored;
  /** Shared by all units of an application. By default a unit reads reference data from the store. */
  readonly reference?: ReferenceData;
}

const DEFAULT_LIMIT = 1_000;

/** What a unit of work reads. Reads show the changes of this unit, except for `count`. */
export class Reads implements Pick<UnitOfWork, 'get' | 'findUnique' | 'find' | 'count' | 'all' | 'counters' | 'expect' | 'ensureCurrent'> {
  readonly store: Store;
  readonly context: Context;
  readonly objects: LoadedObjects;
  readonly expectedVersions: ExpectedVersions;
  readonly counterMoves: CounterMoves;
  readonly reference: ReferenceData | undefined;
  /** The results of searches by time. */
  readonly #orders = new Map<string, number>();

  constructor({ store, context, precondition, reference, parse = parseStored }: ReadParts) {
    this.store = store;
    this.context = context;
    this.objects = new LoadedObjects(parse);
    this.expectedVersions = new ExpectedVersions(precondition);
    this.counterMoves = new CounterMoves(store, context.world);
    this.reference = reference;
  }

  async get<T extends Stored>(of: CollectionOf<T>, id: string): Promise<T | undefined> {
    const { store, context, objects } = this;
    const read = () => store.object(context.world, of.name, id);
    const loaded = objects.loaded(of, id) ?? objects.load(of, id, await this.#one(of, `object ${of.name} ${id}`, read));
    if (!loaded.next) this.expectedVersions.check(of, loaded.storedObject, id);
    return objects.current(of, loaded);
  }

  async findUnique<T extends Stored>(of: CollectionOf<T>, unique: string, value: string): Promise<T | undefined> {
    const { store, context, objects } = this;
    const uniqueOf = of.unique[unique];
    if (!uniqueOf) throw new Error(`${of.name} has no unique "${unique}".`);
    const known = objects.find(of, (object) => uniqueOf(object) === value);
    const read = () => store.unique(context.world, of.name, unique, value);
    const found = known ? undefined : await this.#one(of, `unique ${of.name} ${unique} ${value}`, read);
    const loaded = known ?? (found && objects.load(of, found.id, found));
    const object = loaded && objects.current(of, loaded);
    if (!object || uniqueOf(object) !== value) return undefined;
    if (!loaded.next) this.expectedVersions.check(of, object, value);
    return object;
  }

  find<T extends Stored>(of: CollectionOf<T>, index: string, value: string, options?: PageOptions): Promise<Page<T>> {
    const { store, context, objects } = this;
    const valuesOf = of.index[index];
    if (!valuesOf) throw new Error(`${of.name} has no index "${index}".`);
    const query: Query<T> = {
      fetch: (request) => store.index(context.world, of.name, index, value, request),
      seek: (at) => this.#orderAt(of, at),
      belongs: (object) => indexValues(valuesOf(object)).includes(value),
      list: `${of.name} ${index} ${value}`,
    };
    return pageOf(objects, of, query, options);
  }

  count(of: AnyCollection, index: string, values: readonly string[]): Promise<readonly number[]> {
    return this.store.count(this.context.world, of.name, index, values);
  }

  all<T extends Stored>(of: CollectionOf<T>, options: PageOptions = {}): Promise<Page<T>> {
    const { store, context, objects } = this;
    const read = (request: PageRequest) => store.all(context.world, of.name, request);
    // A client chooses the pages of a list, and one list may be long.
    const { breathe: _anyPace, ...page } = options;
    const isWhole = Object.keys(page).length === 0;
    const fetch = (request: PageRequest) => (isWhole ? this.#some(of, `all ${of.name}`, () => read(request)) : read(request));
    return pageOf(objects, of, { fetch, seek: (at) => this.#orderAt(of, at), belongs: () => true, list: of.name }, options);
  }

  /** The order before the objects of a time and the few objects before them. A binary search, because creation times rise with the order. */
  async #orderAt<T extends Stored>(of: CollectionOf<T>, at: number): Promise<number> {
    const { store, context, objects } = this;
    const known = this.#orders.get(`${of.name} ${at}`);
    if (known !== undefined) return known;
    const read = (page: PageRequest) => store.all(context.world, of.name, page);
    const [newest] = await read({ after: 0, limit: 1, newestFirst: true });
    let [low, high] = [0, newest?.order ?? 0];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [next] = await read({ after: middle, limit: 1 });
      const object = next && objects.current(of, objects.load(of, next.id, next));
      if (!object || createdAtOf(object) >= at) high = middle;
      else low = next.order;
    }
    const before = low === 0 ? [] : await read({ after: low + 1, limit: OUT_OF_SEQUENCE, newestFirst: true });
    const order = (before.at(-1)?.order ?? 1) - 1;
    this.#orders.set(`${of.name} ${at}`, order);
    return order;
  }

  async #one(of: AnyCollection, name: string, fetch: () => Promise<Found | undefined>): Promise<Found | undefined> {
    // In one call, because most reads are of other data.
    if (!of.reference || !this.reference) return fetch();
    return (await this.reference.find(this.context, name, async () => [(await fetch()) ?? []].flat()))[0];
  }

  async #some(of: AnyCollection, name: string, fetch: () => Promise<readonly Found[]>): Promise<readonly Found[]> {
    return of.reference && this.reference ? this.reference.find(this.context, name, fetch) : fetch();
  }

  counters<F extends string>(of: Counters<F>, keys: readonly string[]): Promise<readonly Readonly<Record<F, number>>[]> {
    return this.counterMoves.read(of, keys);
  }

  expect(of: AnyCollection, read: Stored): void {
    this.expectedVersions.expect(of, read);
  }

  /** @throws Conflict */
  async ensureCurrent(of: AnyCollection, { id, version }: Stored): Promise<void> {
    // A dry run has stored no version.
    if (this.context.dryRun) return;
    const found = await this.store.object(this.context.world, of.name, id);
    if ((found?.version ?? 0) !== version) throw new Conflict('version', `${of.name}/${id}`);
  }
}

/** Only business objects are listed by time. */
const createdAtOf = (object: Stored): number => Date.parse((object as Aggregate).createdAt);

interface Query<T> {
  readonly fetch: (request: PageRequest) => Promise<readonly Found[]>;
  /** The order before the objects of a time. */
  readonly seek: (at: number) => Promise<number>;
  /** Whether the query still finds an object that this unit changed. */
  readonly belongs: (object: T) => boolean;
  /** Names the list, because a cursor belongs to one list. */
  readonly list: string;
}

/** A page as this unit sees it. Objects that it has created are the newest of all. */
async function pageOf<T extends Stored>(
  objects: LoadedObjects,
  of: CollectionOf<T>,
  { fetch, seek, belongs, list }: Query<T>,
  { limit = DEFAULT_LIMIT, cursor, newestFirst = false, createdFrom, breathe = inOneSlice }: PageOptions = {},
): Promise<Page<T>> {
  const after = cursor === undefined && createdFrom !== undefined ? await seek(createdFrom) : orderOf(cursor, list);
  const found = await fetch({ after, limit: limit + 1, newestFirst });
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = found.length > limit;
  const seen = await eachBreathing(shown, breathe, (one) => objects.current(of, objects.load(of, one.id, one)));
  const items = seen.filter((object) => object !== undefined).filter(belongs);
  const shownIds = new Set(shown.map(({ id }) => id));
  const created = objects
    .writtenIn(of)
    .flatMap(({ object, isNew }) => (isNew && !shownIds.has(object.id) && belongs(object) ? [object] : []));
  if (newestFirst && cursor === undefined) items.unshift(...created.reverse());
  if (!newestFirst && !hasMore) items.push(...created);
  return hasMore && last ? { items, nextCursor: cursorOf(last.order, list) } : { items };
}

const cursorOf = (order: number, list: string): string => Buffer.from(`${order} ${markOf(list)}`).toString('base64url');

const markOf = (list: string): string => digest(list).slice(0, 8);

/** @throws Problem `validation_failed` when no page of the list gave this cursor */
function orderOf(cursor: string | undefined, list: string): number {
  if (cursor === undefined) return 0;
  const order = Number(Buffer.from(cursor, 'base64url').toString().split(' ', 1)[0]);
  if (Number.isSafeInteger(order) && order > 0 && cursor === cursorOf(order, list)) return order;
  throw new Problem('validation_failed', 'The cursor is not one that this list gave.', {
    errors: [{ pointer: '?cursor', code: 'invalid_cursor', detail: 'Use the nextCursor of the page before.' }],
  });
}

/** `If-Match` of a request, with the key of its object. Shared by all runs of the request. */
export interface Precondition {
  /** The key of the object in the request: its id or a unique value. */
  readonly name: string;
  readonly ifMatch: string;
  /** Whether a commit of this request has matched. Then later versions may differ: the request, or changes after its begin, made them. */
  isMet: boolean;
}

/** The versions that a commit relies on: the versions that a handler expects, and the version that `If-Match` has matched. */
export class ExpectedVersions {
  readonly #precondition: Precondition | undefined;
  #expected: Plan['expect'] = [];
  #matched: Plan['expect'][number] | undefined;

  constructor(precondition: Precondition | undefined) {
    this.#precondition = precondition;
  }

  expect(of: AnyCollection, { id, version }: Stored): void {
    this.#expected = [...this.#expected, { collection: of.name, id, version }];
  }

  /**
   * Compares an object that was read with `If-Match`. Only collections whose versions clients have count: the service may keep a private
   * record under the same id.
   * @param key the id or unique value that the read used
   * @throws Problem `version_mismatch`
   */
  check(of: AnyCollection, object: Stored | undefined, key: string): void {
    const precondition = this.#precondition;
    if (!precondition || precondition.isMet || !of.etag || !object || key !== precondition.name) return;
    const { id, version } = object;
    const { ifMatch } = precondition;
    if (!namesVersion(ifMatch, version)) {
      const weak = ifMatch.includes('W/') ? ' A weak tag matches nothing: send the ETag without W/.' : '';
      throw new Problem('version_mismatch', `"${id}" has version ${version}, which If-Match does not name.${weak}`, {
        id,
        currentVersion: version,
      });
    }
    this.#matched = { collection: of.name, id, version };
  }

  planned(): Plan['expect'] {
    return this.#matched ? [...this.#expected, this.#matched] : this.#expected;
  }

  /** Whether this commit meets `If-Match`. */
  meetsIfMatch(): boolean {
    return this.#matched !== undefined;
  }

  /** After a commit. */
  settle(): void {
    if (this.#matched && this.#precondition) this.#precondition.isMet = true;
    this.clear();
  }

  clear(): void {
    this.#expected = [];
    this.#matched = undefined;
  }
}
