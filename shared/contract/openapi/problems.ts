import { MOST_ERRORS, type ProblemCode, problems, problemType, retryableAtTimes } from '../../catalog/problems.ts';
import type { Part } from '../json-schemas.ts';
import { responseHeader } from './headers.ts';

/** The schema of every refusal. */
export const PROBLEM: Part = {
  description: 'A refusal (RFC 9457). Some codes add members, such as currentState and allowedFrom.',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'retryable'],
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      description: 'Path at the gateway of a description with cause and remedy.',
      examples: [problemType('not_found')],
    },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'Path of the refused request.' },
    code: { type: 'string', description: 'Clients branch on this member.' },
    objectType: { type: 'string' },
    id: { type: 'string', description: 'Id of the object that the refusal is about.' },
    errors: {
      type: 'array',
      maxItems: MOST_ERRORS,
      items: {
        type: 'object',
        required: ['pointer', 'code', 'detail'],
        properties: {
          pointer: {
            type: 'string',
            description: 'JSON pointer into the body, `?name` of a query parameter, `{name}` of a path parameter, or the name of a header.',
          },
          code: { type: 'string' },
          detail: { type: 'string' },
        },
      },
    },
    errorsOmitted: { type: 'integer', minimum: 1, description: 'Number of further errors that `errors` omits.' },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
  },
};

/** The extension that lists the codes of a refusal. Its schema is `Problem` alone, so that generated clients have one class for every refusal. */
export const CODES = 'x-problem-codes';

/** A response that refuses with one of these codes, which all have the same status. */
export function problemResponse(codes: readonly ProblemCode[]): Part {
  const status = codes[0] === undefined ? 500 : problems[codes[0]].status;
  const isRetryable = codes.some((code) => problems[code].retryable || retryableAtTimes.has(code));
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('; '),
    ...((isRetryable || status === 401) && {
      headers: {
        ...(isRetryable && { 'Retry-After': responseHeader('RetryAfter') }),
        ...(status === 401 && { 'WWW-Authenticate': responseHeader('WwwAuthenticate') }),
      },
    }),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    [CODES]: codes,
  };
}
