import { z } from 'zod';
import { defineOperation } from '../define-operation.ts';
import { FaultInput, FaultName, MOST_STRUCK } from '../faults.ts';

const ListedFault = z.object({
  name: z.string(),
  match: FaultInput.shape.match,
  fault: z.record(z.string(), z.unknown()),
  times: z.int().optional(),
  skip: z.int().optional(),
  probability: z.number().optional(),
  seed: z.string().optional(),
  hits: z.int(),
  registered: z
    .literal(false)
    .optional()
    .describe('The fault names a webhook that is not registered. It strikes once the webhook is registered.'),
  struck: z
    .array(
      z.object({
        requestId: z.string().optional().describe('A call: the request id of its hop in the journal.'),
        eventId: z.string().optional().describe('An event.'),
        webhookId: z.string().optional().describe('A webhook: its header webhook-id.'),
      }),
    )
    .describe(
      `What the last ${MOST_STRUCK} strikes struck, oldest first. Each entry has one member. A fork or an opened snapshot begins without entries.`,
    ),
});

export const putFault = defineOperation({
  id: 'put-fault',
  summary:
    'Sets a fault on calls of an application or an API (latency, status, outage, drop, lost-response, barrier, expired-token), on an event (duplicate, late, reorder, withhold), or on the webhooks of the carrier or of a registered receiver (as on events; also bad-signature, stale-timestamp). The kinds permitted and forbidden change what clients get of an API, an event or a registered receiver. Replaces a fault of the same name, and releases what the old fault withheld.',
  method: 'PUT',
  path: '/_control/faults/{name}',
  request: FaultInput,
  response: ListedFault,
  problems: ['too_many_faults'],
});

export const listFaults = defineOperation({
  id: 'list-faults',
  summary: 'Lists the faults with the number of their strikes, and what the last ones struck.',
  path: '/_control/faults',
  response: z.object({ items: z.array(ListedFault) }),
});

export const deleteFault = defineOperation({
  id: 'delete-fault',
  summary: 'Deletes a fault and releases the events and webhooks that it withheld.',
  method: 'DELETE',
  path: '/_control/faults/{name}',
  response: z.null(),
  status: 204,
  problems: ['not_found'],
});

export const deleteFaults = defineOperation({
  id: 'delete-faults',
  summary: 'Deletes all faults and releases the events and webhooks that they withheld.',
  method: 'DELETE',
  path: '/_control/faults',
  response: z.null(),
  status: 204,
});

export const listFaultPresets = defineOperation({
  id: 'list-fault-presets',
  summary: 'Lists ready-made faults for put-fault.',
  path: '/_control/fault-presets',
  response: z.object({
    items: z.array(
      z.object({
        id: FaultName.describe('Name for put-fault.'),
        group: z.string(),
        title: z.string(),
        effect: z.string().describe('Effect on the caller.'),
        rule: FaultInput.describe('Body for put-fault.'),
      }),
    ),
  }),
});

export const faultsOperations = [putFault, listFaults, deleteFault, deleteFaults, listFaultPresets] as const;
