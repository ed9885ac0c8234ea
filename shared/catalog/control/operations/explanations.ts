import { z } from 'zod';
import { Instant } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';

/** Replaces the type in the path: the id alone identifies the object. */
export const ANY_TYPE = 'any';

/** Why an object is as it is. A program can rely on these codes. */
export const ReasonCode = z
  .enum([
    'waits-for-customer',
    'waits-for-client',
    'waits-for-warehouse',
    'waits-for-store',
    'waits-for-carrier',
    'waits-for-provider',
    'waits-for-bank',
    'waits-for-customer-service',
    'waits-for-assortment',
    'waits-for-estate',
    'waits-for-object',
    'waits-for-nothing',
    'next-step',
    'deadline',
    'ended',
    'expired',
    'declined',
    'cancelled',
    'rejected',
    'failed',
    'event-unsent',
    'event-pending',
    'event-withheld',
    'event-parked',
    'webhook-waiting',
    'webhook-withheld',
    'webhook-parked',
    'work-under-way',
    'work-retrying',
    'work-awaits-application',
    'work-withheld',
    'work-parked',
    'fault-strikes',
    'retrying',
    'undoing',
  ])
  .meta({ id: 'ReasonCode' });
export type ReasonCode = z.output<typeof ReasonCode>;

/** What a reason is about. */
export const ReasonReference = z
  .object({
    what: z.enum(['object', 'trace', 'event', 'due', 'fault', 'application', 'api', 'operation', 'webhook']),
    id: z.string().describe('Object: its id. Trace: its correlation id. Due work: its key, as list-parked has it. Webhook: its name.'),
    type: z.string().optional().describe('Type of an object; name of an event.'),
  })
  .meta({ id: 'ReasonReference' });

const Reason = z
  .object({
    code: ReasonCode,
    kind: z
      .enum(['cause', 'wait', 'trouble'])
      .describe('cause: why it is in its state. wait: what it waits for. trouble: what is parked, withheld, late or struck by a fault.'),
    text: z.string().describe('A sentence.'),
    at: Instant.optional().describe('When it happens, on the rehearsal’s clock.'),
    manual: z
      .enum(['warehouse', 'store', 'carrier', 'returns'])
      .optional()
      .describe('The step is manual in this rehearsal. set-progression with the mode time lets it follow the clock.'),
    refs: z.array(ReasonReference),
  })
  .meta({ id: 'Reason' });

const Verdict = z.object({
  possible: z.boolean(),
  code: z
    .enum(['life-cycle', 'repeat', 'other-object', 'rule', 'fault', 'unavailable', 'by-the-estate'])
    .optional()
    .describe(
      'Why it is not possible now. repeat: it would be accepted, and change nothing. unavailable: an application does not answer. fault: it is possible, but a fault may refuse it.',
    ),
  why: z.string().optional().describe('A sentence: mostly the refusal of the application, which ran the call dry.'),
  refs: z.array(ReasonReference),
});

const Called = z.object({
  by: z
    .enum(['api', 'control', 'estate'])
    .describe('api: a client. control: the outside world, played by the control plane. estate: only the estate itself.'),
  call: z.string().optional().describe('Id of the API or of the control operation.'),
  input: z
    .object({ params: z.record(z.string(), z.string()), body: z.record(z.string(), z.unknown()) })
    .optional()
    .describe('The example of an input that ran dry. Absent if no call was tried, mostly because the life cycle does not permit the verb.'),
});

const ExplainedMove = z
  .object({
    verb: z.string().describe('Verb of the life cycle.'),
    to: z.array(z.string()).describe('States that the verb can lead to. If it leads to the present state, it changes something else.'),
    ...Called.shape,
    ...Verdict.shape,
  })
  .meta({ id: 'ExplainedMove' });

/** How an object came into its state. */
const StateCause = z
  .object({
    kind: z
      .enum(['api', 'control', 'call', 'event', 'timer', 'webhook', 'initial-data', 'unknown'])
      .describe('unknown: the journal has discarded the hop, or the event of the change is not on the bus yet.'),
    name: z.string().optional().describe('Id of the API or call, name of the event, kind of the due work.'),
    by: z.string().describe('client, outside-world, clock, or the application that called.'),
    application: z.string(),
    begunBy: z
      .string()
      .optional()
      .describe('What began the trace, such as Confirm Order, called by a client. Absent if the cause itself began it.'),
    event: z.string().optional().describe('Id of the event of the change.'),
    requestId: z.string().optional().describe('Its hop in the journal.'),
    correlationId: z.string().optional(),
    traceId: z.string().optional().describe('W3C trace id, while tracing is on.'),
    from: z.string().optional().describe('The state before.'),
  })
  .meta({ id: 'StateCause' });

const Explained = z.object({
  type: z.string(),
  id: z.string(),
  name: z.string().describe('Name for people: Order 2026-000123.'),
  state: z.string().optional().describe('Absent for objects without a life cycle.'),
  since: Instant.optional().describe('When it came into this state, on the rehearsal’s clock.'),
  isFinal: z.boolean().describe('Whether no verb leads out of the state.'),
  cause: StateCause.optional(),
  head: z.string().describe('One sentence: its state, since when, and what brought it there.'),
  reasons: z.array(Reason),
  text: z.string().describe('The explanation in sentences: the head, the reasons, what the object waits for, and what is possible now.'),
});

export const Explanation = Explained.extend({
  moves: z.array(ExplainedMove).describe('The verbs of its life cycle, possible ones first.'),
  steps: z
    .array(
      z.object({
        step: z
          .string()
          .describe('What a client does beside the verbs of the life cycle: pay, change-address, hand-over-part, take-cash, resend.'),
        ...Called.shape,
        ...Verdict.shape,
      }),
    )
    .describe('What else a client, or the outside world, can do with it without moving it.'),
  waitsFor: z.array(Explained).describe('Explanations of the objects that it waits for, and then of the objects that they wait for.'),
}).meta({ id: 'Explanation' });

export const explainObject = defineOperation({
  id: 'explain-object',
  summary:
    'Explains a business object: its state, what brought it there, what it waits for, and which verbs are possible now. Lists what is parked, withheld or struck by a fault.',
  path: '/_control/explanations/{type}/{id}',
  response: Explanation,
  problems: ['not_found'],
});

export const explanationsOperations = [explainObject] as const;
