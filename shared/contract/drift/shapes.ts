import type { z } from 'zod';
import { JsonSchemas, type SchemaPart } from '../json-schemas.ts';

/** What a published schema permits at one place: all of its alternatives together. */
export interface Shape {
  /** Names of the schemas in the published document. */
  readonly names: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly values: readonly unknown[];
  readonly format: string | undefined;
  readonly longest: number | undefined;
  readonly isClosed: boolean;
  readonly members: ReadonlyMap<string, Shape>;
  /** Members that one of the alternatives requires. */
  readonly required: ReadonlySet<string>;
  /** Members of an object that are not named. */
  readonly others: Shape | undefined;
  readonly items: Shape | undefined;
}

/** The shape of a schema of the catalog, as its document publishes it. */
export function shapeOf(schema: z.ZodType): Shape {
  const schemas = new JsonSchemas('draft-2020-12');
  const root = schemas.of(schema, 'output') as SchemaPart;
  const named = schemas.all() as Readonly<Record<string, SchemaPart>>;
  const known = new Map<string, Shape>();

  function shapeIn(parts: readonly SchemaPart[]): Shape {
    const [only] = parts;
    const $ref = parts.length === 1 && only && Object.keys(only).length === 1 ? only.$ref : undefined;
    const before = $ref === undefined ? undefined : known.get($ref);
    if (before) return before;
    const shape = lazyShape(alternativesOf(parts, named), shapeIn);
    if ($ref !== undefined) known.set($ref, shape);
    return shape;
  }

  return shapeIn([root]);
}

/** The shape of an object with these members, all of them required. */
export const closedShape = (members: Readonly<Record<string, Shape>>): Shape => ({
  ...ANYTHING,
  types: new Set(['object']),
  isClosed: true,
  members: new Map(Object.entries(members)),
  required: new Set(Object.keys(members)),
});

const ANYTHING: Shape = {
  names: new Set(),
  types: new Set(),
  values: [],
  format: undefined,
  longest: undefined,
  isClosed: false,
  members: new Map(),
  required: new Set(),
  others: undefined,
  items: undefined,
};

interface Alternatives {
  readonly names: ReadonlySet<string>;
  readonly parts: readonly SchemaPart[];
}

type Conditional = SchemaPart & { readonly then?: Conditional; readonly else?: Conditional; readonly not?: unknown };

/** A schema with everything that its references, alternatives and conditions add. */
function alternativesOf(parts: readonly SchemaPart[], named: Readonly<Record<string, SchemaPart>>): Alternatives {
  const names = new Set<string>();
  const found = new Set<SchemaPart>(parts);
  for (const part of found) {
    const { $ref, allOf = [], anyOf = [], oneOf = [], then: holds, else: fails } = part as Conditional;
    const name = $ref?.slice($ref.lastIndexOf('/') + 1);
    const target = name === undefined ? undefined : named[name];
    if (name !== undefined) names.add(name);
    for (const next of [target, ...allOf, ...anyOf, ...oneOf, holds, fails]) if (next) found.add(next);
  }
  return { names, parts: [...found] };
}

function lazyShape({ names, parts }: Alternatives, shapeIn: (parts: readonly SchemaPart[]) => Shape): Shape {
  const gathered = new Map<string, SchemaPart[]>();
  for (const { properties = {} } of parts) {
    for (const [name, part] of Object.entries(properties)) gathered.set(name, [...(gathered.get(name) ?? []), part]);
  }
  const others = parts.flatMap(({ additionalProperties }) => (typeof additionalProperties === 'object' ? [additionalProperties] : []));
  const items = parts.flatMap((part) => (part.items ? [part.items] : []));
  const bounds = parts.flatMap(({ maxLength }) => (maxLength === undefined ? [] : [maxLength]));
  return {
    names,
    types: new Set(parts.flatMap(({ type }) => type ?? [])),
    values: parts.flatMap((part) => ('const' in part ? [part.const] : (part.enum ?? []))),
    format: parts.find(({ format }) => format !== undefined)?.format,
    longest: bounds.length > 0 ? Math.min(...bounds) : undefined,
    isClosed: parts.some(({ additionalProperties }) => additionalProperties === false),
    members: new Map([...gathered].map(([name, alternatives]) => [name, shapeIn(alternatives)])),
    required: new Set(parts.flatMap(({ required = [] }) => required)),
    others: others.length > 0 ? shapeIn(others) : undefined,
    items: items.length > 0 ? shapeIn(items) : undefined,
  };
}

/** A place in a document: the member or the index of its holder. */
export interface Place {
  readonly shape: Shape;
  /** Of its holder. Undefined at the root. */
  readonly within: Shape | undefined;
  /** The member; for an item, the member of its list. */
  readonly member: string;
  readonly depth: number;
}

/** Every place that a shape has. */
export function* placesOf(shape: Shape): Generator<Place, void> {
  const seen = new Set<Shape>();
  const next: Place[] = [{ shape, within: undefined, member: '', depth: 0 }];
  for (const place of next) {
    yield place;
    if (seen.has(place.shape)) continue;
    seen.add(place.shape);
    const { shape: within, member, depth } = place;
    for (const [name, one] of within.members) next.push({ shape: one, within, member: name, depth: depth + 1 });
    if (within.items) next.push({ shape: within.items, within, member, depth: depth + 1 });
    if (within.others) next.push({ shape: within.others, within, member: '', depth: depth + 1 });
  }
}

export type JsonObject = Record<string, unknown>;

/** A place with its value. `holder[key]` is the value. */
export interface Spot extends Place {
  readonly value: unknown;
  readonly holder: JsonObject | unknown[];
  readonly key: string | number;
}

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every described place of a document, the outer ones first. @param root has the document as its member `document` */
export function spotsOf(root: { document: unknown }, shape: Shape): Spot[] {
  const first: Spot = { shape, within: undefined, member: '', depth: 0, value: root.document, holder: root, key: 'document' };
  const found: Spot[] = [first];
  for (const { value, shape: within, member, depth } of found) {
    if (Array.isArray(value) && within.items) {
      const items = within.items;
      value.forEach((one: unknown, key) => {
        found.push({ shape: items, within, member, depth: depth + 1, value: one, holder: value, key });
      });
    } else if (isObject(value)) {
      for (const [key, one] of Object.entries(value)) {
        const described = within.members.get(key) ?? within.others;
        if (!described) continue;
        const name = within.members.has(key) ? key : '';
        found.push({ shape: described, within, member: name, depth: depth + 1, value: one, holder: value, key });
      }
    }
  }
  return found;
}
