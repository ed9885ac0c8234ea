import type { Owner } from '../../catalog/applications.ts';
import { DEFAULT_PROGRESSION, Progression } from '../../catalog/control/progression.ts';
import { watchHeap } from '../../process/heap.ts';
import { READY } from '../../process/readiness.ts';
import { STATE_INDEX } from '../collections.ts';
import { journalLimits } from '../journal-limits.ts';
import { DROP_AFTER_MS, RELAY_LEASE_MS, type Store, type StoreAdapter, type StoreOptions, type Worlds } from '../ports/estate-store.ts';
import type { JournalReader } from '../ports/journal.ts';
import type { CountedObjects, EventReader, ObjectCount } from '../ports/objects.ts';
import { OUTBOX_LIMIT } from '../ports/outbox.ts';
import { WORLD_BYTES } from '../ports/plan.ts';
import type { Directory, RevocationStore, WorldView } from '../ports/rehearsals.ts';
import { createApplicationStore } from './application-store.ts';
import { createMemoryClock } from './clock.ts';
import { createMemoryEstate, type MemoryEstate } from './estate.ts';
import { createMemoryFaultControl, createMemoryFaults } from './faults.ts';
import { createMemoryLedger } from './ledger.ts';
import { createMemoryLogs } from './logs.ts';
import { createUnsent, type Unsent, worldsBacklog } from './outbox.ts';
import { createMemoryRehearsals } from './rehearsals.ts';
import { createMemoryRuns } from './runs.ts';
import { createMemorySnapshots } from './snapshots.ts';
import { faultRevisionOf, nowOf, type RehearsalState, type WorldState } from './state.ts';
import { createMemoryTurns, type TurnLimits } from './turns.ts';
import { createMemoryWorldData } from './world-data.ts';

interface MemoryStoreOptions extends StoreOptions {
  readonly turns?: Partial<TurnLimits>;
}

/** The estate's state in this process's memory. It is lost when the process ends. */
export function createMemoryStore(options: MemoryStoreOptions = {}): StoreAdapter {
  const {
    journal = journalLimits(),
    relayLeaseMs = RELAY_LEASE_MS,
    outboxLimit = OUTBOX_LIMIT,
    worldBytes = WORLD_BYTES,
    dropAfterMs = DROP_AFTER_MS,
  } = options;
  const isRecording = journal !== 'off';
  const heap = watchHeap();
  const estate = createMemoryEstate({ heap, dropAfterMs, journalLimits: isRecording ? journal : journalLimits() });
  const unsent = createUnsent(estate.all);
  const store = (application: Owner) => createApplicationStore(application, { estate, unsent, relayLeaseMs, outboxLimit, worldBytes });
  return {
    store,
    control: {
      ...createMemoryFaults(estate),
      journal: isRecording ? (world, entry) => estate.all.get(world)?.journal.add(entry) : () => undefined,
      // A hop can be read as soon as it is recorded.
      expectHops: () => undefined,
    },
    worlds: createMemoryWorlds(estate, store, unsent),
    turns: createMemoryTurns(estate.all, options.turns),
    heap,
    state: () => READY,
    close: async () => {
      estate.janitor.stop();
      estate.all.clear();
    },
  };
}

function createMemoryWorlds(estate: MemoryEstate, store: (application: Owner) => Store, unsent: Unsent): Worlds {
  const { rehearsals, need, watch, announceSettling, watchSettling } = estate;
  return {
    ...createDirectory(estate),
    ...createMemoryRehearsals(estate, unsent),
    ...createRevocations(estate),
    ...createMemoryWorldData(estate),
    ...createMemoryLedger(estate),
    ...createMemoryClock(estate),
    ...createMemoryFaultControl(estate),
    ...createReaders(estate),
    ...createMemoryRuns(),
    ...createMemoryLogs(estate),
    ...createMemorySnapshots(),
    setProgression: async (world, input) => {
      const state = need(world);
      const progression = Progression.parse({ ...(state.progression ?? DEFAULT_PROGRESSION), ...input });
      state.progression = progression;
      return progression;
    },
    object: (world, application, collection, id) => store(application).object(world, collection, id),
    all: (world, application, collection, page) => store(application).all(world, collection, page),
    indexed: (world, { application, collection, name }, value, page) => store(application).index(world, collection, name, value, page),
    unique: (world, { application, collection, name }, value) => store(application).unique(world, collection, name, value),
    countObjects: async (world, of) => of.map((objects) => countIn(need(world), objects)),
    counters: (world, application, counter, keys) => store(application).counters(world, counter, keys),
    backlog: async () => worldsBacklog([...rehearsals.values()].map(({ world }) => world)),
    foreign: async () => [],
    foreignOf: async () => undefined,
    adopt: async () => false,
    refuse: async () => undefined,
    watch,
    announceSettling,
    watchSettling,
  };
}

function countIn({ applications }: WorldState, { application, collection, states }: CountedObjects): ObjectCount {
  const state = applications.get(application);
  const found = state?.index.get(`${collection}.${STATE_INDEX}`);
  return { count: state?.objects.get(collection)?.size ?? 0, states: states.map((one) => found?.get(one)?.size ?? 0) };
}

function createRevocations({ all }: MemoryEstate): RevocationStore {
  return {
    revokeToken: async ({ world, id, endsAt }) => {
      const state = all.get(world);
      state?.revokedTokens.revoke(id, endsAt, nowOf(state));
    },
    isTokenRevoked: async ({ world, id }) => {
      const state = all.get(world);
      return state?.revokedTokens.has(id, nowOf(state)) ?? false;
    },
    expireTokens: async (world, expiry) => {
      const state = all.get(world);
      if (state && expiry.generation > (state.tokenExpiry?.generation ?? 0)) state.tokenExpiry = expiry;
    },
  };
}

function createDirectory({ all, rehearsals, need }: MemoryEstate): Directory {
  return {
    resolve: async (rehearsal) => {
      const found = rehearsals.get(rehearsal);
      return found && viewOf(found);
    },
    current: async (world) => {
      const state = all.get(world);
      const found = state && rehearsals.get(state.rehearsal);
      return found?.world.world === world ? viewOf(found) : undefined;
    },
    nextNumber: async (world, name) => {
      const { numbers } = need(world);
      const number = (numbers.get(name) ?? 0) + 1;
      numbers.set(name, number);
      return number;
    },
  };
}

const viewOf = ({ world, credentials }: RehearsalState): WorldView => ({
  rehearsal: world.rehearsal,
  world: world.world,
  lineage: world.lineage,
  now: nowOf(world),
  flowing: world.clock.flowing,
  moves: world.logs.moves.at(-1)?.number ?? 0,
  faults: faultRevisionOf(world),
  reference: world.reference,
  bytes: world.bytes,
  progression: world.progression,
  tokenExpiry: world.tokenExpiry,
  credentials,
  ...world.seed.beginning,
});

function createReaders({ need }: MemoryEstate): EventReader & JournalReader {
  return {
    events: async (world, after, limit) => need(world).events.after(after, limit),
    eventsAbout: async (world, about, after, limit) => {
      const { events } = need(world);
      return { events: events.about(about, after, limit), last: events.last, count: events.count(about) };
    },
    newestEventsAbout: async (world, about, limit) => need(world).events.newestAbout(about, limit),
    journalOf: async (world, ask = {}) => need(world).journal.page(ask),
    hop: async (world, requestId) => need(world).journal.hop(requestId),
    journaled: async (world, requestIds) => {
      const { journal } = need(world);
      return new Set(requestIds.filter((requestId) => journal.has(requestId)));
    },
    journalSize: async (world) => need(world).journal.size(),
    hopCounts: async (world) => need(world).journal.counts(),
    traces: async (world, { before, limit }) => need(world).journal.traces(before, limit),
    tracesOf: async (world, correlationIds) => need(world).journal.tracesOf(correlationIds),
  };
}
