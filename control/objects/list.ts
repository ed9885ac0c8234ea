import type { ObjectDefinition } from '../../shared/catalog/define-object.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { Money } from '../../shared/catalog/shapes.ts';
import { searchForm } from '../../shared/domain/text.ts';
import type { World } from '../../shared/domain/world.ts';
import type { ObjectReader } from '../../shared/store/ports/inspection.ts';
import type { Found, PageRequest } from '../../shared/store/ports/objects.ts';
import { type ListedType, statesOf } from './types.ts';

/** Most objects that one request reads. If few match, the answer is short, and `next` continues. */
const MOST_READ = 1_000;
/** Objects per read when some of them may not match. */
const CHUNK = 200;

export interface ObjectFilter {
  readonly state?: string;
  /** Text in the id or label. */
  readonly q?: string;
  /** Order of the last object of the previous page. */
  readonly before?: number;
  readonly limit: number;
}

type Listed = ReturnType<typeof describe>;

/** A page of the objects of a type, newest first. @throws Problem validation_failed for a state that the type does not have */
export async function listObjectsOf(
  worlds: ObjectReader,
  world: World,
  type: ListedType,
  { state, q, before = 0, limit }: ObjectFilter,
): Promise<{ items: Listed[]; next?: number }> {
  if (state !== undefined) requireState(type, state);
  const { application, collection } = type;
  const read = (page: PageRequest): Promise<readonly Found[]> =>
    state === undefined
      ? worlds.all(world, application, collection, page)
      : worlds.inState(world, { application, collection }, state, page);
  const text = q && searchForm(q);
  const items: Listed[] = [];
  let next = before;
  for (let left = MOST_READ; left > 0; ) {
    const size = Math.min(left, text === undefined ? limit - items.length : CHUNK);
    // One more than needed shows whether there are older ones.
    const found = await read({ after: next, limit: size + 1, newestFirst: true });
    for (const [position, one] of found.slice(0, size).entries()) {
      next = one.order;
      const listed = describe(type, one);
      if (text === undefined || searchForm(`${listed.id}\n${listed.label ?? ''}`).includes(text)) items.push(listed);
      if (items.length === limit) return position + 1 < found.length ? { items, next } : { items };
    }
    if (found.length <= size) return { items };
    left -= size;
  }
  return { items, next };
}

function requireState({ definition }: ListedType, state: string): void {
  const { type } = definition;
  const states = statesOf(definition);
  if (states.includes(state)) return;
  const remedy =
    states.length > 0
      ? `No ${type} can be "${state}"; the states are ${states.join(', ')}.`
      : `Objects of type ${type} have no state: leave the filter out.`;
  throw invalid('?state', 'unknown_state', remedy);
}

function describe({ definition }: ListedType, { id, order, version, json }: Found) {
  const stored = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const members = Object.keys(definition.schema.shape).map((name): [string, unknown] => [name, stored[name]]);
  // A SKU stands for its inventory item.
  const object: Readonly<Record<string, unknown>> = 'version' in definition.schema.shape ? Object.fromEntries(members) : { sku: id };
  const text = (name: string): Readonly<Record<string, string>> => (typeof object[name] === 'string' ? { [name]: object[name] } : {});
  const label = labelOf(definition, object);
  return {
    id,
    order,
    version,
    ...text('state'),
    ...text('createdAt'),
    ...text('updatedAt'),
    label,
    related: [...relatedOf(definition, object)],
  };
}

const LONGEST_LABEL = 160;
const MEMBER = /\{([\w.]+)\}/g;

/** The first template of the definition whose members the object all has. */
function labelOf({ label = [] }: ObjectDefinition, object: unknown): string | undefined {
  for (const text of label) {
    const members = [...text.matchAll(MEMBER)].map(([, path = '']) => textAt(object, path.split('.')));
    if (members.every((member) => member !== '')) return text.replaceAll(MEMBER, () => members.shift() ?? '').slice(0, LONGEST_LABEL);
  }
  return undefined;
}

/** Empty when the object lacks the member. */
function textAt(value: unknown, [name, ...rest]: readonly string[]): string {
  if (Array.isArray(value)) return value.map((entry) => textAt(entry, name === undefined ? [] : [name, ...rest])).join(', ');
  if (name === undefined) return shown(value);
  return typeof value === 'object' && value !== null ? textAt((value as Readonly<Record<string, unknown>>)[name], rest) : '';
}

function shown(value: unknown): string {
  const money = Money.safeParse(value);
  if (money.success) return amountOf(money.data);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Digits after the point by currency: a format is expensive to make. */
const digitsOf = new Map<string, number>();

function amountOf({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  const digits =
    digitsOf.get(currency) ?? new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  digitsOf.set(currency, digits);
  return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}

interface Reference {
  readonly type: string;
  readonly id: string;
}

/** A long ledger names hundreds of orders. */
const MOST_RELATED = 20;

const cased = (type: string): string => type.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** `orderId` and `orderIds` refer to orders. */
const typeOfMember: ReadonlyMap<string, string> = new Map(
  objects.flatMap(({ type }) => [`${cased(type)}Id`, `${cased(type)}Ids`].map((member): [string, string] => [member, type])),
);

/** The business objects that an object refers to, without duplicates, as it names them. */
function relatedOf({ references = {} }: ObjectDefinition, object: unknown): readonly Reference[] {
  const found = new Map<string, Reference>();
  collect(object, '');
  return [...found.values()];

  function collect(value: unknown, path: string): void {
    if (found.size >= MOST_RELATED) return;
    const type = references[path] ?? typeOfMember.get(path.slice(path.lastIndexOf('.') + 1));
    if (Array.isArray(value)) for (const entry of value) collect(entry, path);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) collect(member, path === '' ? name : `${path}.${name}`);
    } else if (type !== undefined && typeof value === 'string') found.set(`${type}/${value}`, { type, id: value });
  }
}
