import { z } from 'zod';

/** A part of a document. The specification defines its shape; a linter checks it, not the compiler. */
export type Part = Readonly<Record<string, unknown>>;

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
    for (const [name, part] of Object.entries($defs ?? definitions ?? {})) this.#add(name, hoisted(part));
    return hoisted(own);
  }

  #add(name: string, part: Part): void {
    const known = this.#named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(part)) throw new Error(`Two different schemas are named ${name}.`);
    this.#named.set(name, part);
  }

  all = (): Part => sorted(this.#named);
}

export const sorted = (map: ReadonlyMap<string, Part>): Part => Object.fromEntries([...map].sort(([a], [b]) => a.localeCompare(b)));

const hoisted = (part: unknown): Part =>
  JSON.parse(JSON.stringify(part).replaceAll(/"#\/(?:\$defs|definitions)\//g, '"#/components/schemas/')) as Part;

/** Removes what zod adds and readers of the document do not need. */
function asPublished({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { def } = zodSchema._zod;
  // Responses may gain members: only strict objects are closed.
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'email') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema['example'] !== undefined) {
    jsonSchema.examples = [jsonSchema['example']];
    delete jsonSchema['example'];
  }
}
