import { z } from 'zod';
import { REHEARSAL_NAME } from '../../domain/ids.ts';
import { Product } from '../commerce/objects.ts';
import { Customer } from '../customer/objects.ts';
import type { Method, PathParameter } from '../define.ts';
import { moveReturn } from '../fulfillment/internal.ts';
import { Return } from '../fulfillment/returns.ts';
import { Shipment } from '../fulfillment/shipments.ts';
import { countStock } from '../inventory/internal.ts';
import { InventoryItem } from '../inventory/objects.ts';
import type { ProblemCode } from '../problems.ts';
import { AnyInstant, exactlyOne, Instant, queryInteger } from '../shapes.ts';
import { EventType, FaultInput } from './faults.ts';
import { Progression, ProgressionInput } from './progression.ts';

/**
 * The simulation plane as data, under `/_sim` at the gateway: routes, validation, the typed client and the OpenAPI document come
 * from here. Every operation is about the rehearsal that the credential or the header `X-Rehearsal` names, and counts as its use. None
 * creates a rehearsal by naming it: only `create-rehearsal` does, and the first use of a name at an API.
 */
export interface ControlOperation<
  Id extends string = string,
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly id: Id;
  readonly summary: string;
  readonly method: Method;
  readonly path: Path;
  readonly query: Query;
  readonly request: Request;
  readonly response: Response;
  readonly status: 200 | 201 | 204;
  readonly problems: readonly ProblemCode[];
}

type Nothing = z.ZodObject<Record<never, never>, z.core.$strict>;

function defineOperation<
  const Id extends string,
  const Path extends `/_sim/${string}`,
  Response extends z.ZodType,
  Query extends z.ZodObject = Nothing,
  Request extends z.ZodType = Nothing,
>(input: {
  readonly id: Id;
  readonly summary: string;
  readonly method: Method;
  readonly path: Path;
  readonly query?: Query;
  readonly request?: Request;
  readonly response: Response;
  readonly status?: 200 | 201 | 204;
  readonly problems?: readonly ProblemCode[];
}): ControlOperation<Id, Path, Query, Request, Response> {
  return {
    ...input,
    query: input.query ?? (z.strictObject({}) as unknown as Query),
    request: input.request ?? (z.strictObject({}) as unknown as Request),
    status: input.status ?? 200,
    problems: input.problems ?? [],
  };
}

export type ControlInput<O> =
  O extends ControlOperation<string, infer Path, infer Query, infer Request, z.ZodType>
    ? { readonly params: Readonly<Record<PathParameter<Path>, string>>; readonly query: z.output<Query>; readonly body: z.output<Request> }
    : never;
export type ControlCall<O> =
  O extends ControlOperation<string, infer Path, infer Query, infer Request, z.ZodType>
    ? Section<'params', Readonly<Record<PathParameter<Path>, string>>> &
        Section<'query', z.input<Query>> &
        Section<'body', z.input<Request>>
    : never;
export type ControlOutput<O> =
  O extends ControlOperation<string, string, z.ZodObject, z.ZodType, infer Response> ? z.output<Response> : never;

type Section<Name extends string, T> = Record<never, never> extends T ? { readonly [K in Name]?: T } : { readonly [K in Name]: T };

const RehearsalName = z.string().regex(REHEARSAL_NAME).meta({ description: 'Lower-case letters, digits and hyphens, at most 40.' });
const TimeoutMs = z.int().min(0).max(120_000).default(10_000).describe('Wall time after which the answer says what it still waits for.');
const WaitingFor = z.array(z.string()).describe('Empty when settled: unsent events, pending deliveries and due work that still run.');

const Rehearsal = z.object({ name: RehearsalName, world: z.string(), createdAt: z.string(), now: Instant });
const ListedRehearsal = Rehearsal.partial({ world: true, createdAt: true, now: true }).extend({
  lastUsedAt: Instant.describe('Wall time. Requests and operations of a rehearsal are its use.'),
  endsAt: Instant.optional().describe('Wall time at which it ends if nobody uses it. Absent: it is kept.'),
  contents: z
    .object({ objects: z.int(), events: z.int(), journal: z.int().describe('Records.'), bytes: z.int().describe('Approximately.') })
    .optional(),
  trouble: z.string().optional().describe('Why the rest cannot be said.'),
});
const Ran = z.object({ application: z.string(), kind: z.string(), key: z.string(), at: Instant });
const Withheld = z.object({
  what: z.enum(['event', 'webhook']),
  id: z.string(),
  type: z.string().optional(),
  subject: z.string().optional(),
  fault: z.string(),
  until: Instant.optional().describe('Absent: until the fault is deleted.'),
});
const Parked = z.object({ what: z.string(), key: z.string(), error: z.string(), at: Instant });
const ListedEvent = z.object({ order: z.int(), event: z.record(z.string(), z.unknown()) });

export const createRehearsal = defineOperation({
  id: 'create-rehearsal',
  summary: 'Creates an isolated world, freshly seeded, with credentials that are bound to it and shown this once.',
  method: 'POST',
  path: '/_sim/rehearsals',
  request: z.strictObject({
    name: RehearsalName.optional(),
    idleExpiry: z.string().max(64).optional().meta({
      format: 'duration',
      description:
        'ISO 8601 duration of wall time without use after which it ends, PT1S to P366D; REHEARSAL_IDLE_EXPIRY without it. Not together with keep.',
    }),
    keep: z.boolean().default(false).describe('It stays until it is deleted.'),
  }),
  response: Rehearsal.extend({
    credentials: z.object({
      bearer: z.string(),
      apiKey: z.string(),
      webhookSecret: z.string().describe('Signs the carrier’s webhooks.'),
      webhookUrl: z.string().describe('Where a carrier sends them: a path at the gateway.'),
    }),
  }),
  status: 201,
  problems: ['rehearsal_exists', 'too_many_rehearsals'],
});

export const listRehearsals = defineOperation({
  id: 'list-rehearsals',
  summary: 'All rehearsals there are: when each ends, and what it holds.',
  method: 'GET',
  path: '/_sim/rehearsals',
  response: z.object({ items: z.array(ListedRehearsal) }),
});

export const deleteRehearsal = defineOperation({
  id: 'delete-rehearsal',
  summary: 'Forgets a rehearsal; its credentials no longer let anybody in. The default one can only be reset.',
  method: 'DELETE',
  path: '/_sim/rehearsals/{name}',
  response: z.null(),
  status: 204,
  problems: ['unknown_rehearsal', 'forbidden'],
});

export const resetRehearsal = defineOperation({
  id: 'reset-rehearsal',
  summary: 'Makes the rehearsal as freshly seeded: data, due work, faults, clock, journal and events.',
  method: 'POST',
  path: '/_sim/reset',
  response: Rehearsal,
});

export const readClock = defineOperation({
  id: 'read-clock',
  summary: 'The rehearsal’s clock.',
  method: 'GET',
  path: '/_sim/clock',
  response: z.object({ now: Instant, flowing: z.boolean() }),
});

export const setClock = defineOperation({
  id: 'set-clock',
  summary: 'Lets time flow as the wall clock does, or stops it where it is.',
  method: 'PUT',
  path: '/_sim/clock',
  request: z.strictObject({ flowing: z.boolean() }),
  response: z.object({ now: Instant, flowing: z.boolean() }),
  problems: ['clock_busy'],
});

export const advanceClock = defineOperation({
  id: 'advance-clock',
  summary: 'Moves the clock forward and runs what falls due on the way, in order; answers when the estate is quiet.',
  method: 'POST',
  path: '/_sim/clock/advance',
  request: exactlyOne(
    z.strictObject({
      by: z.string().max(64).optional().meta({
        format: 'duration',
        description: 'ISO 8601 duration in weeks, days, hours, minutes and seconds: PT15M, P2D. At most 10 years.',
      }),
      to: AnyInstant.optional().describe('An instant, not before now, at most 10 years ahead and not after the year 9998.'),
      timeoutMs: TimeoutMs.default(60_000).describe(
        'Wall time for all of it. When it is over, the answer says what ran, where the clock stands and what it waits for.',
      ),
    }),
    ['by', 'to'],
  ),
  response: z.object({ now: Instant, ran: z.array(Ran), settled: z.boolean(), waitingFor: WaitingFor }),
  problems: ['clock_busy'],
});

export const settle = defineOperation({
  id: 'settle',
  summary: 'Waits until nothing is on its way: no unsent event, no pending delivery, no due work that still runs.',
  method: 'POST',
  path: '/_sim/settle',
  request: z.strictObject({ timeoutMs: TimeoutMs }),
  response: z.object({
    settled: z.boolean(),
    waitingFor: WaitingFor,
    parked: z.array(Parked).describe('What was given up. It can be driven again.'),
    withheld: z.array(Withheld).describe('What faults keep: owed, and not on its way. Deleting the fault lets it go.'),
  }),
});

export const listParked = defineOperation({
  id: 'list-parked',
  summary: 'What was given up after it had failed too often: deliveries of events, and due work.',
  method: 'GET',
  path: '/_sim/parked',
  response: z.object({ items: z.array(Parked) }),
});

export const redriveParked = defineOperation({
  id: 'redrive-parked',
  summary: 'Drives again what was given up: one by its key, or everything. What fails again is parked again.',
  method: 'POST',
  path: '/_sim/parked/redrive',
  request: z.strictObject({ key: z.string().min(1).max(512).optional().describe('As it is listed; without it, everything.') }),
  response: z.object({
    redriven: z.array(Parked.pick({ what: true, key: true })).describe('It runs now; settle waits for it.'),
    left: z.array(Parked.pick({ what: true, key: true })).describe('Deliveries whose event is not on the bus yet.'),
  }),
  problems: ['not_found'],
});

export const listEvents = defineOperation({
  id: 'list-events',
  summary: 'Events that are on the bus, in the order in which they got there.',
  method: 'GET',
  path: '/_sim/events',
  query: z.strictObject({
    type: EventType.optional(),
    subject: z.string().max(160).optional().describe('payment/pay_…'),
    correlationId: z.string().max(128).optional(),
    after: queryInteger(0, Number.MAX_SAFE_INTEGER).default(0).describe('The next of the answer before.'),
    limit: queryInteger(1, 1_000).default(100),
    ext: z.enum(['true', 'false']).default('false').describe('Include the additional events.'),
  }),
  response: z.object({ items: z.array(ListedEvent), next: z.int() }),
});

export const waitForEvents = defineOperation({
  id: 'wait-for-events',
  summary: 'Waits until so many events of a type are on the bus.',
  method: 'POST',
  path: '/_sim/events/wait',
  request: z.strictObject({
    type: EventType,
    subject: z.string().max(160).optional(),
    count: z.int().min(1).max(1_000).default(1),
    after: z.int().min(0).default(0),
    timeoutMs: TimeoutMs,
  }),
  response: z.object({ found: z.boolean(), items: z.array(ListedEvent), next: z.int() }),
});

export const readObject = defineOperation({
  id: 'read-object',
  summary: 'Any business object, also those that no API reads.',
  method: 'GET',
  path: '/_sim/objects/{type}/{id}',
  response: z.record(z.string(), z.unknown()),
  problems: ['not_found'],
});

export const readProgression = defineOperation({
  id: 'read-progression',
  summary: 'What moves by itself in this rehearsal.',
  method: 'GET',
  path: '/_sim/progression',
  response: Progression,
});

export const setProgression = defineOperation({
  id: 'set-progression',
  summary: 'Sets what moves by itself; what is left out stays as it is. Parcels and orders that are on their way follow at once.',
  method: 'PUT',
  path: '/_sim/progression',
  request: ProgressionInput,
  response: Progression,
});

export const playScan = defineOperation({
  id: 'play-scan',
  summary: 'Plays the carrier: scans a parcel, which the estate hears of by signed webhook.',
  method: 'POST',
  path: '/_sim/shipments/{id}/{scan}',
  request: z.strictObject({ location: z.string().min(1).max(120).optional(), message: z.string().min(1).max(200).optional() }),
  response: Shipment,
  problems: ['not_found', 'invalid_state_transition'],
});

export const moveReturnByHand = defineOperation({
  id: 'move-return-by-hand',
  summary: 'Plays policy, store, warehouse and customer service: approve, reject, receive, inspect or write-off a return.',
  method: 'POST',
  path: '/_sim/returns/{id}/{verb}',
  request: moveReturn.request.omit({ verb: true }),
  response: Return,
  problems: [
    'not_found',
    'invalid_state_transition',
    'insufficient_stock',
    'dependency_unavailable',
    'dependency_timeout',
    'dependency_error',
  ],
});

export const moveProductByHand = defineOperation({
  id: 'move-product-by-hand',
  summary: 'Plays assortment management: enrich, submit, rework, approve, suspend, resume, discontinue or archive a product, by id or SKU.',
  method: 'POST',
  path: '/_sim/products/{id}/{verb}',
  response: Product,
  problems: ['not_found', 'invalid_state_transition'],
});

export const moveCustomerByHand = defineOperation({
  id: 'move-customer-by-hand',
  summary: 'Plays customer service: block or unblock a customer.',
  method: 'POST',
  path: '/_sim/customers/{id}/{verb}',
  response: Customer,
  problems: ['not_found', 'invalid_state_transition'],
});

export const countStockByHand = defineOperation({
  id: 'count-stock-by-hand',
  summary: 'Plays a stock count: so many units of a SKU are on hand at a location.',
  method: 'PUT',
  path: '/_sim/stock/{sku}/{locationId}',
  request: z.strictObject({ onHand: countStock.request.shape.onHand }),
  response: InventoryItem,
  problems: ['not_found', 'insufficient_stock'],
});

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

export const controlOperations = {
  [createRehearsal.id]: createRehearsal,
  [listRehearsals.id]: listRehearsals,
  [deleteRehearsal.id]: deleteRehearsal,
  [resetRehearsal.id]: resetRehearsal,
  [readClock.id]: readClock,
  [setClock.id]: setClock,
  [advanceClock.id]: advanceClock,
  [settle.id]: settle,
  [listParked.id]: listParked,
  [redriveParked.id]: redriveParked,
  [listEvents.id]: listEvents,
  [waitForEvents.id]: waitForEvents,
  [readObject.id]: readObject,
  [readProgression.id]: readProgression,
  [setProgression.id]: setProgression,
  [playScan.id]: playScan,
  [moveReturnByHand.id]: moveReturnByHand,
  [moveProductByHand.id]: moveProductByHand,
  [moveCustomerByHand.id]: moveCustomerByHand,
  [countStockByHand.id]: countStockByHand,
  [putFault.id]: putFault,
  [listFaults.id]: listFaults,
  [deleteFault.id]: deleteFault,
  [deleteFaults.id]: deleteFaults,
  [readJournal.id]: readJournal,
  [verify.id]: verify,
} as const;

export type ControlId = keyof typeof controlOperations;
