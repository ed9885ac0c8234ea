import { z } from 'zod';
import { SwapMode } from '../../swap.ts';
import { defineOperation } from '../define-operation.ts';

const Readiness = z.enum(['ready', 'away']);

export const readTopology = defineOperation({
  id: 'read-topology',
  summary: 'Reads the applications, their readiness, and which application calls which.',
  path: '/_control/topology',
  response: z.object({
    applications: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        owns: z.string(),
        state: Readiness,
        waitingFor: z.string().optional().describe('Why it is not ready.'),
        hops: z.int().describe('Number of its hops, including discarded ones.'),
        failed: z.int().describe('Number of its hops with status 400 or above, or without an answer.'),
        faults: z.array(z.string()).describe('Names of the faults that struck its hops.'),
        swapped: z
          .object({
            mode: SwapMode,
            url: z.string().optional().describe('Absent in the mode kept.'),
            calls: z.int(),
            failed: z.int(),
            violations: z.int().describe('Number of broken rules.'),
          })
          .optional()
          .describe('The real system in its place or in its shadow in this rehearsal, or the kept answers of one.'),
      }),
    ),
    touchpoint: z.object({
      state: z
        .enum(['ready', 'away', 'unknown'])
        .describe('unknown: it runs in a separate process, and the gateway does not have its address.'),
      portal: z.string().optional().describe('Address of the portal.'),
    }),
    adapters: z.object({ store: z.enum(['memory', 'redis']), events: z.enum(['memory', 'kafka']) }),
    may: z
      .array(z.object({ from: z.string(), to: z.string(), call: z.string() }))
      .describe('Calls that the catalog allows. client stands for callers outside the estate.'),
    seen: z
      .array(z.object({ from: z.string(), to: z.string(), calls: z.int(), failed: z.int() }))
      .describe('Calls of this rehearsal, including discarded ones. client stands for callers outside the estate.'),
    discarded: z.int().describe('Number of traces that the journal has discarded: the oldest ones.'),
  }),
});

export const topologyOperations = [readTopology] as const;
