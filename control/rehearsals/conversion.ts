import { isDeepStrictEqual } from 'node:util';
import { type Owner, owners } from '../../shared/catalog/applications.ts';
import { type Breathe, breathing } from '../../shared/domain/breathe.ts';
import type { ApplicationDump, ExportedWorld, WorldData } from '../../shared/store/ports/world-data.ts';
import type { Conversion, ConversionChange } from '../../shared/store/ports/world-formats.ts';

/**
 * The differences between a stored world and the same world with the formats of this estate. Records of collections that this estate does
 * not have, and their indexes, stay.
 */
export async function conversionOf(stored: ExportedWorld, fitting: ExportedWorld, breathe: Breathe): Promise<Conversion> {
  const changes: ConversionChange[] = [];
  for (const application of owners) {
    const [before, after] = [stored.applications[application], fitting.applications[application]];
    if (!before || !after) continue;
    for await (const change of breathing(changesOf(application, before, after), breathe)) if (change) changes.push(change);
  }
  return { changes, seed: await seedOf(stored.seed, fitting.seed, breathe) };
}

/** Undefined: an entry that stays. */
type Change = ConversionChange | undefined;

function* changesOf(application: Owner, before: ApplicationDump, after: ApplicationDump): Generator<Change, void> {
  const orders = new Map<string, number>();
  for (const [name, rows] of Object.entries(after.objects)) {
    const jsons = new Map<string, string>();
    for (const { id, json } of before.objects[name] ?? []) {
      jsons.set(id, json);
      yield undefined;
    }
    for (const { id, version, order = 0, json } of rows) {
      orders.set(`${name}/${id}`, order);
      yield isSame(jsons.get(id), json) ? undefined : { of: 'object', application, name, id, version, order, json };
    }
  }
  for (const [name, values] of Object.entries(after.unique)) {
    const [was, is] = [before.unique[name] ?? {}, values];
    const change = ([value, id]: readonly [string, string], isAdded: boolean): Change => ({
      of: 'unique',
      application,
      name,
      id,
      value,
      isAdded,
    });
    for (const entry of Object.entries(was)) yield Object.hasOwn(is, entry[0]) ? undefined : change(entry, false);
    for (const entry of Object.entries(is)) yield was[entry[0]] === entry[1] ? undefined : change(entry, true);
  }
  for (const [name, entries] of Object.entries(after.index)) {
    const collection = name.slice(0, name.indexOf('.'));
    const was = yield* entriesBy(before.index[name] ?? []);
    const is = yield* entriesBy(entries);
    const change = ([value, id]: readonly [string, string], isAdded: boolean): Change => ({
      of: 'index',
      application,
      name,
      id,
      value,
      order: orders.get(`${collection}/${id}`) ?? 0,
      isAdded,
    });
    for (const [key, entry] of was) yield is.has(key) ? undefined : change(entry, false);
    for (const [key, entry] of is) yield was.has(key) ? undefined : change(entry, true);
  }
}

/** A check may write the members of an object in another order. */
const isSame = (stored: string | undefined, json: string): boolean =>
  stored === json || (stored !== undefined && isDeepStrictEqual(JSON.parse(stored), JSON.parse(json)));

type Entry = ApplicationDump['index'][string][number];

function* entriesBy(entries: readonly Entry[]): Generator<undefined, ReadonlyMap<string, Entry>> {
  const found = new Map<string, Entry>();
  for (const entry of entries) {
    found.set(entry.join('\0'), entry);
    yield undefined;
  }
  return found;
}

/** @returns undefined when nothing in it changes */
async function seedOf(stored: WorldData, fitting: WorldData, breathe: Breathe): Promise<WorldData | undefined> {
  const applications: [string, ApplicationDump][] = [];
  let isChanged = false;
  for (const application of owners) {
    const [before, after] = [stored.applications[application], fitting.applications[application]];
    if (!before) continue;
    for await (const change of breathing(changesOf(application, before, after ?? before), breathe)) isChanged ||= change?.of === 'object';
    applications.push([application, { ...before, objects: { ...before.objects, ...after?.objects } }]);
  }
  return isChanged ? { ...stored, applications: Object.fromEntries(applications) } : undefined;
}
