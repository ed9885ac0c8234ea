import { z } from 'zod';
import { unknownWord } from '../../../domain/nearest-word.ts';
import { apis } from '../../apis.ts';
import { applicationNames } from '../../applications.ts';
import { allEvents } from '../../events.ts';
import { internalCalls } from '../../internal-calls.ts';
import { Instant } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';

const Members = z
  .record(z.string(), z.unknown())
  .describe('Members that it must have, with these values. It may have more. A list must match element by element.');
const Status = z.int().min(0).max(599);
const Application = z.enum(applicationNames as [string, ...string[]]);
/** A word of a long list. A mistake gets the nearest word, not the list. */
const wordOf = (what: string, words: readonly string[], list: string) =>
  z.string().refine((word) => words.includes(word), {
    error: ({ input }) => unknownWord(what, String(input), words, list),
    params: { code: `unknown_${what.toLowerCase()}` },
  });
const EventName = wordOf(
  'event',
  allEvents.map(({ name }) => name),
  'GET /asyncapi.json',
);
const CallName = wordOf('API', [...Object.keys(apis), ...Object.keys(internalCalls)], 'GET /openapi.json').describe('Id of the API.');

/** A step that must have happened. */
export const ExpectedStep = z.discriminatedUnion('what', [
  z
    .strictObject({
      what: z.literal('call'),
      name: CallName,
      by: z
        .enum(['client', ...applicationNames])
        .optional()
        .describe('The caller.'),
      status: Status.optional(),
      request: Members.optional(),
      response: Members.optional(),
    })
    .describe('A call, or a webhook of the carrier.'),
  z
    .strictObject({
      what: z.literal('event'),
      name: EventName,
      subject: z.string().max(160).optional().describe('Type and id of its object, such as order/ord_01M….'),
      object: Members.optional(),
    })
    .describe('An event on the bus.'),
  z
    .strictObject({ what: z.literal('delivery'), name: EventName, application: Application.optional(), status: Status.optional() })
    .describe('An attempt of an application to consume an event.'),
  z
    .strictObject({
      what: z.literal('timer'),
      name: z.string().max(80).describe('Kind of the due work, as the journal and the advance of the clock list it.'),
      application: Application.optional(),
      status: Status.optional(),
    })
    .describe('Due work that ran.'),
  z.strictObject({ what: z.literal('advance') }).describe('An advance of the clock.'),
]);

/** A step that happened. */
export const SequenceEntry = z.object({
  what: z.enum(['call', 'event', 'delivery', 'timer', 'advance']),
  name: z.string().describe('Id of the API, name of the event, kind of the due work, or the instants of an advance.'),
  application: z.string().optional().describe('The application that answered, published, consumed or ran.'),
  by: z.string().optional().describe('The caller.'),
  status: z.int().optional(),
  subject: z.string().optional().describe('Subject of an event.'),
  id: z.string().describe('Request id of a hop, id of an event, or number of a clock move.'),
  correlationId: z.string().optional(),
  at: Instant.describe('The rehearsal’s clock.'),
});

const MOST_STEPS = 200;

/** Each step has room for more than a kilobyte of expected members. */
const SEQUENCE_BYTES = 262_144;

export const verifySequence = defineOperation({
  id: 'verify-sequence',
  memory: 'large',
  summary: 'Verifies that calls, events, deliveries, timers and clock moves happened in this order.',
  method: 'POST',
  path: '/_control/journal/verify',
  request: z.strictObject({
    sequence: z.array(ExpectedStep).min(1).max(MOST_STEPS).describe('Steps that must have happened, in order.'),
    correlationId: z.string().min(1).max(128).optional().describe('Considers only the trace with this correlation id, and clock moves.'),
    strict: z
      .boolean()
      .default(false)
      .describe('true: between the first and the last step, nothing else may happen of the kinds that the sequence names.'),
  }),
  body: SEQUENCE_BYTES,
  response: z.object({
    holds: z.boolean(),
    steps: z.array(SequenceEntry).describe('What matched, one entry per step, up to the first step that did not match.'),
    mismatch: z
      .object({
        step: z.int().min(1).describe('Position of the first step that did not match, from 1.'),
        detail: z.string().describe('What differs, in words.'),
        nearest: SequenceEntry.optional().describe('The nearest call, event, delivery, timer or clock move.'),
      })
      .optional(),
    truncated: z.boolean().describe('Whether the journal has discarded older hops, which cannot match.'),
  }),
});

export const sequencesOperations = [verifySequence] as const;
