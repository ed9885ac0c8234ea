import { z } from 'zod';

interface Described {
  readonly components: { readonly messages: unknown; readonly schemas: unknown };
}

/** What the AsyncAPI document says of a message's payload, ready to hold something against it. */
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
