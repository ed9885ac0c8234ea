import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { FaultInput } from '../faults.ts';

const ListedFault = z.object({
  name: z.string(),
  match: FaultInput.shape.match,
  fault: z.record(z.string(), z.unknown()),
  times: z.int().optional(),
  probability: z.number().optional(),
  seed: z.string().optional(),
  hits: z.int(),
});

export const putFault = defineOperation({
  id: 'put-fault',
  summary:
    'Makes something go wrong: with calls of an application or an API (latency, status, outage, drop, lost-response, barrier), with an event (duplicate, late, reorder, withhold), or with the carrier’s webhooks (these, bad-signature, stale-timestamp). What a fault of the same name held is let go.',
  method: 'PUT',
  path: '/_sim/faults/{name}',
  request: FaultInput,
  response: ListedFault,
});

export const listFaults = defineOperation({
  id: 'list-faults',
  summary: 'The faults that are set, with how often each struck.',
  method: 'GET',
  path: '/_sim/faults',
  response: z.object({ items: z.array(ListedFault) }),
});

export const deleteFault = defineOperation({
  id: 'delete-fault',
  summary: 'Takes one fault out; what it held is published or sent at once.',
  method: 'DELETE',
  path: '/_sim/faults/{name}',
  response: z.null(),
  status: 204,
  problems: ['not_found'],
});

export const deleteFaults = defineOperation({
  id: 'delete-faults',
  summary: 'Takes all faults out; what they held is published or sent at once.',
  method: 'DELETE',
  path: '/_sim/faults',
  response: z.null(),
  status: 204,
});
