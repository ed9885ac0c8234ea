import { z } from 'zod';
import { Instant, queryInteger } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';

/** Largest number of exchanges in an answer. */
const MOST_STEPS = 1_000;

/** A named type keeps the declarations of the client small. */
export interface PlayedStep {
  at: string;
  kind: 'call' | 'event' | 'webhook' | 'timer' | 'clock';
  from: string;
  to: string;
  title: string;
  sentence: string;
  changes: string[];
  outcome: 'ok' | 'refused' | 'failed';
  what: 'hop' | 'event' | 'move';
  id: string;
  trace?: string | undefined;
  address?: string | undefined;
  status?: number | undefined;
  faults?: string[] | undefined;
  isQuiet?: true | undefined;
  isReal?: true | undefined;
  request?: string | undefined;
  response?: string | undefined;
}

/** One exchange of a story: a request, a call, a delivery, a webhook, due work, or a move of the clock. */
export const PlayStep: z.ZodType<PlayedStep> = z
  .object({
    at: Instant.describe('The rehearsal’s clock.'),
    kind: z.enum(['call', 'event', 'webhook', 'timer', 'clock']),
    from: z.string().describe('The application that sent it, or client. A move of the clock has the gateway.'),
    to: z.string().describe('The application that answered, consumed or ran, or client for a registered receiver.'),
    title: z.string().describe('The call or the event: Authorize Payment.'),
    sentence: z.string().describe('The exchange as a sentence or two.'),
    changes: z.array(z.string()).max(10).describe('What it changed, in a few words each: 30.88 EUR authorised.'),
    outcome: z.enum(['ok', 'refused', 'failed']).describe('refused: 4xx. failed: 5xx, or no answer.'),
    what: z.enum(['hop', 'event', 'move']),
    id: z.string().describe('Request id of the hop, id of the event, or number of the clock move.'),
    trace: z.string().optional().describe('Correlation id of its trace. Absent when the journal has no hop of the trace.'),
    address: z.string().optional().describe('Method and path of a request.'),
    status: z.int().optional().describe('0: no answer.'),
    faults: z.array(z.string()).max(10).optional().describe('Names of the faults that struck.'),
    isQuiet: z.literal(true).optional().describe('It changed nothing: a read, or an event that its consumer ignored.'),
    isReal: z.literal(true).optional().describe('A real system answered in place of the application.'),
    request: z.string().optional().describe('The beginning of the body, redacted.'),
    response: z.string().optional().describe('The beginning of the body, redacted.'),
  })
  .meta({ id: 'PlayStep' });

export const readPlay = defineOperation({
  id: 'read-play',
  memory: 'large',
  summary:
    'Reads the story of a business object, or of the whole rehearsal, exchange after exchange, with a sentence for each: the console plays it on the map.',
  path: '/_control/play',
  query: z.strictObject({
    type: z.string().max(100).optional().describe('Type of the object. Default: the story of the whole rehearsal.'),
    id: z.string().max(200).optional().describe('Id, number or SKU of the object.'),
    limit: queryInteger(1, MOST_STEPS)
      .default(500)
      .describe('Maximum number of exchanges in an answer. The oldest are kept, so that an exchange keeps its number.'),
  }),
  response: z.object({
    name: z.string().describe('Name for people: order 261128-740648.'),
    now: Instant.describe('The rehearsal’s clock.'),
    steps: z.array(PlayStep).describe('Sorted by the rehearsal’s clock. Within an instant, a cause comes before its effects.'),
    omitted: z.int().describe('Number of later exchanges that the limit leaves out.'),
    truncated: z.boolean().describe('Whether the journal has discarded older hops of this rehearsal. Their events are still listed.'),
  }),
  problems: ['not_found'],
});

export const playsOperations = [readPlay] as const;
