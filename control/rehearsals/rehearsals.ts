import { GATEWAY } from '../../shared/catalog/applications.ts';
import type { OwnData } from '../../shared/catalog/control/own-data.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import type { SwapChanges, Swaps } from '../../shared/catalog/swap.ts';
import { mintCredentials, type PlainCredentials } from '../../shared/control/credentials.ts';
import { noMemoryLeft } from '../../shared/control/rehearsal-full.ts';
import { DEFAULT_REHEARSAL, REHEARSAL_NAME } from '../../shared/domain/ids.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { SeededSwaps } from '../../shared/elsewhere/swap/stored-swap.ts';
import type { Heap } from '../../shared/process/heap.ts';
import type { ObjectReader } from '../../shared/store/ports/objects.ts';
import type { Directory, Labels, Lifetime, RehearsalStore, WorldView } from '../../shared/store/ports/rehearsals.ts';
import type {
  ApplicationDump,
  Beginning,
  ExportedWorld,
  WorldData,
  WorldDataStore,
  WorldSource,
} from '../../shared/store/ports/world-data.ts';
import { requestedSwaps } from '../swaps/swaps.ts';

interface RehearsalsOptions {
  readonly worlds: Directory & RehearsalStore & Pick<WorldDataStore, 'ownData' | 'origin'> & Pick<ObjectReader, 'object'>;
  /** The heap that has the worlds. While it is full, none is created. Undefined where the worlds are outside this process. */
  readonly heap: Pick<Heap, 'full'> | undefined;
  /** The data of a new world whose clock starts at `now`. */
  readonly seed: (now: number) => WorldData;
  readonly seedWith: SeedWith;
  /** Checks requested swaps. @throws Problem outbound_refused */
  readonly permitted: (swaps: Swaps) => Promise<SeededSwaps>;
  /** The requested swaps of a world after changes. @throws Problem validation_failed, outbound_refused */
  readonly changed: (world: World, changes: SwapChanges) => Promise<SeededSwaps>;
  readonly pepper: string;
  /** Webhook secret of the default rehearsal, so that a webhook can be sent by hand. Every other rehearsal gets its own secret. */
  readonly defaultWebhookSecret: string | undefined;
  readonly limits: RehearsalLimits;
  /** What a reset keeps of a world. */
  readonly kept?: (view: WorldView) => Promise<WorldData['applications']>;
  /** The world of a snapshot, for a reset of a rehearsal that was opened from it. @throws Problem not_found */
  readonly opened?: (snapshot: string) => Promise<ExportedWorld>;
}

/** The part of the initial data that the creation of a rehearsal chooses. */
interface OwnSeed {
  readonly data?: OwnData | undefined;
  readonly swaps?: SeededSwaps | undefined;
}

/** Seeds a new world with own data and swaps. @throws Problem validation_failed with all mistakes of the data */
type SeedWith = (own: OwnSeed, now: number) => Promise<{ readonly seed: WorldData; readonly leftOut: readonly string[] | undefined }>;

interface NewTerms {
  readonly idleMs?: Ms | null;
  readonly labels?: Labels | undefined;
  readonly data?: OwnData;
  readonly beginning?: Beginning;
  readonly swap?: Swaps | undefined;
  /** The world of a snapshot, or the world to copy. Excludes `data` and `swap`. */
  readonly from?: WorldSource;
}

/** Finds, creates and resets rehearsals. When several gateways create the same rehearsal concurrently, one of them succeeds. */
export function createRehearsals(options: RehearsalsOptions) {
  const { worlds, heap, seed, seedWith, permitted, changed, pepper, defaultWebhookSecret, limits, kept, opened } = options;
  /** Rehearsals that are being created; concurrent requests wait for the same one. */
  const opening = new Map<string, Promise<WorldView>>();

  const initialData = (data: WorldData | undefined, beginning: Beginning): WorldData => ({
    ...(data ?? seed(beginning.startsAt ?? Date.now())),
    beginning: beginning.seed === undefined && beginning.startsAt === undefined ? undefined : beginning,
  });

  /** @returns undefined when the rehearsal exists. The credentials cannot be read again @throws Problem too_many_rehearsals */
  async function open(
    name: string,
    idleMs: Ms | null,
    from: () => WorldSource = () => initialData(undefined, {}),
    labels?: Labels,
  ): Promise<{ readonly credentials: PlainCredentials; readonly world: World } | undefined> {
    const isDefault = name === DEFAULT_REHEARSAL;
    const full = isDefault ? undefined : heap?.full();
    if (full) throw new Problem('too_many_rehearsals', noMemoryLeft(full), { bytes: full.living, limit: full.limit });
    const { plain, stored } = mintCredentials(name, pepper);
    const created = await worlds.create(name, {
      from,
      credentials: isDefault && defaultWebhookSecret !== undefined ? { ...stored, webhookSecret: defaultWebhookSecret } : stored,
      labels,
      idleMs: isDefault ? null : idleMs,
      most: isDefault ? UNLIMITED : limits.most,
    });
    if (created.is === 'too-many') throw tooManyRehearsals(limits, created.longestIdle);
    return created.is === 'created' ? { credentials: plain, world: created.world } : undefined;
  }

  /** @throws Problem unknown_rehearsal */
  async function find(name: string): Promise<WorldView> {
    const view = await worlds.resolve(name);
    if (view) return view;
    throw unknownRehearsal(name);
  }

  /** Finds a rehearsal, or creates it. @throws Problem too_many_rehearsals */
  async function ensure(name: string): Promise<WorldView> {
    const found = await worlds.resolve(name);
    if (found) return found;
    const running = opening.get(name);
    if (running) return running;
    const started = open(name, limits.idleMs)
      .then(() => find(name))
      .finally(() => opening.delete(name));
    opening.set(name, started);
    return started;
  }

  /**
   * @param terms.idleMs wall time; null keeps it, undefined takes the configured time
   * @returns its world, and the credentials, which cannot be read again
   * @throws Problem rehearsal_exists, too_many_rehearsals, validation_failed, outbound_refused
   */
  async function create(name: string, { idleMs = limits.idleMs, labels, data, swap, beginning = {}, from }: NewTerms) {
    // Seeding is expensive, so an existing rehearsal is found first.
    if (!(await worlds.resolve(name))) {
      const swaps = swap && (await permitted(swap));
      const own = data || swaps ? await seedWith({ data, swaps }, beginning.startsAt ?? Date.now()) : undefined;
      const created = await open(name, idleMs, () => (from ? continued(from, beginning) : initialData(own?.seed, beginning)), labels);
      if (created) return { ...created, leftOut: own?.leftOut };
    }
    const remedy = name === DEFAULT_REHEARSAL ? 'or reset it' : 'or reset or delete it';
    throw new Problem('rehearsal_exists', `There is a rehearsal "${name}" already; choose another name, ${remedy}.`, { rehearsal: name });
  }

  async function dataForReset(
    { world, seed: seedOfIds, startsAt }: WorldView,
    changes: SwapChanges | undefined,
  ): Promise<WorldData | ExportedWorld> {
    const origin = await worlds.origin(world);
    if (origin !== undefined && opened) {
      if (changes === undefined) return opened(origin);
      const detail = `A real system lacks the state of the snapshot "${origin}", which this rehearsal returns to. Create a rehearsal with "swap".`;
      throw invalid('/swap', 'not_together', detail);
    }
    const data = await worlds.ownData(world);
    const swaps = await (changes === undefined ? requestedSwaps(worlds, world) : changed(world, changes));
    const own = data || swaps ? await seedWith({ data, swaps }, startsAt ?? Date.now()) : undefined;
    return initialData(own?.seed, { seed: seedOfIds, startsAt });
  }

  /**
   * Seeds the rehearsal again, with its own data, swaps, seed and start, or opens its snapshot again.
   * @throws Problem unknown_rehearsal, even when it is deleted during the operation and another one gets its name; not_found when its snapshot was deleted; validation_failed, outbound_refused
   */
  async function reset(name: string, changes?: SwapChanges): Promise<void> {
    const view = await find(name);
    const from = await dataForReset(view, changes);
    const applications = { ...from.applications, ...withRecords(from.applications[GATEWAY], await kept?.(view)) };
    if (!(await worlds.replace(name, { ...from, applications }, view.credentials))) throw unknownRehearsal(name);
  }

  return { ensure, find, create, reset };
}

/** What a reset keeps, with the gateway's records of the snapshot that it opens. */
function withRecords(records: ApplicationDump | undefined, kept: WorldData['applications'] = {}): WorldData['applications'] {
  const own = kept[GATEWAY];
  if (!records || !own) return kept;
  return { ...kept, [GATEWAY]: { ...own, objects: { ...records.objects, ...own.objects } } };
}

/** A world that continues another one, with a new seed if one is chosen. */
function continued(from: WorldSource, { seed }: Beginning): WorldSource {
  if (seed === undefined) return from;
  if ('copyOf' in from) return { ...from, seed };
  return 'events' in from ? { ...from, seed: { ...from.seed, beginning: { ...from.seed.beginning, seed } } } : from;
}

export const unknownRehearsal = (name: string): Problem =>
  new Problem(
    'unknown_rehearsal',
    REHEARSAL_NAME.test(name)
      ? `There is no rehearsal "${name}". Create it with POST /_control/rehearsals, or by its first use at an API with a credential.`
      : `There is no rehearsal "${name}", and none can have this name: lower-case letters, digits and hyphens, not a hyphen first, at most 40 characters.`,
    { rehearsal: name },
  );

export type Rehearsals = ReturnType<typeof createRehearsals>;

interface RehearsalLimits {
  /** The number of rehearsals, including the default one and those that are kept. */
  readonly most: number;
  /** Wall time without use after which a rehearsal ends, unless it sets another time. */
  readonly idleMs: Ms;
}

/** The limit when the default rehearsal is created. The estate needs this rehearsal to become ready. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** @param longestIdle undefined when all rehearsals are kept */
function tooManyRehearsals({ most }: RehearsalLimits, longestIdle: (Lifetime & { readonly rehearsal: string }) | undefined): Problem {
  const full = `There are ${most} rehearsals, which is the limit of MAX_REHEARSALS.`;
  if (!longestIdle) return new Problem('too_many_rehearsals', `${full} All of them are kept: delete one.`, { most });
  const { rehearsal, lastUsedAt, endsAt } = longestIdle;
  return new Problem('too_many_rehearsals', `${full} Delete one: "${rehearsal}" has been idle longest, since ${instant(lastUsedAt)}.`, {
    most,
    longestIdle: { name: rehearsal, lastUsedAt: instant(lastUsedAt), endsAt: endsAt === null ? undefined : instant(endsAt) },
    retryAfter: endsAt === null ? undefined : Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000)),
  });
}
