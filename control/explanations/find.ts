import { ANY_TYPE } from '../../shared/catalog/control/operations/explanations.ts';
import { invalid, Problem } from '../../shared/catalog/problems.ts';
import { nearestWord, unknownWord } from '../../shared/domain/nearest-word.ts';
import { shortened } from '../../shared/domain/text.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Found } from '../../shared/store/ports/objects.ts';
import { listObjectsOf, publishedOf } from '../objects/list.ts';
import { type ListedType, listedTypes } from '../objects/types.ts';
import type { ExplainScope } from './subject.ts';

interface Sought {
  readonly type: ListedType;
  readonly found: Found;
}

/** Limit of other rehearsals that are searched for an unknown id. Rehearsals that were used last come first. */
const MOST_REHEARSALS = 20;
/** Ids, numbers and SKUs are shorter. A longer text names nothing, and is not compared with anything. */
const LONGEST_NAME = 100;
/** The newest objects of each type whose ids are compared with an unknown id. */
const MOST_NEWEST = 20;

/**
 * @throws Problem validation_failed for an unknown type; not_found for an unknown id, with the object that was meant. It names another
 * rehearsal only to a credential of the whole estate
 */
export async function findSubject(scope: ExplainScope, name: string, id: string): Promise<Sought> {
  const types = listedTypes(scope.objects);
  const names = types.map(({ definition }) => definition.type);
  if (name !== ANY_TYPE && !names.includes(name)) {
    throw invalid('{type}', 'unknown_type', unknownWord('type of object', name, [...names, ANY_TYPE]));
  }
  const sought = name === ANY_TYPE ? types : types.filter(({ definition }) => definition.type === name);
  const exact = await findIn(scope, scope.view.world, sought, id);
  // An inventory item has the SKU of its product as id, and no state to explain.
  const isStateless = exact && name === ANY_TYPE && !exact.type.definition.lifeCycle;
  const isName = id.length <= LONGEST_NAME;
  const found = (exact && !isStateless) || !isName ? exact : ((await findNamed(scope, sought, id)) ?? exact);
  if (found) return found;
  const what = name === ANY_TYPE ? 'object' : name;
  const remedy = isName ? await remedyFor(scope, { sought, types, id }) : `An id or a number has at most ${LONGEST_NAME} characters.`;
  throw new Problem('not_found', `There is no ${what} "${shortened(id, LONGEST_NAME)}" in this rehearsal. ${remedy}`, {
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

/** An object of any type. */
export const findById = (scope: ExplainScope, id: string): Promise<Sought | undefined> =>
  findIn(scope, scope.view.world, listedTypes(scope.objects), id);

/** Members that people name an object by, beside its id. */
export const NAMED_BY: Readonly<Record<string, string>> = {
  order: 'orderNumber',
  product: 'sku',
  shipment: 'trackingNumber',
  'loyalty-account': 'cardNumber',
};
/** Maximum number of objects, found by the text, whose names are compared. */
const MOST_NAMED = 20;

/** The object whose number or SKU is the text, as the search finds it. */
async function findNamed(
  { worlds, objects, view: { world }, inSlices, gone }: ExplainScope,
  types: readonly ListedType[],
  text: string,
): Promise<Sought | undefined> {
  for (const type of types) {
    const member = NAMED_BY[type.definition.type];
    if (member === undefined) continue;
    const filter = { q: text, limit: MOST_NAMED };
    const { items } = await inSlices(gone, (breathe) => listObjectsOf(worlds, { world, objects }, type, filter, breathe));
    for (const { id } of items) {
      const found = await worlds.object(world, type.application, type.collection, id);
      if (found && publishedOf(type, found)[member] === text) return { type, found };
    }
  }
  return undefined;
}

/** The name of another rehearsal that has the object. */
async function findElsewhere(scope: ExplainScope, sought: readonly ListedType[], id: string): Promise<string | undefined> {
  const { worlds, view } = scope;
  const rehearsals = (await worlds.list())
    .filter(({ rehearsal, current }) => rehearsal !== view.rehearsal && current !== undefined)
    .toSorted((one, another) => another.lastUsedAt - one.lastUsedAt)
    .slice(0, MOST_REHEARSALS);
  for (const { rehearsal, current } of rehearsals) {
    if (current && (await findIn(scope, current.world, sought, id))) return rehearsal;
  }
  return undefined;
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
  const elsewhere = scope.bound === undefined ? await findElsewhere(scope, sought, id) : undefined;
  if (elsewhere !== undefined) return `The rehearsal ${elsewhere} has it: name it in X-Rehearsal.`;
  const page = { after: 0, limit: MOST_NEWEST, newestFirst: true };
  const newest = await Promise.all(sought.map(({ application, collection }) => worlds.all(view.world, application, collection, page)));
  const near = nearestWord(
    id,
    newest.flat().map((one) => one.id),
  );
  if (near !== undefined) return `Did you mean ${near}?`;
  const [prefix] = id.split('_');
  const meant = sought.findIndex(({ definition }) => sought.length === 1 || definition.idPrefix === prefix);
  const [last] = newest[meant] ?? [];
  const known = sought[meant]?.definition.type;
  if (known === undefined) return 'A search finds objects by any text.';
  return last ? `The newest ${known} is ${last.id}; a search finds others by any text.` : `It has no ${known} yet.`;
}
