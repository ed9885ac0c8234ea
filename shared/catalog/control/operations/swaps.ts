import { z } from 'zod';
import { Currency } from '../../currency.ts';
import { objects } from '../../objects.ts';
import { Instant, queryInteger } from '../../shapes.ts';
import { isSwappable, KeptAnswers, SwapMembers, SwapMode, swappableNames } from '../../swap.ts';
import { defineOperation } from '../define-operation.ts';
import { Run } from './runs.ts';

const SwapInUse = z
  .object({
    application: z.string(),
    title: z.string(),
    support: z.enum(['promised', 'possible']).describe('promised: the swap is supported. possible: it may work.'),
    url: z.string().optional().describe('Absent in the mode kept.'),
    mode: SwapMode,
    keep: z.boolean().describe('Whether answers of the real system are kept.'),
    headers: z.array(z.string()).describe('Names of the configured headers. Their values are never shown.'),
    timeoutMs: z.int(),
    events: z.enum(['post', 'none']),
    shadow: z.enum(['all', 'reads']).optional(),
    compare: z.array(z.string()).optional(),
    from: z
      .enum(['variables', 'request'])
      .describe('Where the swap comes from: variables of the estate, or the creation of the rehearsal.'),
    calls: z.int().describe('Calls of the real system, events included.'),
    failed: z.int().describe('Calls without an acceptable answer.'),
    last: z
      .object({
        api: z.string(),
        status: z.int().describe('0: no answer.'),
        at: Instant.describe('Wall time.'),
        durationMs: z.number().describe('Wall time.'),
      })
      .optional()
      .describe('The latest answer.'),
    violations: z
      .array(
        z.object({
          name: z
            .string()
            .describe(
              'The broken rule, such as late, not_json, wrong_shape, server_error, unreachable_state, other_object, no_effect or money.',
            ),
          api: z.string(),
          count: z.int(),
          detail: z.string().describe('Description of the latest one.'),
          at: Instant.describe('Wall time of the latest one.'),
        }),
      )
      .describe('Violations of the contract by rule and API, the latest last.'),
  })
  .meta({ id: 'SwapInUse' });

export const listSwaps = defineOperation({
  id: 'list-swaps',
  summary: 'Lists the swapped and shadowed applications of the rehearsal, with the answers and violations of their real systems.',
  path: '/_control/swaps',
  response: z.object({ items: z.array(SwapInUse) }),
});

const Counts = {
  compared: z.int().describe('Calls whose answers were compared.'),
  equal: z.int().describe('Calls without a difference.'),
  skipped: z.int().describe('Calls that could not be compared, such as too many at the same time.'),
};

const Fidelity = z
  .object({
    application: z.string(),
    title: z.string(),
    url: z.string().optional(),
    ...Counts,
    operations: z.array(z.object({ api: z.string().describe('The operation, or event:<name>.'), ...Counts })).describe('Sorted by name.'),
    waiting: z.int().describe('Calls whose comparison has not ended.'),
    lost: z.int().describe('Calls that are never compared, because the process that had to compare them has ended.'),
    differences: z
      .array(
        z.object({
          api: z.string().describe('The operation, or event:<name>.'),
          pointer: z.string().describe('The member, with * for an index. Empty: the answer as a whole.'),
          count: z.int(),
          ours: z.string().describe('In the first such answer.'),
          theirs: z.string(),
          requestId: z.string().describe('Request of the first one.'),
          correlationId: z.string().describe('Trace of the first one.'),
          at: Instant.describe('Wall time of the first one.'),
        }),
      )
      .describe('One for each operation and member, the oldest first. At most 500.'),
  })
  .meta({ id: 'Fidelity' });

export const readFidelity = defineOperation({
  id: 'read-fidelity',
  summary:
    'Lists the differences between the answers of real systems in the mode shadow and ours. Waits for comparisons that have begun, at most timeoutMs.',
  path: '/_control/fidelity',
  query: z.strictObject({ timeoutMs: queryInteger(0, 60_000).default(10_000).describe('Wall time.') }),
  response: z.object({ items: z.array(Fidelity) }),
});

export const readAnswers = defineOperation({
  id: 'read-answers',
  summary:
    'Returns what the real system of an application has answered in the rehearsal, by operation, if its swap keeps answers. A swap in the mode kept takes it as answers.',
  path: '/_control/answers/{application}',
  response: z.object({ answers: KeptAnswers }),
  problems: ['not_swapped'],
});
/** Types of objects that a real system may have. */
const reported = objects.filter(({ owner, schema }) => isSwappable(owner) && 'version' in schema.shape).map(({ type }) => type);

const Values = z.record(z.string().max(64), z.union([z.string().max(512), z.number(), z.boolean()]));

/** A call or an object of a real system. The longest body that an API takes fits into a call. */
const FROM_OUTSIDE_BYTES = 393_216;

export const makeCall = defineOperation({
  id: 'make-call',
  summary:
    'Makes a call of a swapped application, for its real system. X-Estate-Call permits it: the header of the call that the real system answers, or the value from the creation of the rehearsal. A tester names the application instead. The answer is the answer of the called API.',
  method: 'POST',
  path: '/_control/calls/{id}',
  request: z.strictObject({
    application: z
      .enum(swappableNames)
      .optional()
      .describe('The swapped application that makes the call, for a tester without X-Estate-Call.'),
    params: z.record(z.string().max(64), z.string().max(512)).optional().describe('Parameters of the path, such as {"id":"ord_01M…"}.'),
    query: Values.optional().describe('Parameters of the query, such as {"orderId":"ord_01M…"}.'),
    body: z.record(z.string(), z.unknown()).optional().describe('The body of the call.'),
  }),
  body: FROM_OUTSIDE_BYTES,
  response: z.unknown(),
  problems: ['forbidden', 'not_swapped'],
});

export const reportChange = defineOperation({
  id: 'report-change',
  summary:
    'Reports a business object of a swapped application that changed without a call of the estate, as its real system has it. Its events are derived from the change. A repeat changes nothing.',
  method: 'POST',
  path: '/_control/events',
  request: z.strictObject({
    object: z.enum(reported).describe('Type of the object.'),
    data: z.record(z.string(), z.unknown()).describe('The whole object, as the API of its owner shows it.'),
  }),
  body: FROM_OUTSIDE_BYTES,
  response: z.object({
    object: z
      .record(z.string(), z.unknown())
      .describe('The object as the estate has it now. Its version counts the changes that the estate has seen.'),
    changed: z.boolean().describe('false: the estate has the object already, or a newer version of it.'),
  }),
  problems: ['not_swapped', 'forbidden'],
});

const Name = z.string().min(1).max(100);
/** Bounds of what a request names of a system. */
const [MOST_NAMES, LONGEST_ID] = [200, 200];

export const checkSystem = defineOperation({
  id: 'check-system',
  summary:
    'Checks whether a real system can take the place of an application: a run with a step per check. Without an address, the system of this rehearsal with its headers. Ends after five minutes.',
  method: 'POST',
  path: '/_control/checks',
  reach: 'estate',
  request: z.strictObject({
    application: z.enum(swappableNames).describe('The application that the system replaces.'),
    url: SwapMembers.shape.url.describe('Address of the system. OUTBOUND_ALLOW must permit it.'),
    headers: SwapMembers.shape.headers,
    timeoutMs: SwapMembers.shape.timeoutMs,
    currency: Currency.default('EUR').describe('Of all amounts.'),
    ids: z
      .record(Name, z.string().min(1).max(LONGEST_ID).nullable())
      .default({})
      .refine((ids) => Object.keys(ids).length <= MOST_NAMES, `At most ${MOST_NAMES} ids are possible.`)
      .describe('What the system has in place of ids of our data, such as a card; null: it has none.'),
    states: z
      .record(Name, z.array(Name).max(MOST_NAMES))
      .default({})
      .refine((states) => Object.keys(states).length <= MOST_NAMES, `At most ${MOST_NAMES} types are possible.`)
      .describe('The states that the system has, by type of object. Default: all.'),
    notOffered: z.array(Name).max(MOST_NAMES).default([]).describe('Calls and capabilities that the system lacks.'),
  }),
  response: Run,
  status: 202,
  problems: ['outbound_refused', 'not_swapped', 'rate_limited'],
});

export const swapsOperations = [listSwaps, checkSystem, readFidelity, readAnswers, makeCall, reportChange] as const;
