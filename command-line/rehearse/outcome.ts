import type { Scenario, StepRecord } from '../../rehearsal/scenario.ts';
import type { Report } from '../../rehearsal/stage.ts';

type Invariants = Parameters<Report['invariants']>[0];

/** A run as `--json` prints it. */
export interface Outcome {
  readonly name: string;
  readonly title: string;
  readonly flows: readonly number[];
  rehearsal: string | undefined;
  passed: boolean;
  failure: string | undefined;
  ms: number;
  readonly steps: StepRecord[];
  invariants: Invariants;
}

export function collect({ name, title, flows }: Scenario): { readonly outcome: Outcome; readonly report: Report } {
  const outcome: Outcome = {
    name,
    title,
    flows,
    rehearsal: undefined,
    passed: false,
    failure: undefined,
    ms: 0,
    steps: [],
    invariants: [],
  };
  const report: Report = {
    begin: (_scenario, rehearsal) => {
      outcome.rehearsal = rehearsal;
    },
    step: (record) => void outcome.steps.push(record),
    note: () => undefined,
    invariants: (results) => {
      outcome.invariants = results;
    },
    end: (_scenario, failure) => {
      outcome.failure ??= failure;
    },
  };
  return { outcome, report };
}

/** Forwards a run to several reports. */
export const toAll = (reports: readonly Partial<Report>[]): Report => ({
  begin: (...all) => reports.forEach((one) => void one.begin?.(...all)),
  step: (...all) => reports.forEach((one) => void one.step?.(...all)),
  note: (...all) => reports.forEach((one) => void one.note?.(...all)),
  invariants: (...all) => reports.forEach((one) => void one.invariants?.(...all)),
  end: (...all) => reports.forEach((one) => void one.end?.(...all)),
});
