import { z } from 'zod';
import { queryInteger } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';

export const readJournal = defineOperation({
  id: 'read-journal',
  summary: 'Lists the hops of a correlation id: caller, target, bodies, outcome and duration.',
  method: 'GET',
  path: '/_sim/journal',
  query: z.strictObject({ correlationId: z.string().max(128).optional(), limit: queryInteger(1, 5_000).default(500) }),
  response: z.object({
    items: z.array(z.record(z.string(), z.unknown())),
    complete: z.boolean().describe('Each call of a listed hop has a record of its own.'),
    truncated: z.boolean().describe('The journal has reached its limit: older hops of this rehearsal are gone.'),
  }),
});
