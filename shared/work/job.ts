import type { IncomingHttpHeaders } from 'node:http';
import type { Figures } from '../catalog/retailer.ts';
import type { Context } from '../control/context.ts';
import type { Hop } from '../control/journal.ts';
import type { EstateEvent } from '../events/envelope.ts';
import type { DueItem } from '../store/ports/due-work.ts';
import type { Answer } from '../transport/answer.ts';
import type { BoundApi } from './handler.ts';
import type { CommitState } from './unit/commit.ts';
import type { DueBeforeReply } from './unit/schedule.ts';
import type { UnitParts } from './unit/unit.ts';

/** Undefined when the connection ends without an answer. */
export type Answered = Answer | undefined;

/** A request to answer, an event to consume, or due work to run. */
export interface Job {
  readonly context: Context;
  readonly notes: JournalNotes;
}

/** Facts that the steps of a job collect for its journal record. */
export interface JournalNotes {
  /** Request id of the hop. Work that runs before the reply has its own ids, and belongs to the same hop. */
  readonly hopId: string;
  /** Request ids of the calls that it made. */
  readonly calls: string[];
  /** Names of the faults that struck. */
  readonly faults: string[];
  /** The body of the request, as it was parsed. */
  request?: unknown;
  /** The text that was parsed. */
  requestText?: string;
  /** The headers of a client's request that change its effect. */
  headers?: Readonly<Record<string, string>>;
  /** The answer of the real system that replaces the application. */
  outside?: Hop['outside'];
  /** Why the hop changed nothing. */
  unchanged?: string;
  /** Pointers to members of a webhook that the estate does not have. */
  ignored?: readonly string[];
  /** A more exact value than the context's, once it is known. */
  principal?: string;
}

export const newJournalNotes = ({ requestId }: Pick<Context, 'requestId'>): JournalNotes => ({ hopId: requestId, calls: [], faults: [] });

/** A job in a world whose figures are read. */
export interface WithFigures {
  readonly figures: Figures;
  /** Set when a real system of the retailer answers in this world: in place of the application, or beside it for comparison. */
  readonly realSystem?: 'instead' | 'beside' | undefined;
}

/** A job that came from outside the process. The journal records it as a hop, under these names. */
export interface JournaledJob extends Job {
  readonly hop: {
    /** Id of the API, or `event:<name>`, or `due:<kind>`. */
    readonly api: string;
    readonly method: string;
    readonly path: string;
    /** A value of `performance.now()`. */
    readonly started: number;
    /** Whether success is answered with data, which the journal keeps. */
    readonly answersData: boolean;
  };
  /** Path of the request; problems name it as their instance. */
  readonly path: string;
}

export interface ApiRequest extends JournaledJob {
  readonly bound: BoundApi<string>;
  readonly received: {
    readonly headers: IncomingHttpHeaders;
    readonly params: Readonly<Record<string, string | string[]>>;
    readonly query: unknown;
    readonly body: Buffer | string | undefined;
  };
  /** Whether the client has disconnected. */
  readonly hasLeft: () => boolean;
}

/** An event for one of its subscribers. */
export interface Delivery extends Job {
  readonly event: EstateEvent;
}

/** A due item whose lease has this token. */
export interface LeasedItem extends Job {
  readonly item: Pick<DueItem, 'kind' | 'key'>;
  readonly token: string;
  /** The content of an item that this process has just committed. Otherwise the store has it. */
  readonly committed?: DueBeforeReply;
}

/** A job that may open units of work, one for each run of its handler. */
export interface UnitJob extends Job, WithFigures {
  readonly unit: Pick<UnitParts, 'fence' | 'key' | 'since' | 'precondition'> & { readonly causation?: string };
}

export interface CommittingJob extends UnitJob {
  readonly commits: CommitState;
}
