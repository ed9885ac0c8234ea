import { z } from 'zod';
import { applicationNames } from '../../applications.ts';
import { Instant, queryInteger, typedText } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { FaultName } from '../faults.ts';

export const ObjectReference = z.object({ type: z.string(), id: z.string() });

/**
 * A trace: all hops of one correlation id. Method, path, API, application, status and duration come from its request from outside. If there
 * are several, the worst answer counts: failure before refusal before success, then the latest. The counts include hops that the journal
 * has discarded. The trace ends with the last hop in the journal.
 */
export const Trace = z.object({
  correlationId: z.string(),
  sequence: z.int().min(1).describe('Position when traces are sorted by their start.'),
  startedAt: Instant.describe('Wall time of its first hop.'),
  lastAt: Instant.describe('Wall time of its latest hop.'),
  at: Instant.describe('The rehearsal’s clock at its first hop.'),
  method: z.string(),
  path: z.string(),
  api: z.string(),
  application: z.string(),
  status: z
    .int()
    .describe(
      'Status of its request from outside. If there are several: of the one with the worst answer, then the latest. Method, path, API, application and duration belong to the same request.',
    ),
  durationMs: z.number().describe('Wall time of that request.'),
  requests: z.int().describe('Number of answered requests from outside: more than one when a client reuses the correlation id.'),
  calls: z.int().describe('Number of calls between applications.'),
  events: z.int().describe('Number of events published, additional ones included.'),
  deliveries: z.int().describe('Number of events consumed.'),
  failed: z.int().describe('Number of hops that answered 400 or above, or not at all (status 0).'),
  faults: z.array(z.string()).describe('Names of the faults that struck.'),
  objects: z.array(ObjectReference).describe('Business objects that its first 100 events are about; at most 50.'),
});

export const listTraces = defineOperation({
  id: 'list-traces',
  summary: 'Lists traces, newest first: one per correlation id.',
  path: '/_control/traces',
  query: z.strictObject({
    q: typedText(160)
      .optional()
      .describe('Text in the correlation id, path, status, an API or application of a hop, or the name of a fault.'),
    application: z
      .enum(applicationNames as [string, ...string[]])
      .optional()
      .describe('Application that answered a hop.'),
    api: z.string().max(80).optional().describe('API of a hop; event:<name> of a delivery, due:<kind> of due work.'),
    status: z.enum(['ok', 'refused', 'failed']).optional().describe('ok: below 400; refused: 4xx; failed: 5xx, or no answer.'),
    fault: FaultName.optional().describe('Only traces that this fault struck.'),
    object: z.string().max(160).optional().describe('Type and id, such as order/ord_01M…. Only its newest 1,000 events are searched.'),
    correlationId: z.string().max(128).optional().describe('Only the trace with this correlation id.'),
    before: queryInteger(1, Number.MAX_SAFE_INTEGER).optional().describe('The member `next` of the previous answer.'),
    limit: queryInteger(1, 200).default(50).describe('Maximum number of traces in an answer.'),
  }),
  response: z.object({
    items: z
      .array(Trace)
      .describe(
        'A request with a filter searches at most 1,000 traces. It may return fewer than `limit`, or none, although there are older ones.',
      ),
    next: z.int().optional().describe('Value of `before` for the next page. Absent when there are no older traces.'),
    discarded: z.int().describe('Number of traces that the journal has discarded: the oldest ones.'),
  }),
});

export const tracesOperations = [listTraces] as const;
