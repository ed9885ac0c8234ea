import type { Application } from '../../catalog/applications.ts';
import { READY } from '../../process/readiness.ts';
import { type JournalLimits, journalLimits } from '../journal-limits.ts';
import type { StoreAdapter } from '../ports/estate-store.ts';
import { OUTBOX_LIMIT } from '../ports/outbox.ts';
import { WORLD_BYTES } from '../ports/plan.ts';
import { createApplicationStore } from './application-store.ts';
import { createMemoryEstate } from './estate.ts';
import { createMemoryFaults } from './faults.ts';
import { createUnsent } from './outbox.ts';
import { createMemoryWorlds } from './worlds.ts';

/** Wall time of a relay's lease on the outbox of one application and world. */
const RELAY_LEASE_MS = 10_000;
/** Wall time after which a replaced or removed world is dropped. */
const DROP_AFTER_MS = 60_000;

export interface MemoryStoreOptions {
  /** Limits of each journal; `off` records no hops. */
  readonly journal?: JournalLimits | 'off';
  readonly relayLeaseMs?: number;
  /** Limit of the unpublished events of one application in one world. Beyond it, requests are refused. */
  readonly outboxLimit?: number;
  /** Limit of the text of a world. */
  readonly worldBytes?: number;
  readonly dropAfterMs?: number;
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
  const estate = createMemoryEstate({ dropAfterMs, journalLimits: isRecording ? journal : journalLimits() });
  const unsent = createUnsent(estate.all);
  const store = (application: Application) =>
    createApplicationStore(application, { estate, unsent, relayLeaseMs, outboxLimit, worldBytes });
  return {
    store,
    control: {
      ...createMemoryFaults(estate),
      journal: isRecording ? (world, entry) => estate.all.get(world)?.journal.add(entry) : () => undefined,
      // A hop can be read as soon as it is recorded.
      expectHops: () => undefined,
    },
    worlds: createMemoryWorlds(estate, store),
    state: () => READY,
    close: async () => {
      estate.janitor.stop();
      estate.all.clear();
    },
  };
}
