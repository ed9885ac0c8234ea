import type { CallOptions, Reply } from './estate-client.ts';

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
}

export interface FaultRule {
  readonly match: { readonly application?: string; readonly api?: string };
  readonly fault: Readonly<Record<string, unknown>> & { readonly kind: string };
  readonly times?: number;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly run: (stage: Stage) => Promise<void>;
}
