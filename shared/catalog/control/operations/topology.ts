import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';

const Readiness = z.enum(['ready', 'away']);

export const readTopology = defineOperation({
  id: 'read-topology',
  summary: 'Reads the applications, their readiness, and which application calls which.',
  method: 'GET',
  path: '/_control/topology',
  response: z.object({
    applications: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        owns: z.string(),
        state: Readiness,
        waitingFor: z.string().optional().describe('Why it is away.'),
        hops: z.int().describe('Hops that it answered, of those that the journal keeps.'),
        failed: z.int().describe('Those that answered 400 or above, or not at all.'),
        faults: z.array(z.string()).describe('Names of the faults that struck there.'),
      }),
    ),
    touchpoint: z.object({
      state: z
        .enum(['ready', 'away', 'unknown'])
        .describe('unknown: it runs in a process of its own, whose address the gateway is not told.'),
      portal: z.string().optional().describe('Address of the portal.'),
    }),
    adapters: z.object({ store: z.enum(['memory', 'redis']), events: z.enum(['memory', 'kafka']) }),
    may: z
      .array(z.object({ from: z.string(), to: z.string(), call: z.string() }))
      .describe('Calls that the catalog allows. client: from outside.'),
    seen: z
      .array(z.object({ from: z.string(), to: z.string(), calls: z.int(), failed: z.int() }))
      .describe('Calls of this rehearsal, of those that the journal keeps, when the caller has answered too.'),
  }),
});
