import { z } from 'zod';
import type { Application, Owner } from '../../shared/catalog/applications.ts';
import { type AnyCollection, type Counters, entriesOf } from '../../shared/store/collections.ts';
import { DELIVER_AGAIN, PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import type { ApplicationDump, ExportedWorld } from '../../shared/store/ports/world-data.ts';
import { retailers } from '../../shared/work/figures.ts';
import type { AnyService } from '../../shared/work/handler.ts';
import type { Indexed } from './snapshot-file.ts';

/** What each application may have in its store. */
interface ApplicationData {
  readonly collections: ReadonlyMap<string, AnyCollection>;
  readonly counters: ReadonlyMap<string, Counters>;
  /** The payload of each kind of its due work. */
  readonly payloads: ReadonlyMap<string, z.ZodType>;
}

/** The payload of work that carries an event is checked together with the events. */
const CARRYING = [PUBLISH_WITHHELD_EVENT, DELIVER_AGAIN].map((kind) => [kind, z.unknown()] as const);

export type EstateData = ReadonlyMap<string, ApplicationData>;

const named = <T extends { readonly name: string }>(all: readonly T[]): ReadonlyMap<string, T> =>
  new Map(all.map((one) => [one.name, one]));

export function estateDataOf(services: readonly AnyService[]): EstateData {
  return new Map(
    services.map(({ application, collections, counters, due }): [Application, ApplicationData] => [
      application,
      {
        collections: named([...collections, retailers]),
        counters: named(counters),
        payloads: new Map([...Object.values(due).map(({ kind, payload }) => [kind, payload] as const), ...CARRYING]),
      },
    ]),
  );
}

/** A world with only the collections of its services. A file must not have the records about real systems, such as their headers. */
export function ofServices(world: ExportedWorld, estate: EstateData): ExportedWorld {
  const onlyKnown = <D extends ApplicationDump>(applications: Readonly<Partial<Record<Owner, D>>>): Partial<Record<Owner, D>> =>
    Object.fromEntries(
      (Object.entries(applications) as [Application, D][]).map(([application, dump]) => {
        const collections = estate.get(application)?.collections;
        const entries = Object.entries(dump.objects);
        const known = entries.filter(([name]) => collections?.has(name) ?? true);
        // A copy of a dump makes what is otherwise made on demand.
        return [application, known.length === entries.length ? dump : { ...dump, objects: Object.fromEntries(known) }];
      }),
    );
  return {
    ...world,
    applications: onlyKnown(world.applications),
    seed: { ...world.seed, applications: onlyKnown(world.seed.applications) },
  };
}

/** The indexes of objects whose collections are known. @throws Error naming two objects that share a unique value */
export const indexedBy = (estate: EstateData): Indexed =>
  function* (application: Owner, objects) {
    const collections = estate.get(application)?.collections ?? new Map<string, AnyCollection>();
    const entries: Pick<ApplicationDump, 'unique' | 'index'>[] = [];
    for (const [name, all] of Object.entries(objects)) {
      const of = collections.get(name);
      if (of) entries.push(yield* entriesOf(of, all));
    }
    return {
      unique: Object.assign({}, ...entries.map(({ unique }) => unique)),
      index: Object.assign({}, ...entries.map(({ index }) => index)),
    };
  };
