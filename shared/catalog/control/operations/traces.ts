import { z } from 'zod';
import { applicationNames } from '../../applications.ts';
import { Instant, queryInteger, typedText } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { FaultName } from '../faults.ts';

export const ObjectReference = z.object({ type: z.string(), id: z.string() });

/**
 * A trace: all hops of one correlation id. Its request from outside gives method, path, API, application, status and duration. Of several, that is
 * the one with the worst answer: a failure before a refusal, a refusal before a success, and of those the latest. A trace counts hops that the
 * journal has discarded too, and ends with the last hop that the journal keeps.
 */
export const Trace = z.object({
  correlationId: z.string(),
  sequence: z.int().min(1).describe('Place of the trace in the order of beginning.'),
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
      'Of its request from outside; of several, the worst answer, and of those the latest. Method, path, API, application and duration are of the same request.',
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
  method: 'GET',
  path: '/_control/traces',
  query: z.strictObject({
    q: typedText(160)
      .optional()
      .describe('Text in the correlation id, path, status, an API or application of a hop, or the name of a fault.'),
    application: z
      .enum(applicationNames as [string, ...string[]])
      .optional()
      .describe('An application that answered a hop.'),
    api: z.string().max(80).optional().describe('API of a hop; event:<name> of a delivery, due:<kind> of due work.'),
    status: z.enum(['ok', 'refused', 'failed']).optional().describe('ok: below 400; refused: 4xx; failed: 5xx, or no answer.'),
    fault: FaultName.optional().describe('Only traces that this fault struck.'),
    object: z.string().max(160).optional().describe('type/id. Its newest 1,000 events are looked at.'),
    correlationId: z.string().max(128).optional().describe('Only the trace with this correlation id.'),
    before: queryInteger(1, Number.MAX_SAFE_INTEGER).optional().describe('The member next of the previous answer.'),
    limit: queryInteger(1, 200).default(50).describe('Most traces of an answer.'),
  }),
  response: z.object({
    items: z
      .array(Trace)
      .describe(
        'A request with a filter looks at no more than 1,000 traces: there may be fewer than limit, or none, although there are older ones.',
      ),
    next: z.int().optional().describe('For before. Absent: there are no older traces.'),
  }),
});
