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
      // In OpenAPI 3.0 an enumeration of a nullable field has to list null itself.
      if (jsonSchema.nullable === true && jsonSchema.enum?.includes(null) === false) jsonSchema.enum.push(null);
      // Integers of the contract have no bounds; these two are JavaScript's.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return Object.fromEntries(
    Object.entries(derived).map(([name, schema]) => {
      const { $id: _identifiedByItsName, ...rest } = schema;
      return [name, rest];
    }),
  );
}
