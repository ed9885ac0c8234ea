import type { z } from 'zod';
import type { Run, RunStep, Scenario } from '../../shared/catalog/control/operations/runs.ts';
import type { World } from '../../shared/domain/world.ts';

export type ListedScenario = z.output<typeof Scenario>;
export type RunState = z.output<typeof Run>;
export type RunHead = Omit<RunState, 'steps' | 'invariants'>;
type StepFacts = Omit<z.output<typeof RunStep>, 'number' | 'at' | 'kind'>;

/** Conducts a run. @returns why it failed, if it did */
export type Conduct = (report: RunReport, signal: AbortSignal) => Promise<string | undefined>;

export interface RunReport {
  begin(rehearsal: string, world: World): void;
  step(step: StepFacts): void;
  check(check: StepFacts): void;
  note(text: string): void;
  invariants(results: RunState['invariants']): void;
}

/** Runs scenarios over the gateway's own HTTP address. They are client code, so the process passes them in. */
export interface ScenarioRunner {
  list(): Promise<readonly ListedScenario[]>;
  /** Runs a scenario in a new rehearsal, which it keeps. @param signal stops it before its next step @returns why it failed, if it did */
  run(name: string, report: RunReport, signal: AbortSignal): Promise<string | undefined>;
  /** Aborts the requests of all runs. */
  breakOff(): Promise<void>;
}
