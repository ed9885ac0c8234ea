import { z } from 'zod';

interface Described {
  readonly components: { readonly messages: unknown; readonly schemas: unknown };
}

/** The payload schemas of the AsyncAPI document, for validation. */
export function payloadSchema(document: Described, message: string): z.ZodType {
  const { components } = JSON.parse(JSON.stringify(document).replaceAll('"#/components/schemas/', '"#/definitions/')) as Described;
  const { payload } = (components.messages as Record<string, { payload: object }>)[message] ?? {};
  if (!payload) throw new Error(`The document has no message ${message}.`);
  return z.fromJSONSchema({
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...payload,
    definitions: components.schemas,
  } as z.core.JSONSchema.JSONSchema);
}
