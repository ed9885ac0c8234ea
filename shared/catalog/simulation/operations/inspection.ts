import { z } from 'zod';
import { queryInteger } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { WaitingFor } from './waiting.ts';

export const readObject = defineOperation({
  id: 'read-object',
  summary: 'Reads any business object, including those without an API.',
  method: 'GET',
  path: '/_sim/objects/{type}/{id}',
  response: z.record(z.string(), z.unknown()),
  problems: ['not_found'],
});

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

export const Invariant = z.object({
  id: z.string(),
  title: z.string(),
  holds: z.boolean(),
  checked: z.int().describe('Number of checks made.'),
  violations: z.array(z.string()).describe('Each violation names its records.'),
  waiting: z.array(z.string()).optional().describe('Only of moving: the actor that each open order waits for.'),
});

export const verify = defineOperation({
  id: 'verify',
  summary: 'Settles the rehearsal, then checks the invariants over all its records.',
  method: 'GET',
  path: '/_sim/verify',
  response: z.object({ holds: z.boolean(), settled: z.boolean(), waitingFor: WaitingFor, invariants: z.array(Invariant) }),
});
