import { z } from 'zod';
import { Instant, queryInteger } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { ObjectReference } from './traces.ts';

/** Something that happened to an object or to an object that belongs to it. */
export const TimelineMark = z
  .object({
    at: Instant.describe('The rehearsal’s clock.'),
    kind: z
      .enum(['call', 'event', 'webhook', 'scan', 'money', 'stock', 'points', 'state', 'clock'])
      .describe(
        'call: a request, or a call between applications. event: a change without a new state, or its delivery to an application. webhook: an attempt at a registered webhook, or a webhook of the carrier. clock: due work that ran, or a move of the clock. The other kinds are changes of an object: of a parcel, a payment, a reservation, a loyalty account, or of another one.',
      ),
    application: z.string().describe('The application that answered, published, consumed or ran. A move of the clock has the gateway.'),
    words: z.string().describe('A few words: Confirm Order, 25.98 EUR captured.'),
    outcome: z.enum(['ok', 'refused', 'failed']).describe('refused: 4xx. failed: 5xx, or no answer.'),
    object: ObjectReference.optional().describe('The object that changed.'),
    what: z.enum(['hop', 'event', 'move']),
    id: z.string().describe('Request id of the hop, id of the event, or number of the clock move.'),
    fromClient: z.literal(true).optional().describe('A client made the request: advancing a clock does not repeat it.'),
    trace: z.string().optional().describe('Correlation id of its trace. Absent when the journal has no hop of the trace.'),
  })
  .meta({ id: 'TimelineMark' });

const TimelineObject = z
  .object({
    type: z.string(),
    id: z.string(),
    name: z.string().describe('Name for people: order 261128-740648.'),
    application: z.string().describe('Its owner.'),
    states: z
      .array(z.object({ at: Instant, state: z.string() }))
      .describe(
        'Each state with the instant of its beginning, oldest first, from the newest events of the object. A loyalty account has its points.',
      ),
  })
  .meta({ id: 'TimelineObject' });

/** Largest number of marks in an answer. */
const MOST_MARKS = 5_000;

export const readTimeline = defineOperation({
  id: 'read-timeline',
  memory: 'large',
  summary:
    'Reads the timeline of a business object: calls, events, webhooks, scans, money, stock, points, states and moves of the clock, over all applications, of the object and of the objects that belong to it.',
  path: '/_control/timelines/{type}/{id}',
  query: z.strictObject({
    limit: queryInteger(1, MOST_MARKS).default(1_000).describe('Maximum number of marks in an answer. The newest are kept.'),
  }),
  response: z.object({
    type: z.string(),
    id: z.string(),
    name: z.string(),
    now: Instant.describe('The rehearsal’s clock.'),
    objects: z.array(TimelineObject).describe('The object itself, then at most 100 objects that belong to it.'),
    marks: z.array(TimelineMark).describe('Sorted by the rehearsal’s clock. Within an instant, a cause comes before its effects.'),
    omitted: z.int().describe('Number of older marks that the limit leaves out.'),
    truncated: z.boolean().describe('Whether the journal has discarded older hops of this rehearsal. Their events are still listed.'),
  }),
  problems: ['not_found'],
});

export const timelinesOperations = [readTimeline] as const;
