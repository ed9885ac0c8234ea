import { z } from 'zod';
import { Instant, queryInteger } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';

/** A hop: a call, an event or due work that an application handled, or a request that the gateway refused. Secrets are redacted. */
export const Hop = z.object({
  requestId: z.string(),
  parentId: z
    .string()
    .optional()
    .describe(
      'Request id of the hop that caused this one: the caller, the hop that published the event, or the hop that scheduled the work. Absent for a call from outside, and when the cause is unknown.',
    ),
  correlationId: z.string(),
  sequence: z.int().min(1).describe('Position in the journal. Hops are sorted by completion.'),
  application: z.string(),
  api: z
    .string()
    .describe(
      'Id of the API; event:<name> of a consumed event; due:<kind> of due work; webhook:<name> of an attempt at a registered webhook.',
    ),
  method: z.string(),
  path: z.string(),
  status: z.int().describe('0: no answer was sent.'),
  startedAt: Instant.describe('Wall time.'),
  at: Instant.describe('The rehearsal’s clock.'),
  durationMs: z.number().describe('Wall time.'),
  calls: z.array(z.string()).describe('Request ids of the calls that this hop made.'),
  faults: z.array(z.string()).describe('Names of the faults that struck.'),
  unchanged: z
    .string()
    .optional()
    .describe(
      'Why an event, a webhook or a repeated request changed nothing. Absent when the hop changed something, only read, or was refused.',
    ),
  ignored: z
    .array(z.string())
    .optional()
    .describe('Members of a webhook that the estate does not have, as JSON pointers, at most 10. They had no effect.'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('Idempotency-Key, If-Match and Webhook-Id of a client’s request, by their names in lower case.'),
  outside: z
    .object({
      status: z.int().describe('0: no answer.'),
      durationMs: z.number().describe('Wall time.'),
      violation: z.string().optional().describe('Name of the rule that the answer breaks.'),
    })
    .optional()
    .describe('The answer of the real system that takes the place of the application in this rehearsal.'),
  request: z.unknown().optional().describe('Body, redacted.'),
  response: z.unknown().optional().describe('Body, redacted.'),
  truncated: z.literal(true).optional().describe('Part of the record was too large and is truncated.'),
});

export const readJournal = defineOperation({
  id: 'read-journal',
  memory: 'large',
  summary: 'Lists the hops of a rehearsal or of a correlation id, each with its cause, bodies, outcome and duration.',
  path: '/_control/journal',
  query: z.strictObject({
    correlationId: z.string().max(128).optional().describe('Only hops of the request with this correlation id.'),
    after: queryInteger(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('Lists the oldest hops after this sequence. Default: lists the newest hops.'),
    bodies: z.enum(['true', 'false']).default('true').describe('Include the bodies of requests and answers.'),
    limit: queryInteger(1, 5_000).default(500).describe('Maximum number of hops in an answer.'),
  }),
  response: z.object({
    items: z.array(Hop).describe('Sorted by completion, oldest first.'),
    next: z
      .int()
      .describe(
        'Value of `after` for the next page: the sequence of the last listed hop or, if the list is empty, of the newest hop of the rehearsal.',
      ),
    complete: z.boolean().describe('Whether the journal has a record of every call that the listed hops made.'),
    truncated: z.boolean().describe('Whether the journal has reached its limit and discarded older hops of this rehearsal.'),
  }),
});

export const readHop = defineOperation({
  id: 'read-hop',
  summary: 'Reads one hop of the journal, with its bodies.',
  path: '/_control/journal/{requestId}',
  response: Hop,
  problems: ['not_found'],
});

export const journalOperations = [readJournal, readHop] as const;
