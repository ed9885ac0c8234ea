import { problems } from '../../shared/catalog/problems.ts';
import { pause } from '../../shared/process/waiting.ts';
import type { OperationInput, OperationOutput } from '../call-types.ts';
import { ControlError } from '../estate-client.ts';
import { type EstateAccess, EstateRehearsal } from '../estate-rehearsal.ts';
import type { PlannedCell } from './cells.ts';
import { type BookEntry, effectsOf } from './effects.ts';
import type { Family } from './run.ts';
import { type Delivery, deliveriesOf, type Hop, withStory } from './sites.ts';
import type { Story } from './verdict.ts';

/** How the user's work ended. */
export interface Played {
  /** 0: it ended well. Undefined: it did not end in time. */
  readonly exitCode: number | undefined;
  /** What the user's system holds to be true, if it reports that itself. */
  readonly check?: string;
  /** Why it did not end well, as a sentence, if the exit code does not show that. */
  readonly ending?: string;
  /** Whether the story of the estate failed while the user's system still ran. */
  readonly isStoryBroken?: boolean;
}

/** The user's work. It may run beside the estate until it is ended. */
export interface Playing extends Played {
  /** Ends what still runs. A repeated call returns the same. */
  readonly end?: () => Promise<Played>;
}

export interface PlayOptions {
  /** Wall time after which the story is stopped. */
  readonly limitMs: number;
  readonly signal?: AbortSignal;
  /** Whether the story has been played in this rehearsal before. */
  readonly isRepeated?: boolean;
}

/** Plays the user's story once. */
export type Play = (rehearsal: EstateRehearsal, how: PlayOptions) => Promise<Playing>;

/** The user's system, as a run needs it. */
export interface UserSystem {
  readonly play: Play;
  /** Reads what the user's system holds to be true, after everything has healed. */
  readonly check?: (rehearsal: EstateRehearsal) => Promise<string>;
  /** Why what the check returned without misfortune compares nothing; undefined if it is fit. */
  readonly unfit?: (check: string) => string | undefined;
  /** Resets the state of the user's system before each story. */
  readonly before?: (rehearsal: EstateRehearsal) => Promise<void>;
  /** Set when the estate plays the story, and the system runs beside it. */
  readonly beside?: {
    /** Waits until the system makes no more calls. @param mayRepeat whether it may repeat a call later */
    readonly rest: (rehearsal: EstateRehearsal, mayRepeat: boolean) => Promise<void>;
  };
}

export interface World {
  readonly access: EstateAccess;
  readonly seed: string;
  readonly startsAt: string;
  /** ISO 8601 duration that the clock runs after a story. */
  readonly patience: string;
  /** Begins with a kept world, which has a separate start. */
  readonly from?: NewWorld['from'];
  /** Own data of each rehearsal. */
  readonly data?: NewWorld['data'];
}

type NewWorld = NonNullable<OperationInput<'create-rehearsal'>['body']>;

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
    const { access, seed, from, data } = world;
    const beginning = from === undefined ? { startsAt, data } : { from };
    return EstateRehearsal.create(access, { ...beginning, seed, idleExpiry: 'PT1H' });
  }

  /** The books of a world without the story, at the end of the story. */
  function before(startsAt: string, endedAt: string): Promise<readonly BookEntry[]> {
    const known = worldsBefore.get(startsAt);
    if (known) return known;
    const read = (async () => {
      await using rehearsal = await create(startsAt);
      await advance(rehearsal, { to: endedAt });
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
    { cell, ...how }: PlayOptions & { readonly cell?: PlannedCell },
  ): Promise<Telling> {
    await system.before?.(rehearsal);
    const names = (cell?.faults ?? []).map((_, index) => `${FAULT}${index + 1}`);
    for (const [index, body] of (cell?.faults ?? []).entries()) await setFault(rehearsal, names[index] ?? '', body);
    const started = performance.now();
    const playing = await system.play(rehearsal, how);
    try {
      const mayRepeat = how.isRepeated === true || STRIKES_CALLS.includes(cell?.family);
      return await ended(rehearsal, { startsAt, cell, names, playing, mayRepeat, ms: performance.now() - started });
    } finally {
      await playing.end?.();
    }
  }

  /** What a story has left, after everything has healed. */
  async function ended(rehearsal: EstateRehearsal, { startsAt, cell, names, playing, mayRepeat, ms }: Ending): Promise<Telling> {
    await system.beside?.rest(rehearsal, mayRepeat);
    const faults = names.length === 0 ? [] : await rehearsal.faults();
    const hits = faults.length === 0 ? 0 : Math.min(...faults.map((one) => one.hits));
    await rehearsal.deleteFaults();
    await rehearsal.control('settle');
    const deliveries = cell === undefined ? await readDeliveries(rehearsal) : [];
    const { now } = await advance(rehearsal, { by: world.patience });
    await system.beside?.rest(rehearsal, false);
    const ownCheck = await system.check?.(rehearsal);
    const { exitCode, check, ending, isStoryBroken } = (await playing.end?.()) ?? playing;
    const [{ entries }, { invariants }, hops] = [
      await rehearsal.control('read-books'),
      await rehearsal.control('verify'),
      (await rehearsal.control('read-journal', { query: { limit: MOST_HOPS, bodies: readsBodies(cell) } })).items,
    ];
    const journal = system.beside === undefined ? hops : withStory(hops);
    const text = ownCheck === undefined ? check : check === undefined ? ownCheck : `${check}\n${ownCheck}`;
    return {
      rehearsal: rehearsal.name,
      startsAt,
      exitCode,
      ending,
      isStoryBroken,
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

interface Ending {
  readonly startsAt: string;
  readonly cell: PlannedCell | undefined;
  /** Names of the faults that were set. */
  readonly names: readonly string[];
  readonly playing: Playing;
  /** Whether the system may repeat a call after the story. */
  readonly mayRepeat: boolean;
  /** Wall time of the story. */
  readonly ms: number;
}

/** Only a broken answer is compared by its content, with the baseline. */
const readsBodies = (cell: PlannedCell | undefined): 'true' | 'false' =>
  cell === undefined || cell.family === 'forbidden' ? 'true' : 'false';

/** Families that make calls fail, which a system may repeat later. */
const STRIKES_CALLS: readonly (Family | undefined)[] = ['absent', 'lost-answers', 'credentials'];

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

/** The longest wait for an advance of the clock that a command has left behind. */
const OTHER_ADVANCE_MS = 120_000;

/** Advances the clock after another advance has ended: a command that was stopped may have begun one. */
async function advance(
  rehearsal: EstateRehearsal,
  body: NonNullable<OperationInput<'advance-clock'>['body']>,
): Promise<OperationOutput<'advance-clock'>> {
  for (const begun = performance.now(); ; ) {
    try {
      return await rehearsal.control('advance-clock', { body });
    } catch (error) {
      const isBusy = error instanceof ControlError && error.status === problems.clock_busy.status;
      if (!isBusy || performance.now() - begun > OTHER_ADVANCE_MS) throw error;
    }
    await pause(1_000);
  }
}

type ListedDeliveries = OperationOutput<'list-webhook-deliveries'>['items'];

async function readDeliveries(rehearsal: EstateRehearsal): Promise<readonly Delivery[]> {
  const { items } = await rehearsal.control('list-webhooks');
  if (items.length === 0) return [];
  const { items: journal } = await rehearsal.control('read-journal', { query: { limit: MOST_HOPS, bodies: 'false' } });
  const lists = await Promise.all(items.map(async ({ name }) => deliveriesOf(name, await allDeliveries(rehearsal, name), journal)));
  return lists.flat();
}

async function allDeliveries(rehearsal: EstateRehearsal, name: string): Promise<ListedDeliveries> {
  const all: ListedDeliveries[number][] = [];
  for (let before: number | undefined; ; ) {
    const { items, next } = await rehearsal.control('list-webhook-deliveries', { params: { name }, query: { before, limit: 200 } });
    all.push(...items);
    if (next === undefined) return all;
    before = next;
  }
}
