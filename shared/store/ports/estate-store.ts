import type { Owner } from '../../catalog/applications.ts';
import type { Heap } from '../../process/heap.ts';
import type { State } from '../../process/readiness.ts';
import type { JournalLimits } from '../journal-limits.ts';
import type { ClockStore, DueWorkStore, Settling, WorldChanges } from './due-work.ts';
import type { FaultControl, FaultStore } from './faults.ts';
import type { JournalReader, JournalWriter } from './journal.ts';
import type { BacklogStore, LedgerStore } from './ledger.ts';
import type { LogStore } from './logs.ts';
import type { EventReader, ObjectReader, ObjectStore } from './objects.ts';
import type { DeliveryStore, OutboxStore } from './outbox.ts';
import type { ClaimStore, CommitStore } from './plan.ts';
import type { Directory, ProgressionStore, RehearsalStore, RevocationStore } from './rehearsals.ts';
import type { RunStore } from './runs.ts';
import type { SnapshotStore } from './snapshots.ts';
import type { Turns } from './turns.ts';
import type { WorldDataStore } from './world-data.ts';
import type { FormatsStore } from './world-formats.ts';

export interface Store extends ObjectStore, ClaimStore, CommitStore, DueWorkStore, OutboxStore, DeliveryStore {}

/** The part of the control plane that every application needs. */
export interface ControlStore extends FaultStore, JournalWriter {}

/** The view of the whole estate. Only the control plane has it. */
export interface Worlds
  extends Directory,
    RehearsalStore,
    RevocationStore,
    WorldDataStore,
    ClockStore,
    WorldChanges,
    Settling,
    LedgerStore,
    BacklogStore,
    FaultControl,
    ProgressionStore,
    EventReader,
    JournalReader,
    ObjectReader,
    LogStore,
    RunStore,
    SnapshotStore,
    FormatsStore {}

/** Wall time of a relay's lease on the outbox of one application and world. */
export const RELAY_LEASE_MS = 10_000;
/** Wall time after which a replaced or removed world is dropped. */
export const DROP_AFTER_MS = 60_000;

/** What both stores can be created with. */
export interface StoreOptions {
  /** Limits of each journal; `off` records no hops. */
  readonly journal?: JournalLimits | 'off' | undefined;
  readonly relayLeaseMs?: number | undefined;
  /** Limit of the unpublished events of one application in one world. Beyond it, requests are refused. */
  readonly outboxLimit?: number | undefined;
  /** Limit of the text of a world. */
  readonly worldBytes?: number | undefined;
  readonly dropAfterMs?: number | undefined;
}

/** Storage of a whole estate: in the memory of this process, or in Redis. */
export interface StoreAdapter {
  store(application: Owner): Store;
  readonly control: ControlStore;
  readonly worlds: Worlds;
  /** Absent where several processes share the store. */
  readonly turns?: Turns;
  /** The heap that has the worlds. Absent where they are outside this process. */
  readonly heap?: Pick<Heap, 'full' | 'share'>;
  /** Whether the store is usable now. */
  state(): State;
  close(): Promise<void>;
}
