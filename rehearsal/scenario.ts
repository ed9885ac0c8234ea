import type { CalledId, EventName, EventObject, OperationInput, OperationOutput } from './call-types.ts';
import type { CallOptions, Optionally } from './estate-client.ts';
import type { CallText, Reply, ResponseOf, StepReply } from './reply.ts';

/** A failed expectation of a scenario. */
export class ExpectationFailed extends Error {
  override readonly name = 'ExpectationFailed';
}

export interface StepRecord {
  readonly title: string;
  readonly call: string;
  readonly application: string;
  readonly api: string;
  readonly status: number;
  readonly ms: number;
  /** Names of the events that followed, in order. */
  readonly events: readonly string[];
  /** The id of the step's trace. */
  readonly correlationId: string;
  readonly note?: string;
}

export interface Step<Call extends CallText = CallText, Status extends number = number> {
  readonly title: string;
  readonly call: Call;
  readonly body?: unknown;
  readonly options?: CallOptions;
  /** Expected status; any 2xx by default. */
  readonly status?: Status;
  /** Expected events of the source document, in any order. Not checked when omitted. */
  readonly events?: readonly string[];
}

/** One of several concurrent calls. */
export type PlainStep = Omit<Step, 'title' | 'events' | 'status'>;

export type RepliesOf<Calls extends readonly PlainStep[]> = {
  readonly [Place in keyof Calls]: Reply<ResponseOf<Calls[Place]['call']>>;
};

/** Operations of a scenario on an estate, from outside only. */
export interface Stage {
  /** Calls the estate, prints the step, and checks status and events. @throws ExpectationFailed */
  step<const Call extends CallText, const Status extends number = 200>(step: Step<Call, Status>): Promise<StepReply<Call, Status>>;
  /** Makes several calls concurrently. @returns their replies, in the sequence of the calls */
  together<const Calls extends readonly PlainStep[]>(title: string, calls: Calls): Promise<RepliesOf<Calls>>;
  /** @throws ExpectationFailed unless both are deeply equal */
  expect(what: string, actual: unknown, expected: unknown): void;
  /**
   * Expects calls, events, deliveries, timers and clock moves in this order; others may happen between them.
   * `strict` refuses others of the same kinds. @throws ExpectationFailed with the first step that did not happen, and the most similar one that did
   */
  expectSequence(what: string, sequence: ExpectedSequence, options?: { readonly strict?: boolean }): Promise<void>;
  advance(by: string): Promise<void>;
  fault(name: string, rule: FaultRule): Promise<void>;
  /** Deletes all faults, or the one with a name. */
  noFaults(name?: string): Promise<void>;
  /**
   * The object of the newest event of a type, or of the event at a place, counted from 0. Waits until nothing is pending.
   * @throws ExpectationFailed
   */
  event<const Name extends EventName>(name: Name, place?: number): Promise<EventObject<Name>>;
  /** Runs any other operation of the control plane, such as a stock count. Waits until its consequences have ended. */
  control<Id extends CalledId>(id: Id, ...input: Optionally<OperationInput<Id>>): Promise<OperationOutput<Id>>;
  /** Waits until no event or due work is pending. */
  settle(): Promise<void>;
  /** The rehearsal's clock at the last step, in epoch milliseconds. */
  now(): number;
  /** Plays the carrier: scans a parcel. */
  scan(shipmentId: string, scan: string): Promise<void>;
  /** Plays the bank of a cardholder: disputes a captured payment. */
  dispute(paymentId: string, body: OperationInput<'open-dispute'>['body']): Promise<void>;
  /** Plays the bank of a cardholder: decides the open dispute of a payment. */
  decideDispute(paymentId: string, outcome: OperationInput<'close-dispute'>['body']['outcome']): Promise<void>;
  /** Plays the customer at 3-D Secure. */
  authenticate(paymentId: string, outcome: 'succeeded' | 'failed'): Promise<void>;
  /** Sends a carrier's webhook with a carrier's signature. */
  webhook(
    title: string,
    webhook: { readonly id: string; readonly body: unknown; readonly status: number; readonly secret?: string },
  ): Promise<void>;
}

type ExpectedSequence = OperationInput<'verify-sequence'>['body']['sequence'];

export type FaultRule = OperationInput<'put-fault'>['body'];

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** Numbers of the documented flows that the scenario follows or disturbs. */
  readonly flows: readonly number[];
  readonly pains?: readonly Pain[];
  /** When its clock starts, frozen, unless the run gives another start. Default: now, and the clock flows. */
  readonly startsAt?: string;
  /** Own data of its rehearsal, such as figures of the retailer. Default: the data of the estate. */
  readonly data?: NonNullable<OperationInput<'create-rehearsal'>['body']>['data'];
  readonly run: (stage: Stage) => Promise<void>;
}

/** A scenario of a user. It does not need to follow a documented flow. */
export type OwnScenario = Pick<Scenario, 'name' | 'title' | 'startsAt' | 'data' | 'run'> & Partial<Pick<Scenario, 'flows'>>;

/** Common problems of systems of this kind. Each has at least one scenario. */
export const pains = {
  'split-tender': 'the second of several tenders is declined, and the first has to be reversed',
  'partial-fulfilment': 'an order ships in parts, or a part of it is missing',
  'last-unit': 'many buyers request the last unit at the same time',
  'duplicate-webhooks': 'a webhook arrives twice, late, or forged',
  'out-of-order-events': 'events arrive out of order or twice',
  'unknown-outcome': 'an operation succeeds, but its answer is lost',
  'hold-expires': 'the reservation expires between payment and confirmation',
  'over-refund': 'two concurrent refunds together exceed the payment',
  'loyalty-down': 'the Loyalty Platform is down at checkout, and back later',
  'lost-parcel': 'a parcel is lost and found, or comes back',
} as const;

export type Pain = keyof typeof pains;
