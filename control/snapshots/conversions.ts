import { isDeepStrictEqual } from 'node:util';
import { type Breathe, eachBreathing } from '../../shared/domain/breathe.ts';
import { retailers } from '../../shared/work/figures.ts';
import { type SnapshotFile, VERSION } from './snapshot-file.ts';

type StoredObject = Row['object'];

/** The objects of a world, or of the data that it was seeded with, by application and collection. */
type Objects = Readonly<Record<string, Readonly<Record<string, readonly StoredObject[]>>>>;

interface Place {
  readonly application: string;
  readonly collection: string;
}

/** Pure. The returned function makes an object of the next version, and returns the same object when nothing changes. Ids and versions stay. */
export type Step = (all: Objects) => (object: StoredObject, place: Place) => StoredObject;

/**
 * Step n reads version n and makes version n + 1; step 0 reads worlds of releases without versions. `fixtures/worlds` has a file of each
 * version. Unique values and indexes need no step, because they derive from the objects.
 */
export const STEPS: readonly Step[] = [
  (all) => {
    const nameOf = new Map(all['inventory-service']?.['locations']?.map((location) => [location.id, location['name']]));
    return (object, { application, collection }) => {
      if (collection === retailers.name) return withEveryFigure(object);
      if (application !== 'fms' || collection !== 'nodes' || object['name'] !== undefined) return object;
      const name = nameOf.get(object.id);
      return name === undefined ? object : { ...object, name };
    };
  },
];

/** A figure that did not exist has its default. */
function withEveryFigure(retailer: StoredObject): StoredObject {
  const { data } = retailers.schema.safeParse(retailer);
  return data === undefined || isDeepStrictEqual(data, retailer) ? retailer : data;
}

/** Files have had version 1 since there are snapshots, also files of releases without versions of worlds. */
const firstStep = (formats: number | undefined): number => (formats === undefined || formats === 1 ? 0 : formats);

/** The file of a world that an earlier release wrote. @param formats undefined: the world has no version */
export async function converted(file: SnapshotFile, formats: number | undefined, breathe: Breathe): Promise<SnapshotFile> {
  let { applications, seed } = file;
  for (const step of STEPS.slice(firstStep(formats))) {
    const current = { objectOf: (row: Row) => row.object, withObject: (row: Row, object: StoredObject) => ({ ...row, object }) };
    applications = await stepped(applications, { step, breathe, ...current });
    const seeded = { objectOf: (object: StoredObject) => object, withObject: (_before: StoredObject, object: StoredObject) => object };
    seed = { ...seed, applications: await stepped(seed.applications, { step, breathe, ...seeded }) };
  }
  return { ...file, version: VERSION, applications, seed };
}

type Row = SnapshotFile['applications'][string]['objects'][string][number];

interface Stepping<R> {
  readonly step: Step;
  readonly breathe: Breathe;
  readonly objectOf: (row: R) => StoredObject;
  readonly withObject: (row: R, object: StoredObject) => R;
}

async function stepped<R, A extends { readonly objects: Readonly<Record<string, readonly R[]>> }>(
  applications: Readonly<Record<string, A>>,
  { step, breathe, objectOf, withObject }: Stepping<R>,
): Promise<Record<string, A>> {
  const all: Record<string, Record<string, StoredObject[]>> = {};
  for (const [application, { objects }] of Object.entries(applications)) {
    const found: Record<string, StoredObject[]> = {};
    for (const [collection, rows] of Object.entries(objects)) found[collection] = await eachBreathing(rows, breathe, objectOf);
    all[application] = found;
  }
  const convert = step(all);
  const made: [string, A][] = [];
  for (const [application, one] of Object.entries(applications)) {
    const objects: [string, R[]][] = [];
    for (const [collection, rows] of Object.entries(one.objects)) {
      const place = { application, collection };
      const next = await eachBreathing(rows, breathe, (row) => {
        const object = objectOf(row);
        const after = convert(object, place);
        return after === object ? row : withObject(row, after);
      });
      objects.push([collection, next]);
    }
    made.push([application, { ...one, objects: Object.fromEntries(objects) }]);
  }
  return Object.fromEntries(made);
}
