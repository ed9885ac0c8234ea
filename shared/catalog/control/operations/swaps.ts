import { z } from 'zod';
import { Instant } from '../../shapes.ts';
import { SwapMode } from '../../swap.ts';
import { defineOperation } from '../define-operation.ts';

const SwapInUse = z
  .object({
    application: z.string(),
    title: z.string(),
    support: z.enum(['promised', 'possible']).describe('possible: nothing is promised.'),
    url: z.string(),
    mode: SwapMode,
    headers: z.array(z.string()).describe('Names of the configured headers. Their values are never shown.'),
    timeoutMs: z.int(),
    events: z.enum(['post', 'none']),
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
          name: z.string().describe('The broken rule, such as late, not_json, wrong_shape, server_error, unreachable_state or money.'),
          api: z.string(),
          count: z.int(),
          detail: z.string().describe('Of the latest one.'),
          at: Instant.describe('Wall time of the latest one.'),
        }),
      )
      .describe('What the real system did against the contract, by rule and API, the latest last.'),
  })
  .meta({ id: 'SwapInUse' });

export const listSwaps = defineOperation({
  id: 'list-swaps',
  summary: 'Lists the applications whose place the retailer’s real systems take in the rehearsal, with their answers and violations.',
  path: '/_control/swaps',
  response: z.object({ items: z.array(SwapInUse) }),
});

export const swapsOperations = [listSwaps] as const;
