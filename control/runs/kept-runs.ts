import type { KeptRun, RunRecord } from '../../shared/store/ports/runs.ts';
import type { RunHead, RunState } from './scenario-runner.ts';

/** The failure of a run whose gateway has stopped. */
export const ITS_GATEWAY_STOPPED = 'The gateway that ran it stopped.';

export function recordOf({ steps, invariants, ...head }: RunState, version: number): RunRecord {
  return { id: head.id, version, head: JSON.stringify(head), body: JSON.stringify({ steps, invariants }) };
}

export const isOpen = ({ state }: Pick<RunHead, 'state'>): boolean => state === 'waiting' || state === 'running';

/** A run whose gateway no longer renews its lease has failed. */
export function headOf({ head, held }: Pick<KeptRun, 'head' | 'held'>): RunHead {
  const run = JSON.parse(head) as RunHead;
  return isOpen(run) && !held ? { ...run, state: 'failed', failure: ITS_GATEWAY_STOPPED } : run;
}

export const runOf = (kept: KeptRun): RunState => ({
  ...headOf(kept),
  ...(JSON.parse(kept.body) as Pick<RunState, 'steps' | 'invariants'>),
});
