import { z } from 'zod';

/** The parts of a JSON Schema that options are made of. */
export interface SchemaPart {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly SchemaPart[];
  readonly anyOf?: readonly SchemaPart[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaPart>>;
}

/** A single value of a query or body that a user can give. */
export interface Member {
  /** For example `['match', 'application']`. */
  readonly path: readonly string[];
  readonly schema: SchemaPart;
  readonly required: boolean;
  /** Whether the part of the body that contains it is required. */
  readonly inRequiredPart: boolean;
}

/** The values of a schema, including the members of nested objects. */
export function membersOf(schema: z.ZodType): readonly Member[] {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaPart;
  return inside(root, $defs, { path: [], required: true, inRequiredPart: true });
}

type Definitions = NonNullable<SchemaPart['$defs']>;

type Place = Omit<Member, 'schema'>;

function inside(part: SchemaPart, definitions: Definitions, place: Place): readonly Member[] {
  const { path, required } = place;
  const schema = resolved(part, definitions);
  const variants = (schema.oneOf ?? schema.anyOf ?? [])
    .map((variant) => resolved(variant, definitions))
    .filter(({ properties }) => properties);
  if (schema.properties === undefined && variants.length > 0) return merged(variants, definitions, place);
  if (schema.properties === undefined) return path.length === 0 ? [] : [{ ...place, schema }];
  return Object.entries(schema.properties).flatMap(([name, member]) => {
    const isRequired = required && (schema.required ?? []).includes(name);
    const inRequiredPart = path.length === 0 ? isRequired : place.inRequiredPart;
    return inside(member, definitions, { path: [...path, name], required: isRequired, inRequiredPart });
  });
}

/** The members of all variants of an object. The discriminator becomes a choice between its values. */
function merged(variants: readonly SchemaPart[], definitions: Definitions, place: Place): readonly Member[] {
  const found = Map.groupBy(
    variants.flatMap((variant) => inside(variant, definitions, place)),
    (member) => member.path.join('.'),
  );
  return [...found.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const words = [first, ...others].flatMap(({ schema }) => schema.const ?? []);
    const choice = { type: 'string', enum: words, description: first.schema.description };
    const isEverywhere = others.length + 1 === variants.length && [first, ...others].every((member) => member.required);
    return [{ ...first, required: isEverywhere, schema: words.length > 0 ? choice : first.schema }];
  });
}

function resolved(part: SchemaPart, definitions: Definitions): SchemaPart {
  const { $ref, ...own } = part;
  return $ref === undefined ? part : { ...definitions[$ref.replace('#/$defs/', '')], ...own };
}
