import type { z } from 'zod';
import type { ProblemCode } from '../../catalog/problems.ts';
import { JsonSchemas, type Part, sorted } from '../json-schemas.ts';
import { problemResponse } from './problems.ts';

/** Collects named schemas and shared refusals while operations are written. */
export class Components {
  readonly #schemas = new JsonSchemas('draft-2020-12');
  readonly #responses = new Map<string, Part>();

  schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Part => this.#schemas.of(schema, io);

  /** A refusal with one code becomes a shared component, named after the code. */
  responseOf(codes: readonly ProblemCode[]): Part {
    const [only, ...others] = codes;
    if (only === undefined || others.length > 0) return problemResponse(codes);
    const name = only
      .split('_')
      .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
      .join('');
    this.#responses.set(name, problemResponse(codes));
    return { $ref: `#/components/responses/${name}` };
  }

  schemas = (): Part => this.#schemas.all();
  responses = (): Part => sorted(this.#responses);
}
