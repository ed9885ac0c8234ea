import type { OperationInput } from '../call-types.ts';
import { type EstateAccess, EstateRehearsal } from '../estate-rehearsal.ts';
import type { PlannedCell } from './cells.ts';
import { type BookEntry, effectsOf } from './effects.ts';
import { type Delivery, deliveriesOf, type Hop } from './sites.ts';
import type { Story } from './verdict.ts';

/** How the user's work ended. */
export interface Played {
  /** 0: it ended well. Undefined: it did not end in time. */
  readonly exitCode: number | undefined;
  /** What the user's system holds to be true, if it reports that itself. */
  readonly check?: string;
}

/** Plays the user's story once. @param limitMs wall time after which it is stopped */
export type Play = (rehearsal: EstateRehearsal, how: { readonly limitMs: number; readonly signal?: AbortSignal }) => Promise<Played>;

/** The user's system, as a run needs it. */
export interface UserSystem {
  readonly play: Play;
  /** Reads what the user's system holds to be true, after everything has healed. */
  readonly check?: (rehearsal: EstateRehearsal) => Promise<string>;
  /** Why what the check returned without misfortune compares nothing; undefined if it is fit. */
  readonly unfit?: (check: string) => string | undefined;
  /** Resets the state of the user's system before each story. */
  readonly before?: (rehearsal: EstateRehearsal) => Promise<void>;
}

export interface World {
  readonly access: EstateAccess;
  readonly seed: string;
  readonly startsAt: string;
  /** ISO 8601 duration that the clock runs after a story. */
  readonly patience: string;
  /** Begins with a kept world, which has a separate start. */
  readonly from?: NonNullable<NonNullable<OperationInput<'create-rehearsal'>['body']>['from']>;
}

export interface Telling extends Story {
  readonly journal: readonly Hop[];
  readonly deliveries: readonly Delivery[];
  /** Strikes of the misfortune. */
  readonly hits: number;
  /** Request ids of the hops that it struck. */
  readonly struck: ReadonlySet<string>;
  /** The clock after the patience. */
  readonly endedAt: string;
}

/** Fault names of a cell. */
const FAULT = 'harden-';

/** A failure that the estate reports about a misfortune: it cannot be set. */
export class NotPossible extends Error {
  override readonly name = 'NotPossible';
}

/** Plays stories in fresh rehearsals of one estate. */
export function storiesIn(world: World, system: UserSystem) {
  const worldsBefore = new Map<string, Promise<readonly BookEntry[]>>();

  function create(startsAt: string): Promise<EstateRehearsal> {
    const { access, seed, from } = world;
    return EstateRehearsal.create(access, from === undefined ? { seed, startsAt, idleExpiry: 'PT1H' } : { from, seed, idleExpiry: 'PT1H' });
  }

  /** The books of a world without the story, at the end of the story. */
  function before(startsAt: string, endedAt: string): Promise<readonly BookEntry[]> {
    const known = worldsBefore.get(startsAt);
    if (known) return known;
    const read = (async () => {
      await using rehearsal = await create(startsAt);
      await rehearsal.control('advance-clock', { body: { to: endedAt } });
      return (await rehearsal.control('read-books')).entries;
    })();
    worldsBefore.set(startsAt, read);
    return read;
  }

  /** Plays a story, with the misfortune of a cell. The rehearsal still exists when `examine` runs. */
  async function tell<T>(
    how: { readonly cell?: PlannedCell; readonly limitMs: number; readonly signal?: AbortSignal },
    examine: (told: Telling, rehearsal: EstateRehearsal) => Promise<T>,
    keeps?: (result: T) => boolean,
  ): Promise<T> {
    const { cell, limitMs, signal } = how;
    const startsAt = cell?.startsAt ?? world.startsAt;
    const rehearsal = await create(startsAt);
    let isKept = false;
    try {
      const told = await tellIn(rehearsal, startsAt, { cell, limitMs, signal });
      const result = await examine(told, rehearsal);
      isKept = keeps?.(result) ?? false;
      return result;
    } finally {
      if (isKept) await rehearsal.client.close();
      else await rehearsal.delete().catch(() => undefined);
    }
  }

  async function tellIn(
    rehearsal: EstateRehearsal,
    startsAt: string,
    { cell, limitMs, signal }: { readonly cell?: PlannedCell; readonly limitMs: number; readonly signal?: AbortSignal },
  ): Promise<Telling> {
    await system.before?.(rehearsal);
    const names = (cell?.faults ?? []).map((_, index) => `${FAULT}${index + 1}`);
    for (const [index, body] of (cell?.faults ?? []).entries()) await setFault(rehearsal, names[index] ?? '', body);
    const started = performance.now();
    const { exitCode, check } = await system.play(rehearsal, { limitMs, signal });
    const ms = performance.now() - started;
    const faults = names.length === 0 ? [] : await rehearsal.faults();
    const hits = faults.length === 0 ? 0 : Math.min(...faults.map((one) => one.hits));
    await rehearsal.deleteFaults();
    await rehearsal.control('settle');
    const deliveries = cell === undefined ? await readDeliveries(rehearsal) : [];
    const { now } = await rehearsal.control('advance-clock', { body: { by: world.patience } });
    const ownCheck = await system.check?.(rehearsal);
    const [{ entries }, { invariants }, journal] = [
      await rehearsal.control('read-books'),
      await rehearsal.control('verify'),
      (await rehearsal.control('read-journal', { query: { limit: MOST_HOPS } })).items,
    ];
    const text = ownCheck === undefined ? check : check === undefined ? ownCheck : `${check}\n${ownCheck}`;
    return {
      rehearsal: rehearsal.name,
      startsAt,
      exitCode,
      ms,
      check: text,
      effects: effectsOf(await before(startsAt, now), entries),
      broken: invariants.filter(({ holds }) => !holds).map(({ title }) => title),
      journal,
      deliveries,
      hits,
      struck: new Set(journal.filter((hop) => hop.faults.some((name) => names.includes(name))).map(({ requestId }) => requestId)),
      endedAt: now,
    };
  }

  return { tell, tellIn };
}

const MOST_HOPS = 5_000;

async function setFault(rehearsal: EstateRehearsal, name: string, body: PlannedCell['faults'][number]): Promise<void> {
  try {
    await rehearsal.fault(name, body);
  } catch (error) {
    if (error instanceof Error && 'detail' in error && 'status' in error && Number(error.status) < 500)
      throw new NotPossible(String(error.detail));
    throw error;
  }
}

async function readDeliveries(rehearsal: EstateRehearsal): Promise<readonly Delivery[]> {
  const { items } = await rehearsal.control('list-webhooks');
  if (items.length === 0) return [];
  const { items: journal } = await rehearsal.control('read-journal', { query: { limit: MOST_HOPS } });
  const lists = await Promise.all(
    items.map(async ({ name }) =>
      deliveriesOf(name, (await rehearsal.control('list-webhook-deliveries', { params: { name }, query: { limit: 200 } })).items, journal),
    ),
  );
  return lists.flat();
}
