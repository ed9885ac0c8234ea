import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { WaitingFor } from './events.ts';

export const Invariant = z.object({
  id: z.string(),
  title: z.string(),
  holds: z.boolean(),
  basis: z
    .enum(['as-seen', 'not-checked'])
    .optional()
    .describe(
      'as-seen: objects of swapped applications are checked as their real systems returned them. not-checked: records are missing that only a real system has, and `holds` has no meaning. Absent: all records are checked.',
    ),
  checked: z.int().describe('Number of checks made.'),
  violations: z.array(z.string()).describe('Each violation names its records.'),
  waiting: z
    .array(z.string())
    .optional()
    .describe('Only for moving: the actor that each open order waits for, and work that waits for an absent application.'),
});

export const verify = defineOperation({
  id: 'verify',
  summary: 'Settles the rehearsal, then checks the invariants over all its records. `holds` is false while any work is parked.',
  path: '/_control/verify',
  response: z.object({
    holds: z.boolean(),
    settled: z.boolean(),
    waitingFor: WaitingFor,
    complete: z.boolean().describe('false: real systems take the place of applications, and the estate does not have all their records.'),
    invariants: z.array(Invariant),
  }),
});

export const verificationOperations = [verify] as const;
