import { z } from 'zod';
import { queryInteger } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { WaitingFor } from './waiting.ts';

export const readObject = defineOperation({
  id: 'read-object',
  summary: 'Any business object, also those that no API reads.',
  method: 'GET',
  path: '/_sim/objects/{type}/{id}',
  response: z.record(z.string(), z.unknown()),
  problems: ['not_found'],
});

export const readJournal = defineOperation({
  id: 'read-journal',
  summary: 'Every hop of a correlation id: who called whom, with which outcome, how long it took, what was said.',
  method: 'GET',
  path: '/_sim/journal',
  query: z.strictObject({ correlationId: z.string().max(128).optional(), limit: queryInteger(1, 5_000).default(500) }),
  response: z.object({
    items: z.array(z.record(z.string(), z.unknown())),
    complete: z.boolean().describe('Every call that a hop made has its own record.'),
    truncated: z.boolean().describe('The journal has reached its bounds: older hops of this rehearsal are gone.'),
  }),
});

export const Invariant = z.object({
  id: z.string(),
  title: z.string(),
  holds: z.boolean(),
  checked: z.int().describe('How many records were looked at.'),
  violations: z.array(z.string()).describe('Each names the records that break it.'),
  waiting: z.array(z.string()).optional().describe('Of moving: for whom each open order waits.'),
});

export const verify = defineOperation({
  id: 'verify',
  summary: 'Computes the invariants over everything the rehearsal holds; settles first.',
  method: 'GET',
  path: '/_sim/verify',
  response: z.object({ holds: z.boolean(), settled: z.boolean(), waitingFor: WaitingFor, invariants: z.array(Invariant) }),
});
