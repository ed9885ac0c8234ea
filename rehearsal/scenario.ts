import type { CallOptions, Reply } from './estate-client.ts';
import type { Pain } from './pains.ts';

/** An expectation of a scenario that did not hold. */
export class ExpectationFailed extends Error {
  override readonly name = 'ExpectationFailed';
}

/** One step as it happened. */
export interface StepRecord {
  readonly title: string;
  readonly call: string;
  readonly application: string;
  readonly api: string;
  readonly status: number;
  readonly ms: number;
  /** Names of the events that followed, in order. */
  readonly events: readonly string[];
  readonly note?: string;
}

export interface Step {
  readonly title: string;
  readonly call: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;
  readonly body?: unknown;
  readonly options?: CallOptions;
  /** The status that this step must have; any 2xx by default. */
  readonly status?: number;
  /** Events of the source document that must follow, in any order; none by default is not checked. */
  readonly events?: readonly string[];
}

/** What a scenario does with an estate. It talks to it from outside only. */
export interface Stage {
  /** Calls the estate, prints the step, checks status and events. @throws ExpectationFailed */
  step(step: Step): Promise<Reply>;
  /** Several calls at once; their replies in the order given. */
  together(title: string, calls: readonly Omit<Step, 'title' | 'events' | 'status'>[]): Promise<readonly Reply[]>;
  /** @throws ExpectationFailed unless both are deeply equal */
  expect(what: string, actual: unknown, expected: unknown): void;
  advance(by: string): Promise<void>;
  fault(name: string, rule: FaultRule): Promise<void>;
  noFaults(): Promise<void>;
  /** Waits until nothing is on its way. */
  settle(): Promise<void>;
  /** The rehearsal's clock when the scenario was at its last step, in epoch milliseconds. */
  now(): number;
  /** Plays the carrier: scans a parcel. */
  scan(shipmentId: string, scan: string): Promise<void>;
  /** Sends a carrier's webhook, signed as a carrier signs it. */
  webhook(
    title: string,
    webhook: { readonly id: string; readonly body: unknown; readonly status: number; readonly secret?: string },
  ): Promise<void>;
}

export interface FaultRule {
  readonly match: { readonly application?: string; readonly api?: string; readonly event?: string };
  readonly fault: Readonly<Record<string, unknown>> & { readonly kind: string };
  readonly times?: number;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** Numbers of the documented flows that it goes through, or breaks. */
  readonly flows: readonly number[];
  readonly pains?: readonly Pain[];
  readonly run: (stage: Stage) => Promise<void>;
}
