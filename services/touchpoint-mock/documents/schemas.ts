import { z } from 'zod';
import { MESSAGES, type MessageName } from '../contract/messages.ts';

export /** A part of the document. The linter checks its shape, not the compiler. */
type Part = Readonly<Record<string, unknown>>;

export function schemaRef(message: MessageName): Part {
  return { $ref: `#/components/schemas/${message}` };
}

export function schemas(): Part {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(MESSAGES)) registry.add(schema, { id });
  const { schemas: derived } = z.toJSONSchema(registry, {
    target: 'openapi-3.0',
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // Integers of the contract have no bounds. These two are the bounds of JavaScript.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // Generators name constants after the values of an enumeration, which is impossible for a boolean and null.
      if (jsonSchema.type === 'boolean') delete jsonSchema.enum;
      if (jsonSchema.nullable === true) nullableEnumeration(jsonSchema);
    },
  });
  return Object.fromEntries(
    Object.entries(derived).map(([name, schema]) => {
      const { $id: _identifiedByItsName, ...rest } = schema;
      return [name, rest];
    }),
  );
}

/**
 * In OpenAPI 3.0 the enumeration of a nullable field has to list null itself. A single number is a range instead, without null in a list of
 * numbers.
 */
function nullableEnumeration(schema: z.core.JSONSchema.BaseSchema): void {
  const [value, ...others] = (schema.enum ?? []).filter((one) => one !== null);
  if (typeof value === 'number' && others.length === 0) {
    delete schema.enum;
    Object.assign(schema, { minimum: value, maximum: value });
  } else if (schema.enum !== undefined) schema.enum = [value, ...others, null] as NonNullable<typeof schema.enum>;
}
