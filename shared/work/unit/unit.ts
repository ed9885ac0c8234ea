import type { ObjectDefinition } from '../../catalog/define-object.ts';
import { extensionEvent } from '../../catalog/event-names.ts';
import { rowFor } from '../../catalog/life-cycle.ts';
import type { IdPrefix } from '../../catalog/objects.ts';
import type { Figures } from '../../catalog/retailer.ts';
import { derivedUlid, digest } from '../../domain/ids.ts';
import { instant, type Ms } from '../../domain/time.ts';
import { idSource } from '../../domain/world.ts';
import type { AnyCollection, Counters, Stored } from '../../store/collections.ts';
import type { DueWork } from '../due-work.ts';
import type { Aggregate, DueOptions, Fresh, HasState, Identified, Patch, UnitOfWork } from '../unit-of-work.ts';
import { type CommitParts, commit } from './commit.ts';
import { EventDrafts } from './event-drafts.ts';
import { Conflict } from './interruptions.ts';
import type { CollectionOf } from './loaded-objects.ts';
import { type ReadParts, Reads } from './reads.ts';
import { Schedule } from './schedule.ts';

export interface UnitParts extends ReadParts, CommitParts {
  readonly figures: Figures;
  /** Id of the request or event that causes the unit's events. */
  readonly causation: string;
  /** Request id of the hop, as the journal has it. */
  readonly hopId: string;
  /** Wall time of the lease on due work that runs before the reply. */
  readonly beforeReplyLeaseMs: number;
  /** New ids derive from this key, which is equal for all runs of a request. */
  readonly key: string;
  /** The time part of ids. */
  readonly since: Ms;
}

/**
 * One run of one handler. A business object changes together with its version and its events. Handlers see it as `UnitOfWork`; its other members
 * are for `commit`. It is a class, because each exchange opens a unit and unused closures would cost memory.
 */
export class Unit extends Reads implements UnitOfWork {
  readonly now: Ms;
  readonly figures: Figures;
  readonly parts: UnitParts;
  readonly drafts: EventDrafts;
  readonly dueWork: Schedule;
  /** The instant of this unit, as objects show it. */
  readonly #at: string;

  constructor(parts: UnitParts) {
    super(parts);
    const { store, context, causation, hopId, beforeReplyLeaseMs } = parts;
    this.parts = parts;
    this.now = context.now;
    this.figures = parts.figures;
    this.drafts = new EventDrafts({ application: store.application, context, causation, hopId });
    this.dueWork = new Schedule({ context, hopId, beforeReplyLeaseMs });
    this.#at = instant(context.now);
  }

  id(prefix: IdPrefix, label = ''): string {
    const { context, key, since } = this.parts;
    return `${prefix}_${derivedUlid(digest(idSource(context), key, prefix, label), since)}`;
  }

  create<T extends Aggregate & HasState>(of: CollectionOf<T>, verb: string, fields: Fresh<T> & Identified, to?: string): T {
    const { definition, state, events } = moveOf(of, undefined, verb, to);
    // Another request has created the object in the meantime. The handler runs again and finds it.
    if (this.objects.loaded(of, fields.id)?.stored) throw new Conflict('version', `${of.name}/${fields.id}`);
    const object = this.objects.write(of, { ...fields, state, version: 1, createdAt: this.#at, updatedAt: this.#at });
    for (const event of events) this.drafts.add(definition, event, object, undefined);
    return object;
  }

  transition<T extends Aggregate & HasState>(of: CollectionOf<T>, current: T, verb: string, patch?: Patch<T>, to?: string): T {
    const { definition, state, events } = moveOf(of, current, verb, to);
    const object = this.objects.write(of, { ...current, ...patch, state, version: current.version + 1, updatedAt: this.#at });
    for (const event of events) this.drafts.add(definition, event, object, current.state);
    return object;
  }

  revise<T extends Aggregate>(of: CollectionOf<T>, current: T | undefined, fields: object & Identified): T {
    const definition = definitionOf(of);
    const version = (current?.version ?? 0) + 1;
    const createdAt = current?.createdAt ?? this.#at;
    const next = { ...fields, version, createdAt, updatedAt: this.#at };
    const object = this.objects.write(of, next);
    this.drafts.add(definition, extensionEvent(definition.type), object, undefined);
    return object;
  }

  put<T extends Stored>(of: CollectionOf<T>, next: object & Identified): T {
    if (of.object) throw new Error(`${of.name} holds business objects: their changes have events.`);
    const loaded = this.objects.loaded(of, next.id);
    const version = (loaded && this.objects.current(of, loaded)?.version) ?? 0;
    return this.objects.write(of, { ...next, version: version + 1 });
  }

  move<F extends string>(of: Counters<F>, key: string, by: Partial<Record<F, number>>): void {
    this.counterMoves.move(of, key, by);
  }

  schedule(due: DueWork, key: string, at: Ms, payload: unknown, options?: DueOptions): void {
    this.dueWork.add(due, key, at, payload, options);
  }

  cancel(due: DueWork, key: string): void {
    this.dueWork.cancel(due, key);
  }

  checkpoint(): Promise<void> {
    return commit(this, { isLast: false });
  }
}

function definitionOf(of: AnyCollection): ObjectDefinition {
  if (!of.object) throw new Error(`${of.name} is not a collection of business objects.`);
  return of.object;
}

interface Move {
  readonly definition: ObjectDefinition;
  readonly state: string;
  /** Names of the events, in emission order. */
  readonly events: readonly string[];
}

/** The move that a life cycle allows for a verb. @param to the state to reach where the row has several */
function moveOf(of: AnyCollection, found: { readonly id: string; readonly state: string } | undefined, verb: string, to?: string): Move {
  const definition = definitionOf(of);
  const { type, lifeCycle } = definition;
  if (!lifeCycle) throw new Error(`${type} has no life cycle.`);
  const row = rowFor(lifeCycle, found, verb);
  if (row.again) throw new Error(`${type} × ${verb} in ${found?.state} is a natural repeat: check isAgain first.`);
  const state = to ?? (row.to.length > 0 ? row.to[0] : found?.state);
  const isPossible = row.to.length > 0 ? state !== undefined && row.to.includes(state) : state === found?.state;
  if (state === undefined || !isPossible) throw new Error(`${type} × ${verb} does not lead to ${state}.`);
  if (to === undefined && row.to.length > 1) throw new Error(`${type} × ${verb} may lead to ${row.to.join(' or ')}: name one.`);
  return { definition, state, events: row.events.length > 0 ? row.events : [extensionEvent(type)] };
}
