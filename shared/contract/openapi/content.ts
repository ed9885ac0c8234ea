import { z } from 'zod';
import type { Part } from '../json-schemas.ts';
import type { Components } from './components.ts';

export const json = (schema: Part, example?: unknown): Part => ({ 'application/json': { schema, example } });

/** Empty for an API without a body. A body is required only when an empty one would be refused. */
export function requestBody(request: z.ZodType, components: Components, example?: unknown): Part {
  if (request instanceof z.ZodObject && Object.keys(request.shape).length === 0) return {};
  const required = !request.safeParse({}).success;
  return { requestBody: { required, content: json(components.schemaOf(request, 'input'), example) } };
}
