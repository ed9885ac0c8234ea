import type { z } from 'zod';
import { STREAM_CURSOR } from '../../catalog/control/operations/stream.ts';
import { CorrelationId, IdempotencyKey, IfMatch } from '../../catalog/headers.ts';
import { REHEARSAL_NAME } from '../../domain/ids.ts';
import { JsonSchemas, type Part } from '../json-schemas.ts';

const schemaOf = (header: z.ZodType): Part => new JsonSchemas('draft-2020-12').of(header, 'input');

/** Headers that a request may carry, by the name of their component. */
export const REQUEST_HEADERS: Part = {
  Rehearsal: {
    name: 'X-Rehearsal',
    in: 'header',
    // The schema has no default, because generated clients would send it even with a credential that is bound to another rehearsal.
    description: 'The rehearsal of this request, unless the credential is bound to one. Without either it is the rehearsal `default`.',
    schema: { type: 'string', pattern: REHEARSAL_NAME.source },
  },
  CorrelationId: {
    name: 'X-Correlation-Id',
    in: 'header',
    description:
      'Ties requests, internal calls and events together. The response repeats it. The gateway generates one when it is absent or malformed.',
    schema: schemaOf(CorrelationId),
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same request with the same key is answered with the stored response and changes nothing. Keys are kept for 24 hours on the rehearsal’s clock.',
    schema: schemaOf(IdempotencyKey),
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Id of the last frame received. The stream continues after it. Default: now.',
    schema: { type: 'string', pattern: STREAM_CURSOR.source },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'ETags of the object as it was read, separated by commas, or *. The answer is 412 when the object has none of them. Weak tags match nothing.',
    schema: schemaOf(IfMatch),
    example: '"3"',
  },
};

/** Headers that a response may carry, by the name of their component. */
export const RESPONSE_HEADERS: Part = {
  CorrelationId: { description: 'As sent, or generated.', schema: schemaOf(CorrelationId) },
  ETag: { description: 'The version of the object, quoted.', schema: { type: 'string' }, example: '"3"' },
  IdempotentReplayed: {
    description: 'Present when this is the stored response to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
  RetryAfter: { description: 'Seconds to wait before the same request may succeed.', schema: { type: 'integer' } },
  WwwAuthenticate: { description: 'The required authentication scheme.', schema: { type: 'string' } },
};

export const requestHeader = (name: string): Part => ({ $ref: `#/components/parameters/${name}` });

export const responseHeader = (name: string): Part => ({ $ref: `#/components/headers/${name}` });
