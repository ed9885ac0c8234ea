import { z } from 'zod';
import { OPEN_LISTS } from '../catalog/control/drift.ts';

/** A part of a document. The specification defines its shape; a linter checks it, not the compiler. */
export type Part = Readonly<Record<string, unknown>>;

/** The parts of a JSON Schema that describe a member. */
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
  readonly items?: SchemaPart;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly additionalProperties?: boolean | SchemaPart;
  readonly propertyNames?: SchemaPart;
  readonly maxProperties?: number;
  readonly allOf?: readonly SchemaPart[];
  readonly oneOf?: readonly SchemaPart[];
  readonly anyOf?: readonly SchemaPart[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaPart>>;
}

/** Converts schemas of the catalog to JSON Schema, and collects their named parts for `#/components/schemas`. */
export class JsonSchemas {
  readonly #dialect: 'draft-7' | 'draft-2020-12';
  readonly #named = new Map<string, Part>();

  constructor(dialect: 'draft-7' | 'draft-2020-12') {
    this.#dialect = dialect;
  }

  /** The schema, with its named parts as references. @throws Error when two different schemas have one name */
  of(schema: z.ZodType, io: 'input' | 'output'): Part {
    const options = { io, target: this.#dialect, override: asPublished } as const;
    const { $schema: _dialect, $defs, definitions, ...own } = z.toJSONSchema(schema, options);
    const named = ($defs ?? definitions ?? {}) as Readonly<Record<string, Part>>;
    const published = forGenerators(own, named);
    this.#addReferenced(published, named, new Set());
    return published;
  }

  #addReferenced(part: Part, named: Readonly<Record<string, Part>>, known: Set<string>): void {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const target = named[name];
      if (target === undefined || known.has(name)) continue;
      known.add(name);
      const published = withOpenness(name, forGenerators(target, named));
      this.#add(name, published);
      this.#addReferenced(published, named, known);
    }
  }

  #add(name: string, part: Part): void {
    const known = this.#named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(part)) throw new Error(`Two different schemas are named ${name}.`);
    this.#named.set(name, part);
  }

  all = (): Part => sorted(this.#named);
}

export const sorted = (map: ReadonlyMap<string, Part>): Part => Object.fromEntries([...map].sort(([a], [b]) => a.localeCompare(b)));

/**
 * The schema with references to `#/components/schemas`, in forms that client generators support. For other forms, generators fail, warn, or
 * generate code that does not compile.
 */
const forGenerators = (schema: Part, named: Readonly<Record<string, Part>>): Part =>
  JSON.parse(JSON.stringify(schema), (_name, value) =>
    isPart(value) ? inPortableForm(withOneType(withReference(value, named))) : value,
  ) as Part;

/** A client has to accept unknown values of an open list, which a schema cannot express. */
const withOpenness = (name: string, part: Part): Part =>
  OPEN_LISTS.includes(name) ? { ...part, description: [part['description'] ?? [], 'May gain values.'].flat().join(' ') } : part;

/** A slash ends a literal in generated code, and generators escape an escaped slash again. In brackets it needs no escape. */
export const portablePattern = (source: string): string =>
  source.replaceAll(/\[(?:\\.|[^\]\\])*\]|\\.|\//g, (part) => {
    if (part.startsWith('[')) return part.replaceAll('\\/', '/');
    return part.endsWith('/') ? '[/]' : part;
  });

const inPortableForm = (part: Part): Part =>
  typeof part['pattern'] === 'string' ? { ...part, pattern: portablePattern(part['pattern']) } : part;

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null && !Array.isArray(value);

const PLAIN_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean']);

/**
 * Generators ignore members next to `$ref`. A plain type is therefore written in place; for any other type, the reference moves into
 * `allOf`.
 */
function withReference(part: Part, named: Readonly<Record<string, Part>>): Part {
  const { $ref, pattern: _ofTarget, examples: _too, ...own } = part;
  if (typeof $ref !== 'string') return part;
  const name = $ref.slice($ref.lastIndexOf('/') + 1);
  const target = named[name];
  const reference = { $ref: `#/components/schemas/${name}` };
  if (target === undefined || Object.keys(own).length === 0) return reference;
  const isPlain = PLAIN_TYPES.has(target['type']) && target['enum'] === undefined;
  return isPlain ? { ...target, ...own } : { allOf: [reference], ...own };
}

/** Lists of types occur only with null. zod writes such a list for a union of primitives, after it has called its override. */
function withOneType(part: Part): Part {
  const { type, ...others } = part;
  return Array.isArray(type) && !type.includes('null') ? { ...others, anyOf: type.map((one: unknown) => ({ type: one })) } : part;
}

/** Removes what zod adds and readers of the document do not need. */
function asPublished({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { def } = zodSchema._zod;
  // Later versions may add members to responses, so only strict objects are closed.
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'email') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema['example'] !== undefined) {
    jsonSchema.examples = [jsonSchema['example']];
    delete jsonSchema['example'];
  }
  // Enumerations of booleans become constants named after keywords.
  if (typeof jsonSchema.const === 'boolean') delete jsonSchema.const;
  // Generators refuse bounds of an enumeration.
  if (jsonSchema.enum !== undefined) delete jsonSchema.maxLength;
}
