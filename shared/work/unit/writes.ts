import type { ObjectDefinition } from '../../catalog/define-object.ts';
import { extensionEvent } from '../../catalog/event-names.ts';
import { rowFor } from '../../catalog/life-cycle.ts';
import type { AnyCollection } from '../../store/collections.ts';
import type { UnitOfWork } from '../unit-of-work.ts';
import type { EventDrafts } from './event-drafts.ts';
import { Conflict } from './interruptions.ts';
import type { LoadedObjects } from './loaded-objects.ts';

interface WriteParts {
  /** The instant of this unit, as objects show it. */
  readonly at: string;
  readonly objects: LoadedObjects;
  readonly drafts: EventDrafts;
}

/** Changes of objects. A business object changes together with its version and its events. */
export function createWrites({ at, objects, drafts }: WriteParts): Pick<UnitOfWork, 'create' | 'transition' | 'revise' | 'put'> {
  return {
    create(of, verb, fields, to) {
      const { definition, state, events } = moveOf(of, undefined, verb, to);
      // Another request created it since this handler decided to: the handler runs again and finds it.
      if (objects.loaded(of, fields.id)?.stored) throw new Conflict('version', `${of.name}/${fields.id}`);
      const object = objects.write(of, { ...fields, state, version: 1, createdAt: at, updatedAt: at });
      for (const event of events) drafts.add(definition, event, object, undefined);
      return object;
    },
    transition(of, current, verb, patch, to) {
      const { definition, state, events } = moveOf(of, current, verb, to);
      const object = objects.write(of, { ...current, ...patch, state, version: current.version + 1, updatedAt: at });
      for (const event of events) drafts.add(definition, event, object, current.state);
      return object;
    },
    revise(of, current, fields) {
      const definition = definitionOf(of);
      const version = (current?.version ?? 0) + 1;
      const object = objects.write(of, { ...fields, version, createdAt: current?.createdAt ?? at, updatedAt: at });
      drafts.add(definition, extensionEvent(definition.type), object, undefined);
      return object;
    },
    put(of, next) {
      if (of.object) throw new Error(`${of.name} holds business objects: their changes have events.`);
      const loaded = objects.loaded(of, next.id);
      const version = (loaded && objects.current(of, loaded)?.version) ?? 0;
      return objects.write(of, { ...next, version: version + 1 });
    },
  };
}

function definitionOf(of: AnyCollection): ObjectDefinition {
  if (!of.object) throw new Error(`${of.name} is not a collection of business objects.`);
  return of.object;
}

interface Move {
  readonly definition: ObjectDefinition;
  readonly state: string;
  /** Names of the events, in the order in which they are emitted. */
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
