import { z } from 'zod';
import { type ProblemCode, problems } from '../../catalog/problems.ts';
import { JsonSchemas, type Part, sorted } from '../json-schemas.ts';
import { problemResponse } from './problems.ts';

/** Most codes of a shared refusal. Longer lists occur in few operations. */
const MOST_SHARED = 4;

const inPascalCase = (code: ProblemCode): string =>
  code
    .split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

/** Collects named schemas and shared refusals while operations are written. */
export class Components {
  readonly #schemas = new JsonSchemas('draft-2020-12');
  readonly #responses = new Map<string, Part>();

  schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Part => this.#schemas.of(schema, io);

  /** A refusal with a few codes becomes a shared component, named after the codes. */
  responseOf(codes: readonly ProblemCode[]): Part {
    if (codes.length === 0 || codes.length > MOST_SHARED) return problemResponse(codes);
    const same = codes.toSorted();
    const name = same.map(inPascalCase).join('Or');
    this.#responses.set(name, problemResponse(same));
    return { $ref: `#/components/responses/${name}` };
  }

  schemas = (): Part => this.#schemas.all();
  responses = (): Part => sorted(this.#responses);
}

/** The refusals of an operation, one response per status. */
export function refusals(codes: readonly ProblemCode[], components: Components): Part {
  const byStatus = Map.groupBy([...new Set(codes)], (code) => problems[code].status);
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, components.responseOf(same)]));
}

export const json = (schema: Part, example?: unknown): Part => ({ 'application/json': { schema, example } });

/** Empty for an API without a body. A body is required only when an empty one would be refused. */
export function requestBody(request: z.ZodType, components: Components, example?: unknown): Part {
  if (request instanceof z.ZodObject && Object.keys(request.shape).length === 0) return {};
  const required = !request.safeParse({}).success;
  return { requestBody: { required, content: json(components.schemaOf(request, 'input'), example) } };
}
