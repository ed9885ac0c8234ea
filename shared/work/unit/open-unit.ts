import { derivedUlid, digest } from '../../domain/ids.ts';
import { instant, type Ms } from '../../domain/time.ts';
import type { Relay } from '../../events/relay.ts';
import type { Context } from '../../simulation/context.ts';
import type { Store } from '../../store/ports/estate-store.ts';
import type { Fence } from '../../store/ports/plan.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import { type Commits, createCommits, type Outcome } from './commits.ts';
import { createCounters } from './counters.ts';
import { createEventDrafts } from './event-drafts.ts';
import { createLoadedObjects } from './loaded-objects.ts';
import { type ParseStored, parseStored } from './parsed-objects.ts';
import { createPrecondition, type Precondition } from './precondition.ts';
import { createReads } from './reads.ts';
import { createSchedule } from './schedule.ts';
import { createWrites } from './writes.ts';

/** A unit of work as the pipeline holds it. */
export interface OpenUnit extends UnitOfWork {
  /** The last commit. */
  finish(outcome?: Outcome): Promise<void>;
  /** Ends a claim, delivery or due item with an outcome and without any change. */
  discard(outcome: Outcome): Promise<void>;
}

export interface UnitParts {
  readonly store: Store;
  readonly context: Context;
  readonly fence?: Fence | undefined;
  /** Ids are derived from it; equal for all runs of a request. */
  readonly key: string;
  /** The time part of ids. */
  readonly since: Ms;
  /** Shared by all runs of a request. */
  readonly precondition?: Precondition | undefined;
  /** Id of the request or event that causes the unit's events. */
  readonly causation: string;
  /** Request id of the hop, as the journal has it. */
  readonly hop: string;
  /** Wall time for which others may not run due work that runs before the reply. */
  readonly inlineLeaseMs: number;
  /** Shared by all runs of a request. */
  readonly commits: Commits;
  /** Gets the events of the last commit. Without it they stay in the outbox. */
  readonly relay?: Pick<Relay, 'token' | 'kick'> | undefined;
  /** Shared by all units of an application. By default a unit parses each object itself. */
  readonly parse?: ParseStored | undefined;
}

/** Opens a unit of work: one run of one handler. */
export function openUnit({ store, context, fence, key, since, causation, hop, inlineLeaseMs, commits, ...parts }: UnitParts): OpenUnit {
  const { world, now } = context;
  const objects = createLoadedObjects(parts.parse ?? parseStored);
  const precondition = createPrecondition(parts.precondition);
  const drafts = createEventDrafts({ application: store.application, context, causation, hop });
  const counters = createCounters({ store, world });
  const schedule = createSchedule({ context, hop, inlineLeaseMs });
  return {
    now,
    id: (prefix, label = '') => `${prefix}_${derivedUlid(digest(world, key, prefix, label), since)}`,
    ...createReads({ store, world, objects, precondition }),
    ...createWrites({ at: instant(now), objects, drafts }),
    ...precondition.api,
    ...counters.api,
    ...schedule.api,
    ...createCommits({ store, context, fence, commits, relay: parts.relay }, { objects, precondition, drafts, counters, schedule }),
  };
}
