import { ANY_TYPE } from '../../shared/catalog/control/operations/explanations.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { nearestWord, unknownWord } from '../../shared/domain/nearest-word.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Found } from '../../shared/store/ports/objects.ts';
import { type ListedType, listedTypes } from '../objects/types.ts';
import type { ExplainScope } from './subject.ts';

interface Sought {
  readonly type: ListedType;
  readonly found: Found;
}

/** Limit of other rehearsals that are searched for an unknown id. Rehearsals that were used last come first. */
const MOST_REHEARSALS = 20;
/** The newest objects of each type whose ids are compared with an unknown id. */
const MOST_NEWEST = 20;

/** @throws Problem validation_failed for an unknown type; not_found for an unknown id, with the rehearsal or the object that was meant */
export async function findSubject(scope: ExplainScope, name: string, id: string): Promise<Sought> {
  const types = listedTypes(scope.objects);
  const names = types.map(({ definition }) => definition.type);
  if (name !== ANY_TYPE && !names.includes(name)) {
    throw invalid('{type}', 'unknown_type', unknownWord('type of object', name, [...names, ANY_TYPE]));
  }
  const sought = name === ANY_TYPE ? types : types.filter(({ definition }) => definition.type === name);
  const found = await findIn(scope, scope.view.world, sought, id);
  if (found) return found;
  const what = name === ANY_TYPE ? 'object' : name;
  throw new Problem('not_found', `There is no ${what} "${id}" in this rehearsal. ${await remedyFor(scope, { sought, types, id })}`, {
    objectType: what,
    id,
  });
}

async function findIn({ worlds }: ExplainScope, world: World, types: readonly ListedType[], id: string): Promise<Sought | undefined> {
  const all = await Promise.all(
    types.map(async (type) => ({ type, found: await worlds.object(world, type.application, type.collection, id) })),
  );
  return all.find((one): one is Sought => one.found !== undefined);
}

interface Missing {
  readonly sought: readonly ListedType[];
  readonly types: readonly ListedType[];
  readonly id: string;
}

async function remedyFor(scope: ExplainScope, { sought, types, id }: Missing): Promise<string> {
  const { worlds, view } = scope;
  const other = await findIn(scope, view.world, types, id);
  if (other) return `It is of type ${other.type.definition.type}.`;
  const rehearsals = (await worlds.list())
    .filter(({ rehearsal, current }) => rehearsal !== view.rehearsal && current !== undefined)
    .toSorted((one, another) => another.lastUsedAt - one.lastUsedAt)
    .slice(0, MOST_REHEARSALS);
  for (const { rehearsal, current } of rehearsals) {
    if (current && (await findIn(scope, current.world, sought, id))) return `The rehearsal ${rehearsal} has it: name it in X-Rehearsal.`;
  }
  const page = { after: 0, limit: MOST_NEWEST, newestFirst: true };
  const newest = await Promise.all(sought.map(({ application, collection }) => worlds.all(view.world, application, collection, page)));
  const near = nearestWord(
    id,
    newest.flat().map((one) => one.id),
  );
  return near === undefined ? 'list-objects lists the objects of a type; search finds one by any text.' : `Did you mean ${near}?`;
}
