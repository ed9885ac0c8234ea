import type { Application } from '../../shared/catalog/applications.ts';
import { type InvariantId, type InvariantRule, invariantRules } from '../../shared/catalog/control/invariants.ts';
import { type Breathe, inOneSlice } from '../../shared/domain/breathe.ts';
import type { World } from '../../shared/domain/world.ts';
import type { InSlices } from '../../shared/process/slices.ts';
import { eventVersions, oneEffect, replay } from './events.ts';
import { fulfillment } from './fulfillment.ts';
import { given } from './given.ts';
import type { InvariantResult } from './invariant.ts';
import { money } from './money.ts';
import { moving, parkedWork } from './moving.ts';
import { points } from './points.ts';
import { references } from './references.ts';
import { replacements } from './replacements.ts';
import { returns } from './returns.ts';
import { stock } from './stock.ts';
import { till } from './till.ts';
import { vouchers } from './vouchers.ts';
import { type EstateObjects, readWorld, type WorldReader, type WorldRecords } from './world-records.ts';

const invariants: Readonly<Record<InvariantId, (records: WorldRecords, breathe: Breathe) => InvariantResult | Promise<InvariantResult>>> = {
  money,
  vouchers,
  points,
  stock,
  fulfilment: fulfillment,
  returns,
  till,
  replacements,
  given,
  references,
  'one-effect': oneEffect,
  'event-versions': eventVersions,
  moving,
  parked: parkedWork,
  replay,
};

export async function verifyWorld(
  worlds: WorldReader,
  world: World,
  objects: EstateObjects,
  breathe: Breathe = inOneSlice,
): Promise<InvariantResult[]> {
  const records = await readWorld(worlds, world, { objects, breathe });
  const results: InvariantResult[] = [];
  for (const invariant of Object.values(invariants)) {
    await breathe();
    const { noted, reads } = noting(records);
    const result = await invariant(noted, breathe);
    results.push(onBasis({ ...result, reads: [...reads].sort() }, records.swapped));
  }
  return results;
}

/** The records, and the names of those that an invariant has read: types of objects, private records of an application, events. */
function noting(records: WorldRecords): { readonly noted: WorldRecords; readonly reads: ReadonlySet<string> } {
  const reads = new Set<string>();
  const noted: WorldRecords = {
    ...records,
    get events() {
      reads.add('events');
      return records.events;
    },
    get seed() {
      reads.add('initial data');
      return records.seed;
    },
    get due() {
      reads.add('due work');
      return records.due;
    },
    get awaiting() {
      reads.add('due work');
      return records.awaiting;
    },
    get parked() {
      reads.add('parked work');
      return records.parked;
    },
    queued: (...work) => {
      reads.add('due work');
      return records.queued(...work);
    },
    of: (type) => {
      reads.add(type);
      return records.of(type);
    },
    records: (application, collection) => {
      reads.add(`${collection} of ${application}`);
      return records.records(application, collection);
    },
    counters: (application, counter) => {
      reads.add(`${counter} of ${application}`);
      return records.counters(application, counter);
    },
  };
  return { noted, reads };
}

/** Adds the basis of the result, in a world with swapped applications. */
function onBasis(result: InvariantResult, swapped: ReadonlySet<Application>): InvariantResult {
  const { needs = [], independent = false }: InvariantRule = invariantRules[result.id];
  if (swapped.size === 0 || independent) return result;
  const isMissing = needs.some((application) => swapped.has(application));
  return isMissing ? { ...result, holds: true, checked: 0, violations: [], basis: 'not-checked' } : { ...result, basis: 'as-seen' };
}

type Verify = (world: World, breathe: Breathe) => Promise<InvariantResult[]>;

/** A verification that has not begun, and the requests that wait for it. */
interface Waiting {
  readonly result: Promise<InvariantResult[]>;
  clients: number;
  /** Aborted when all clients have left. */
  readonly gone: AbortController;
}

/** One verification of a world runs at a time. Requests during it share the next one, which begins after all of them. */
export function createVerifications({ verify, inSlices }: { readonly verify: Verify; readonly inSlices: InSlices }) {
  const running = new Map<World, Promise<unknown>>();
  const waiting = new Map<World, Waiting>();

  function enqueue(world: World): Waiting {
    const gone = new AbortController();
    const begin = (): Promise<InvariantResult[]> => {
      if (waiting.get(world) === added) waiting.delete(world);
      if (gone.signal.aborted) return Promise.reject(gone.signal.reason);
      const run = inSlices(gone.signal, (breathe) => verify(world, breathe));
      const ended: Promise<void> = run
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => {
          if (running.get(world) === ended) running.delete(world);
        });
      running.set(world, ended);
      return run;
    };
    const before = running.get(world) ?? Promise.resolve();
    const result = before.then(begin);
    // When all clients have left, nothing awaits it.
    result.catch(() => undefined);
    const added: Waiting = { result, clients: 0, gone };
    waiting.set(world, added);
    return added;
  }

  /** @throws Error when the client has disconnected */
  return async function verified(world: World, client: AbortSignal): Promise<InvariantResult[]> {
    client.throwIfAborted();
    const joined = waiting.get(world) ?? enqueue(world);
    joined.clients += 1;
    const leave = (): void => {
      joined.clients -= 1;
      if (joined.clients > 0) return;
      joined.gone.abort();
      if (waiting.get(world) === joined) waiting.delete(world);
    };
    client.addEventListener('abort', leave, { once: true });
    try {
      return await joined.result;
    } finally {
      client.removeEventListener('abort', leave);
    }
  };
}

export type Verified = ReturnType<typeof createVerifications>;
