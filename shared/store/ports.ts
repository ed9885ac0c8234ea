import type { Application } from '../catalog/applications.ts';
import type { Progression } from '../catalog/simulation/progression.ts';
import type { Ms } from '../domain/time.ts';
import type { World } from '../domain/world.ts';
import type { State } from '../process/readiness.ts';

/**
 * The ports of the store: what a memory adapter and a Redis adapter both provide. An application gets a `Store` bound to its own
 * name; every process gets `Directory` and `Simulation`; only the control plane holds `Worlds`.
 */

/** A stored object; `order` is its place in the order of creation within its world. */
export interface Found {
  readonly id: string;
  readonly version: number;
  readonly order: number;
  readonly json: string;
}

export interface PageRequest {
  /** Only objects created after this `order`. Newest first: created before it, and 0 is where to begin. */
  readonly after: number;
  readonly limit: number;
  readonly newestFirst?: boolean | undefined;
}

/** What a unit of work must still hold when it commits. The last commit ends it. */
export type Fence =
  | { readonly kind: 'claim'; readonly key: string; readonly token: string }
  | { readonly kind: 'delivery'; readonly key: string }
  | { readonly kind: 'due'; readonly key: string; readonly token: string };

export interface PlannedEvent {
  readonly id: string;
  readonly topic: string;
  /** Kafka key: the aggregate's id. */
  readonly key: string;
  readonly json: string;
  readonly subscribers: readonly Application[];
  /** Set when a fault held it before: no fault strikes it again. */
  readonly struck?: true | undefined;
  /** Wall time: from it tells how long it takes until it is on the bus. */
  readonly committedAt?: Ms | undefined;
}

/** Due work as an application asks for it: `at: null` cancels. The same application, kind and key replaces. */
export interface PlannedDue {
  readonly kind: string;
  readonly key: string;
  readonly at: Ms | null;
  readonly payload: string;
  readonly correlationId: string;
  /** The trace of what asked for it, if there is one. */
  readonly traceparent?: string | undefined;
  /** Set when the committing process will run it itself before it replies; a lease in wall time keeps others away meanwhile. */
  readonly lease?: { readonly token: string; readonly until: number } | undefined;
  /**
   * The fault that keeps it until `at` (`NEVER`: as long as the fault stands). When that fault is set anew, is deleted, or is gone
   * already, it is due at once.
   */
  readonly withheldBy?: string | undefined;
  /** The revision of the faults on which that was decided: a fault that was set anew since does not keep it. */
  readonly withheldAt?: number | undefined;
}

/** Due work that every application can do: an event that a fault held goes back into the outbox. Key: its id; payload: the entry. */
export const PUBLISH_WITHHELD_EVENT = 'publish-held-event';

/** Due work that every subscriber can do: a delivery that was parked is tried again. Key: the event's id; payload: the entry. */
export const DELIVER_AGAIN = 'deliver-again';

/**
 * Due work that carries an event. Of each application one such item of a kind runs at a time, whoever drives the clock, so that events
 * keep their order; and no snapshot has it.
 */
export const carriesEvent = (kind: string): boolean => kind === PUBLISH_WITHHELD_EVENT || kind === DELIVER_AGAIN;

export interface IndexChange {
  readonly collection: string;
  readonly name: string;
  readonly id: string;
  /** The new value; null takes the object out. */
  readonly value: string | null;
  /** The value under which it was entered so far. */
  readonly was: string | null;
}

/** How many events of one application and world may wait for the bus before its requests are refused, unless another number is given. */
export const OUTBOX_LIMIT = 100_000;

/** Wall time for which the result of an operation is remembered at least, so that a repeat is answered. */
export const OPERATION_KEPT_MS = 60_000;
/** Rehearsal time for which a claim is remembered that has no outcome and that nobody holds. */
export const CLAIM_KEPT_MS = 24 * 60 * 60 * 1_000;
/** How many claims whose time is over go with each that comes, at most. */
export const CLAIMS_FORGOTTEN = 100;

/** All that a commit is. An adapter checks everything first and then writes everything; it never decodes an object's JSON. */
export interface Plan {
  /** Unique per attempt to commit; a repeat is answered with the first result. */
  readonly operation: string;
  readonly last: boolean;
  readonly now: Ms;
  readonly fence?: Fence | undefined;
  readonly expect: readonly { readonly collection: string; readonly id: string; readonly version: number }[];
  readonly put: readonly {
    readonly collection: string;
    readonly id: string;
    /** The version that was read; 0 = new. */
    readonly read: number;
    readonly version: number;
    readonly json: string;
  }[];
  readonly unique: readonly IndexChange[];
  readonly index: readonly IndexChange[];
  /** Summed per counter, key and field. */
  readonly move: readonly { readonly counter: string; readonly key: string; readonly field: string; readonly by: number }[];
  /** The weighted sum of the fields must not be negative after moves that lower it. */
  readonly guard: readonly { readonly counter: string; readonly key: string; readonly terms: Readonly<Record<string, 1 | -1>> }[];
  readonly events: readonly PlannedEvent[];
  readonly due: readonly PlannedDue[];
  /** What the request asked for with `If-Match` was so in this commit; noted with the claim that is held. */
  readonly preconditionHeld?: boolean | undefined;
  /** The answer to keep under the claim that is held; without it a last commit releases the claim. */
  readonly outcome?: { readonly json: string; readonly keepUntil: Ms } | undefined;
}

export type Committed =
  | { readonly ok: true; readonly seq: number }
  /** `full`: more events wait for the bus than may. What consumes and what falls due is not refused for that. */
  | { readonly ok: false; readonly why: 'version' | 'unique' | 'guard' | 'held' | 'world' | 'full'; readonly at: string };

export type Claim =
  /**
   * `since`: when this request was first claimed, on the rehearsal's clock. `preconditionHeld`: a commit of it noted so. Both stay
   * when a lease is taken over.
   */
  | { readonly is: 'ours'; readonly token: string; readonly since: Ms; readonly preconditionHeld: boolean }
  | { readonly is: 'running' | 'other-body' }
  | { readonly is: 'done'; readonly json: string };

export interface OutboxEntry {
  readonly id: string;
  readonly topic: string;
  readonly key: string;
  readonly json: string;
  readonly struck?: true | undefined;
  readonly committedAt?: Ms | undefined;
}

/** What came on the bus: an entry of the batch, by id, as often as it was sent; or an event that a fault had held until then. */
export type SentEvent = string | OutboxEntry;

/** An entry of the batch that a fault keeps from the bus: `due` (of kind `PUBLISH_WITHHELD_EVENT`, with `withheldBy`) brings it back. */
export interface WithheldEvent {
  readonly id: string;
  readonly due: PlannedDue;
}

/** How much waits in an application's outboxes, and since when at most, in wall time. */
export interface OutboxBacklog {
  readonly events: number;
  readonly oldestAt?: Ms | undefined;
}

/** How much is still to happen in all current worlds together. */
export interface WorldsBacklog {
  readonly rehearsals: number;
  /** Deliveries owed. */
  readonly pending: number;
  /** Due work: that nobody took yet though its time has come; that somebody holds; that is for later; that faults keep. */
  readonly overdue: number;
  readonly running: number;
  readonly scheduled: number;
  readonly withheld: number;
  readonly parked: number;
}

/** One application's store. */
export interface Store {
  readonly application: Application;
  object(world: World, collection: string, id: string): Promise<Found | undefined>;
  unique(world: World, collection: string, unique: string, value: string): Promise<Found | undefined>;
  index(world: World, collection: string, index: string, value: string, page: PageRequest): Promise<readonly Found[]>;
  /** How many objects an index has under each of these values. */
  count(world: World, collection: string, index: string, values: readonly string[]): Promise<readonly number[]>;
  all(world: World, collection: string, page: PageRequest): Promise<readonly Found[]>;
  /** The fields of several keys at once, in the order asked for; a field that never moved is absent. */
  counters(world: World, counter: string, keys: readonly string[]): Promise<readonly Readonly<Record<string, number>>[]>;
  /** @param leaseMs wall time after which an unfinished claim may be taken over */
  claim(world: World, key: string, fingerprint: string, now: Ms, leaseMs: number): Promise<Claim>;
  /** Lets an unfinished claim go; what is done stays. */
  release(world: World, key: string, token: string): Promise<void>;
  /** A due item that `token` holds; undefined when it is gone or somebody else's. */
  due(world: World, kind: string, key: string, token: string): Promise<DueItem | undefined>;
  /**
   * Says that whoever had this token does the work no more. If it still holds the item, that stays due as it is, free for whoever
   * drives the clock.
   */
  releaseDue(world: World, kind: string, key: string, token: string): Promise<void>;
  commit(world: World, plan: Plan): Promise<Committed>;
  /**
   * Acknowledges what was sent, takes what is held out of the outbox, and returns the next batch. What was sent is listed in the
   * order given. An empty batch lets the relay's lease go in the same step, so that no wake-up is lost; it is also the answer while
   * another token holds the lease.
   * @param goOn false for a relay that stops: it gets no batch, and its lease is let go although there is more
   */
  drain(
    world: World,
    token: string,
    sent: readonly SentEvent[],
    held?: readonly WithheldEvent[],
    goOn?: boolean,
  ): Promise<readonly OutboxEntry[]>;
  /** This application's due work that a fault keeps, in the order in which it was held. */
  held(world: World, fault: string): Promise<readonly DueItem[]>;
  /** Worlds in which this application has events that are not on the bus yet and that no relay holds. */
  unsent(): Promise<readonly World[]>;
  /** What this application has committed and not yet sent, over all worlds. For metrics: it costs a look into every such world. */
  outbox(): Promise<OutboxBacklog>;
  /** Whether a delivery `<application>|<event id>` is still to be consumed. */
  isPending(world: World, delivery: string): Promise<boolean>;
  /** Notes a delivery as parked (dead-lettered): it is listed and no longer counts as pending. */
  park(world: World, delivery: string, error: string): Promise<void>;
}

/** What the edge, consumers and the relay know of a rehearsal: one read. */
export interface WorldView {
  readonly rehearsal: string;
  readonly world: World;
  readonly now: Ms;
  readonly flowing: boolean;
  /** Revision of the fault rules; 0 = none. */
  readonly faults: number;
  /** What moves by itself in this rehearsal; absent while it is as every rehearsal starts. */
  readonly progression?: Progression | undefined;
  readonly credentials: RehearsalCredentials;
}

/** HMACs of the credentials bound to a rehearsal; the secrets themselves are shown once, when it is created. */
export interface RehearsalCredentials {
  readonly bearer: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

export interface Directory {
  resolve(rehearsal: string): Promise<WorldView | undefined>;
  /** @returns undefined when the world is no longer the current one of its rehearsal */
  current(world: World): Promise<WorldView | undefined>;
}

export interface FaultRule {
  readonly name: string;
  readonly json: string;
  readonly hits: number;
}

export interface JournalEntry {
  readonly requestId: string;
  readonly correlationId: string;
  readonly json: string;
  /** Made by a caller without a credential: such hops have little room, and push nobody else's out. */
  readonly anonymous?: true | undefined;
}

export interface JournalAsk {
  readonly correlationId?: string | undefined;
  /** How many of the newest; all without it. */
  readonly limit?: number | undefined;
}

export interface JournalPage {
  /** In the order in which they were recorded; `ageMs` is the wall time since then. */
  readonly entries: readonly (JournalEntry & { readonly ageMs: number })[];
  /** Older hops of the world are no longer there. */
  readonly truncated: boolean;
}

/** What every application needs of the simulation plane. */
export interface Simulation {
  faults(world: World): Promise<{ readonly revision: number; readonly rules: readonly FaultRule[] }>;
  /** Counts one hit and returns its number, or undefined when `limit` hits were already counted. One atomic step. */
  hit(world: World, fault: string, limit?: number): Promise<number | undefined>;
  /** Counts one chance of a fault to strike and returns its number: what an improbable fault draws by. One atomic step. */
  chance(world: World, fault: string): Promise<number>;
  /** How many hits a fault has: what a parked request polls. */
  hits(world: World, fault: string): Promise<number>;
  journal(world: World, entry: JournalEntry): void;
}

export interface DueItem {
  readonly application: Application;
  readonly kind: string;
  readonly key: string;
  readonly at: Ms;
  readonly seq: number;
  readonly attempts: number;
  readonly correlationId: string;
  readonly traceparent?: string | undefined;
  readonly payload: unknown;
  /** The fault that keeps it until `at`. */
  readonly withheldBy?: string | undefined;
}

/** The name of a due item within its world. */
export const dueKey = (application: string, kind: string, key: string): string => `${application}|${kind}|${key}`;

export interface Parked {
  readonly what: 'delivery' | 'due';
  readonly key: string;
  readonly error: string;
  readonly at: Ms;
}

/**
 * Everything that still has to happen in a world; quiet is when the first three are empty and `next` lies in the future. A list may
 * name only the first; `counts` has how many there are.
 */
export interface Ledger {
  readonly unsent: readonly string[];
  readonly pending: readonly string[];
  /** What somebody runs, also when it was cancelled or replaced meanwhile: whoever began goes on. */
  readonly running: readonly string[];
  readonly parked: readonly Parked[];
  /** Due work that faults keep. Deliveries of events among it are owed, and not pending until those are let go. */
  readonly held: readonly DueItem[];
  readonly counts: Readonly<Record<'unsent' | 'pending' | 'running' | 'parked' | 'held', number>>;
  readonly next?: DueItem | undefined;
}

/** What a driver of the clock looks at. It costs the same whatever is queued. */
export interface ClockStatus {
  readonly now: Ms;
  readonly flowing: boolean;
  /** Somebody advances the clock: nobody else runs what is due. */
  readonly advancing: boolean;
  /** How many items somebody runs. */
  readonly running: number;
  /** The lowest that can be taken. */
  readonly next?: DueItem | undefined;
}

/** Parked work that is to be done again: a delivery comes with its event. */
export type Redriven =
  | { readonly what: 'due'; readonly key: string }
  | { readonly what: 'delivery'; readonly key: string; readonly event: OutboxEntry };

/** The stored data of one application, as plain JSON. */
export interface ApplicationDump {
  readonly objects: Readonly<Record<string, readonly { readonly id: string; readonly version: number; readonly json: string }[]>>;
  readonly unique: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly index: Readonly<Record<string, readonly (readonly [value: string, id: string])[]>>;
  readonly counters: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;
}

/**
 * Data, clock and due work of a world; outbox, held events, deliveries, journal, faults and idempotency records are not in it, so other
 * work that a fault keeps is due at once.
 */
export interface Snapshot {
  readonly now: Ms;
  readonly applications: Readonly<Partial<Record<Application, ApplicationDump>>>;
  readonly due: readonly Omit<DueItem, 'seq' | 'attempts' | 'withheldBy'>[];
}

export interface StoredEvent {
  readonly order: number;
  readonly id: string;
  readonly topic: string;
  readonly key: string;
  readonly json: string;
}

/** What events can be asked for by; a type by its name without prefix. `named`: all but the additional ones. */
export type EventsAbout = { readonly by: 'correlation' | 'subject' | 'type'; readonly value: string } | { readonly by: 'named' };

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** The order of the world's last event at that moment. */
  readonly last: number;
}

/** What a world holds. Each number is kept, so that asking for it costs the same whatever there is. */
export interface WorldContents {
  readonly objects: number;
  readonly events: number;
  /** Journal records. */
  readonly journal: number;
  /** Approximately: the text of objects, events, kept answers and journal, without what the store itself needs for them. */
  readonly bytes: number;
}

/** How long a rehearsal lives. All times are wall time. */
export interface Lifetime {
  readonly lastUsedAt: Ms;
  /** When it ends if nobody uses it until then; null: when it is deleted. */
  readonly endsAt: Ms | null;
}

export interface RehearsalRecord extends Lifetime {
  readonly rehearsal: string;
  /** Absent when it cannot be read; `trouble` says why. */
  readonly current?: { readonly world: World; readonly createdAt: string; readonly now: Ms; readonly contents: WorldContents } | undefined;
  readonly trouble?: string | undefined;
}

export interface NewRehearsal {
  /** Asked only when there is room. */
  readonly from: () => Snapshot;
  readonly credentials: RehearsalCredentials;
  /** Wall time without use after which it ends; null: it is kept. */
  readonly idleMs: Ms | null;
  /** How many rehearsals there may be with it. */
  readonly most: number;
}

export type CreatedRehearsal =
  | { readonly is: 'created'; readonly world: World }
  | { readonly is: 'exists' }
  /** Of those that are not kept, the one that nobody has used for the longest. */
  | { readonly is: 'too-many'; readonly longestIdle?: (Lifetime & { readonly rehearsal: string }) | undefined };

/** The estate-wide view: only the control plane holds it. */
export interface Worlds extends Directory {
  /** In the order in which they were created. One that cannot be read is listed with what is known of it. */
  list(): Promise<readonly RehearsalRecord[]>;
  /** Of several that create one together, one does; and together they never create more than there may be. */
  create(rehearsal: string, created: NewRehearsal): Promise<CreatedRehearsal>;
  /**
   * Seeds a new world, then switches the rehearsal to it; the old one is dropped after a minute. Credentials and lifetime stay, and it
   * counts as use. @returns undefined when there is no such rehearsal (any more)
   */
  replace(rehearsal: string, from: Snapshot): Promise<World | undefined>;
  /** As `replace`, or `create` without a limit where there is none. What is created so is kept until it is removed. */
  open(rehearsal: string, from: Snapshot, credentials: RehearsalCredentials): Promise<World>;
  /** Forgets the rehearsal; its credentials answer 401 from then on. @returns false when there was none */
  remove(rehearsal: string): Promise<boolean>;
  /** Notes that a rehearsal is used now. @returns its `idleMs`; null also when there is no such rehearsal */
  use(rehearsal: string): Promise<Ms | null>;
  /** Removes the rehearsals whose end has come. One process at a time does; what lives is not looked at. @returns their names */
  expire(): Promise<readonly string[]>;
  snapshot(world: World): Promise<Snapshot>;
  /** What the world was seeded with. */
  seed(world: World): Promise<Snapshot>;
  /** @param limit how many each list names at most */
  ledger(world: World, limit?: number): Promise<Ledger>;
  /**
   * Lets the clock go again that a dead driver left standing. @returns undefined when the world is no longer the current one of its
   * rehearsal
   */
  status(world: World): Promise<ClockStatus | undefined>;
  /**
   * @param driver who advances the clock. Without one the clock is set only while nobody does.
   * @returns false when it is not (or no longer) theirs to set
   */
  setClock(world: World, clock: { readonly now: Ms; readonly flowing: boolean }, driver?: string): Promise<boolean>;
  /**
   * Takes the clock to advance it; from then on it stands. A lease that ran out can be taken over.
   * @returns false while another token holds it
   */
  leaseClock(world: World, token: string, ms: number): Promise<boolean>;
  /** @returns false when it was lost meanwhile */
  renewClock(world: World, token: string, ms: number): Promise<boolean>;
  /** Gives the clock back; it flows on from where it stands, if it flowed before. */
  releaseClock(world: World, token: string): Promise<void>;
  /**
   * Takes the lowest `(at, seq)` due up to an instant and not taken by anybody.
   * @param driver who advances the clock: while somebody does, nobody else takes anything
   */
  leaseNext(world: World, upTo: Ms, token: string, leaseMs: number, driver?: string): Promise<DueItem | undefined>;
  /** Gives a taken item back for an instant, or parks it visibly; a delivery that was tried again is parked as what it is. */
  requeue(
    world: World,
    item: DueItem,
    token: string,
    then: { readonly at: Ms; readonly attempts: number } | { readonly parked: string },
  ): Promise<void>;
  /**
   * Takes work out of what is parked and makes it due at once: due work as it was, unless the same is due already; a delivery as
   * `DELIVER_AGAIN` of its subscriber, and pending from then on. @returns those that were parked until then
   */
  redrive(world: World, again: readonly Redriven[]): Promise<readonly Redriven[]>;
  events(world: World, after: number, limit: number): Promise<readonly StoredEvent[]>;
  /** Those that are about something, at the same cost however many others there are. */
  eventsAbout(world: World, about: EventsAbout, after: number, limit: number): Promise<EventPage>;
  journalOf(world: World, ask?: JournalAsk): Promise<JournalPage>;
  /** Which of these requests the journal has a hop of. */
  journaled(world: World, requestIds: readonly string[]): Promise<ReadonlySet<string>>;
  setProgression(world: World, progression: Progression): Promise<void>;
  /** Sets a fault anew; what one of this name held is let go. */
  setFault(world: World, name: string, json: string): Promise<void>;
  /** Takes one fault or all out, and makes what it held due at once. @returns false when there was none */
  removeFault(world: World, name?: string): Promise<boolean>;
  object(world: World, application: Application, collection: string, id: string): Promise<Found | undefined>;
  /** As an application reads its own. */
  all(world: World, application: Application, collection: string, page: PageRequest): Promise<readonly Found[]>;
  counters(
    world: World,
    application: Application,
    counter: string,
    keys: readonly string[],
  ): Promise<readonly Readonly<Record<string, number>>[]>;
  /** Counts over all worlds, for metrics. */
  backlog(): Promise<WorldsBacklog>;
  /** Calls back when a world's events, deliveries or due work changed. @returns stop */
  watch(listener: (world: World) => void): () => void;
}

/** One place where everything is kept: in this process's memory, or in Redis. */
export interface StoreAdapter {
  store(application: Application): Store;
  readonly simulation: Simulation;
  readonly worlds: Worlds;
  /** Whether the store can be worked with now. */
  state(): State;
  close(): Promise<void>;
}

/** Thrown when a request names a world that was dropped: its rehearsal was reset or deleted more than a minute ago. */
export class WorldGone extends Error {
  override readonly name = 'WorldGone';
}

export type { Application };
