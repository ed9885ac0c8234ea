import { type Schema, schemasOf } from './json-schema.ts';

interface Described {
  readonly components: { readonly messages: unknown; readonly schemas: unknown };
}

/** The payload schemas of the AsyncAPI document, for validation. */
export function payloadSchema(document: Described, message: string) {
  const { payload } = (document.components.messages as Record<string, { payload: Schema }>)[message] ?? {};
  if (!payload) throw new Error(`The document has no message ${message}.`);
  const { misfit } = schemasOf(document);
  return {
    safeParse(value: unknown): { readonly success: boolean; readonly error: string | undefined } {
      const error = misfit(payload, value);
      return { success: error === undefined, error };
    },
  };
}
