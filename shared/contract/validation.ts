import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { ApiDefinition } from '../catalog/define.ts';
import { type FieldError, Problem } from '../catalog/problems.ts';

/** Where a value stands: a JSON pointer into the body, or the name of a query parameter behind a question mark. */
export type Part = 'body' | 'query';

/**
 * Parses one part of a request.
 * @throws Problem `validation_failed` naming each member that does not fit
 */
export function parsePart(schema: z.ZodType, value: unknown, part: Part): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => fieldErrors(issue, part));
  const first = errors[0];
  throw new Problem(
    'validation_failed',
    first ? `${first.pointer === '' ? 'The body' : first.pointer}: ${first.detail}` : 'The request does not fit.',
    {
      errors,
    },
  );
}

/** A JSON pointer (RFC 6901). */
export const pointerTo = (path: readonly PropertyKey[]): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function fieldErrors(issue: z.core.$ZodIssue, part: Part): FieldError[] {
  const at = (path: readonly PropertyKey[]): string => (part === 'query' ? `?${path.map(String).join('.')}` : pointerTo(path));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: at([...issue.path, key]),
      code: 'unknown_member',
      detail: 'This member is not known here.',
    }));
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined && issue.message.endsWith('received undefined');
  return [
    { pointer: at(issue.path), code: missing ? 'required' : issue.code, detail: missing ? 'This member is required.' : issue.message },
  ];
}

/**
 * What leaves a service: members that the catalog does not declare are filtered out. With `strict` (in tests) they are refused,
 * so that a handler which answers more or other than it declares is found.
 */
export function filterResponse(api: ApiDefinition, output: unknown, strict: boolean): unknown {
  const plain: unknown = JSON.parse(JSON.stringify(output ?? null));
  const parsed = api.response.safeParse(plain);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${api.id} answers what its response schema refuses: /${issue?.path.join('/')}: ${issue?.message}`);
  }
  if (strict && !isDeepStrictEqual(JSON.parse(JSON.stringify(parsed.data)), plain)) {
    throw new Error(`${api.id} answers members that its response schema does not declare: ${superfluous(plain, parsed.data, '')}`);
  }
  return parsed.data;
}

function superfluous(is: unknown, declared: unknown, at: string): string {
  if (typeof is !== 'object' || is === null || typeof declared !== 'object' || declared === null) return at;
  for (const [key, value] of Object.entries(is)) {
    if (!Object.hasOwn(declared, key)) return `${at}/${key}`;
    const inner = (declared as Record<string, unknown>)[key];
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(inner)), value)) return superfluous(value, inner, `${at}/${key}`);
  }
  return at;
}
