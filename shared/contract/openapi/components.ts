import type { z } from 'zod';
import type { ProblemCode } from '../../catalog/problems.ts';
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
