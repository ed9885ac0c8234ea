import { z } from 'zod';
import { Instant, queryInteger } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { EventType } from '../faults.ts';

export const TimeoutMs = z.int().min(0).max(120_000).default(10_000).describe('Wall time limit, after which the operation always answers.');
export const WaitingFor = z.array(z.string()).describe('Unsent events, pending deliveries and running due work. Empty when settled.');

export const Unseen = z
  .array(z.string())
  .optional()
  .describe('Swapped applications: whether their real systems have work left is unknown. Absent in a rehearsal without swaps.');

export const Parked = z.object({ what: z.string(), key: z.string(), error: z.string(), at: Instant });
export const Withheld = z.object({
  what: z.enum(['event', 'webhook']),
  id: z.string(),
  type: z.string().optional(),
  subject: z.string().optional(),
  fault: z.string(),
  until: Instant.optional().describe('Absent if it is withheld until the fault is deleted.'),
});
export const ListedEvent = z.object({ order: z.int(), event: z.record(z.string(), z.unknown()) });

export const listParked = defineOperation({
  id: 'list-parked',
  summary: 'Lists parked work: event deliveries and due work that were refused too often, or whose application was down for a week.',
  path: '/_control/parked',
  response: z.object({ items: z.array(Parked) }),
});

export const redriveParked = defineOperation({
  id: 'redrive-parked',
  summary: 'Runs parked work again: one item by its key, or all. An item that fails again is parked again.',
  method: 'POST',
  path: '/_control/parked/redrive',
  request: z.strictObject({ key: z.string().min(1).max(512).optional().describe('Key of one item, as listed. Default: all items.') }),
  response: z.object({
    redriven: z.array(Parked.pick({ what: true, key: true })).describe('Items that are running again. settle waits for them.'),
    left: z.array(Parked.pick({ what: true, key: true })).describe('Deliveries whose event is not on the bus yet.'),
  }),
  problems: ['not_found'],
});

export const listEvents = defineOperation({
  id: 'list-events',
  summary: 'Lists events on the bus, oldest first.',
  path: '/_control/events',
  query: z.strictObject({
    type: EventType.optional(),
    subject: z.string().max(160).optional().describe('payment/pay_…'),
    correlationId: z.string().max(128).optional().describe('Only events of the request with this correlation id.'),
    after: queryInteger(0, Number.MAX_SAFE_INTEGER).default(0).describe('The member `next` of the previous answer.'),
    limit: queryInteger(1, 1_000).default(100).describe('Maximum number of events in an answer.'),
    ext: z
      .enum(['true', 'false'])
      .default('false')
      .describe('Include the additional events. An additional event that `type` names is always included.'),
  }),
  response: z.object({ items: z.array(ListedEvent), next: z.int() }),
});

export const waitForEvents = defineOperation({
  id: 'wait-for-events',
  summary: 'Waits until the bus has a number of events of a type.',
  method: 'POST',
  path: '/_control/events/wait',
  request: z.strictObject({
    type: EventType,
    subject: z.string().max(160).optional().describe('Only events about this object, such as order/ord_01M…'),
    count: z.int().min(1).max(1_000).default(1).describe('Number of events to wait for.'),
    after: z.int().min(0).default(0).describe('Only events after this position on the bus.'),
    timeoutMs: TimeoutMs,
  }),
  response: z.object({ found: z.boolean(), items: z.array(ListedEvent), next: z.int() }),
});

export const readEvent = defineOperation({
  id: 'read-event',
  summary: 'Reads an event and its state at each subscriber.',
  path: '/_control/events/{id}',
  response: z.object({
    order: z.int().optional().describe('Position on the bus. Absent while the event is not on the bus.'),
    topic: z.string(),
    event: z.record(z.string(), z.unknown()),
    consumers: z.array(
      z.object({
        application: z.string(),
        state: z.enum(['pending', 'consumed', 'parked', 'withheld']),
        attempts: z.int().describe('Hops of this delivery.'),
        requestId: z.string().optional().describe('Request id of its latest hop.'),
        status: z.int().optional().describe('Status of its latest hop.'),
        error: z.string().optional().describe('Error of a parked delivery.'),
      }),
    ),
  }),
  problems: ['not_found'],
});

export const eventsOperations = [listParked, redriveParked, listEvents, readEvent, waitForEvents] as const;
