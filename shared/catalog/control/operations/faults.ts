import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { FaultInput, FaultName } from '../faults.ts';

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
    'Sets a fault on calls of an application or an API (latency, status, outage, drop, lost-response, barrier), on an event (duplicate, late, reorder, withhold), or on the carrier’s webhooks (as on events; also bad-signature, stale-timestamp). It replaces a fault of the same name and releases what that one withheld.',
  method: 'PUT',
  path: '/_control/faults/{name}',
  request: FaultInput,
  response: ListedFault,
  problems: ['too_many_faults'],
});

export const listFaults = defineOperation({
  id: 'list-faults',
  summary: 'Lists the faults, with the number of times that each struck.',
  method: 'GET',
  path: '/_control/faults',
  response: z.object({ items: z.array(ListedFault) }),
});

export const deleteFault = defineOperation({
  id: 'delete-fault',
  summary: 'Deletes a fault. Events and webhooks that it withheld are sent at once.',
  method: 'DELETE',
  path: '/_control/faults/{name}',
  response: z.null(),
  status: 204,
  problems: ['not_found'],
});

export const deleteFaults = defineOperation({
  id: 'delete-faults',
  summary: 'Deletes all faults. Events and webhooks that they withheld are sent at once.',
  method: 'DELETE',
  path: '/_control/faults',
  response: z.null(),
  status: 204,
});

export const listFaultPresets = defineOperation({
  id: 'list-fault-presets',
  summary: 'Lists faults under business names, ready for put-fault.',
  method: 'GET',
  path: '/_control/fault-presets',
  response: z.object({
    items: z.array(
      z.object({
        id: FaultName.describe('Name for put-fault.'),
        group: z.string(),
        title: z.string(),
        effect: z.string().describe('What the caller sees.'),
        rule: FaultInput.describe('Body for put-fault.'),
      }),
    ),
  }),
});
