import type { Ms } from '../../domain/time.ts';

/** A run of a scenario, as the gateway that runs it records it. */
export interface RunRecord {
  readonly id: string;
  /** Number of the record of this run, from 1. An older record never replaces a newer one. */
  readonly version: number;
  /** What a list shows of the run (JSON). */
  readonly head: string;
  /** The rest (JSON). */
  readonly body: string;
}

/** A recorded run. `held`: its lease has not expired, because its gateway renewed it in time. */
export type KeptRun = RunRecord & { readonly held: boolean };

/** The runs of the estate, so that every gateway can return each of them. They belong to no rehearsal. A lease is in wall time. */
export interface RunStore {
  addRun(run: RunRecord, leaseMs: Ms): Promise<void>;
  /**
   * Records the progress of a run. Without a lease the run has ended: no later record replaces this one.
   * @returns false when the run has ended or was removed, or when this record is not the next one
   */
  updateRun(run: RunRecord, leaseMs: Ms | undefined): Promise<boolean>;
  /** @returns false when the run has ended or was removed */
  renewRun(id: string, leaseMs: Ms): Promise<boolean>;
  /** Oldest first. */
  runs(): Promise<readonly Omit<KeptRun, 'body'>[]>;
  run(id: string): Promise<KeptRun | undefined>;
  /** @returns false when there was none */
  removeRun(id: string): Promise<boolean>;
}
