import type { z } from 'zod';
import type { Invariant } from '../shared/catalog/control/operations/verification.ts';
import type { Scenario, StepRecord } from './scenario.ts';

/** The topic of a note. */
export type NoteKind = 'fault' | 'clock' | 'calls' | 'carrier' | 'expectation';

/** Receives the progress of a run. */
export interface Report {
  begin(scenario: Scenario, rehearsal: string): void;
  step(record: StepRecord): void;
  note(text: string, kind: NoteKind): void;
  invariants(results: readonly z.output<typeof Invariant>[]): void;
  end(scenario: Scenario, failure: string | undefined): void;
}
