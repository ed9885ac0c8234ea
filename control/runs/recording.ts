import { isOpen } from '../../shared/catalog/control/run-states.ts';
import { redactedStart } from '../../shared/domain/redaction.ts';
import { shortened } from '../../shared/domain/text.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';
import type { Logger } from '../../shared/process/logger.ts';
import type { KeptRun, RunRecord, RunStore } from '../../shared/store/ports/runs.ts';
import type { RunHead, RunReport, RunState } from './scenario-runner.ts';

/** Wall time after which a run that its gateway no longer records counts as failed. */
export const LEASE_MS: Ms = 10_000;
/** A record is read and written as a whole, so it is bounded. */
const MOST_STEPS = 500;
const MOST_VIOLATIONS = 20;
const LONGEST_TEXT = 500;

interface RecordingOptions {
  readonly store: RunStore;
  readonly log: Logger;
  /** Another gateway has ended the run. */
  readonly onTaken: () => void;
}

/** Records the progress of a run of this process. Writes keep the order; one write may have several changes. */
export function startRecording(first: RunState, { store, log, onTaken }: RecordingOptions) {
  let [run, written, version] = [first, first, 1];
  let writing: Promise<void> | undefined;
  let isTaken = false;

  async function write(): Promise<void> {
    try {
      while (written !== run && !isTaken) {
        const next = run;
        if (await store.updateRun(recordOf(next, version + 1), isOpen(next) ? LEASE_MS : undefined)) {
          version += 1;
          written = next;
        } else {
          isTaken = true;
          onTaken();
        }
      }
    } catch (error) {
      // The next change writes this one too.
      log.warn({ err: error, run: run.id }, 'recording a run failed');
    } finally {
      // This runs in the same synchronous step as the last check, so a later change starts a new write.
      writing = undefined;
    }
  }

  function change(by: Partial<RunState>): Promise<void> {
    run = { ...run, ...by };
    writing ??= write();
    return writing;
  }

  function add(step: Omit<RunState['steps'][number], 'number' | 'at'>): void {
    const number = run.steps.length + 1;
    if (number > MOST_STEPS) return;
    const { title, detail } = step;
    const texts = { title: textOf(title), detail: detail && textOf(detail) };
    void change({ steps: [...run.steps, { number, at: instant(Date.now()), ...step, ...texts }] });
  }

  const report: RunReport = {
    begin: (rehearsal, world) => void change({ rehearsal, world }),
    step: (step) => add({ kind: 'step', ...step }),
    check: (check) => add({ kind: 'check', ...check }),
    note: (title) => add({ kind: 'note', title }),
    invariants: (invariants) =>
      void change({ invariants: invariants.map((one) => ({ ...one, violations: one.violations.slice(0, MOST_VIOLATIONS) })) }),
  };

  return {
    report,
    run: (): RunState => run,
    begin: (): void => void change({ state: 'running', startedAt: instant(Date.now()) }),
    async end(failure: string | undefined): Promise<void> {
      const why = failure === undefined ? {} : { failure: textOf(failure) };
      await change({ state: failure === undefined ? 'passed' : 'failed', endedAt: instant(Date.now()), ...why });
      // A write that ran before may have failed.
      if (written !== run && !isTaken) await change({});
    },
  };
}

const textOf = (text: string): string => shortened(redactedStart(text), LONGEST_TEXT);

/** The failure of a run whose gateway has stopped. */
export const ITS_GATEWAY_STOPPED = 'The gateway that ran it stopped.';

export function recordOf({ steps, invariants, ...head }: RunState, version: number): RunRecord {
  return { id: head.id, version, head: JSON.stringify(head), body: JSON.stringify({ steps, invariants }) };
}

/** A run whose gateway no longer renews its lease has failed. */
export function headOf({ head, held }: Pick<KeptRun, 'head' | 'held'>): RunHead {
  const run = JSON.parse(head) as RunHead;
  return isOpen(run) && !held ? { ...run, state: 'failed', failure: ITS_GATEWAY_STOPPED } : run;
}

export const runOf = (kept: KeptRun): RunState => ({
  ...headOf(kept),
  ...(JSON.parse(kept.body) as Pick<RunState, 'steps' | 'invariants'>),
});
