import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Figures are unreliable above this load average of the last minute. */
export const QUIET_LOAD = 0.5;

export interface Quiet {
  /** Load average of the last minute when the wait ended. */
  readonly load: number;
  readonly isQuiet: boolean;
  readonly waitedSeconds: number;
}

interface QuietWait {
  /** Longest wait in seconds; 0 for none. */
  readonly atMost: number;
  readonly progress: (text: string) => void;
  readonly load?: () => number;
  readonly pollMs?: number;
}

const POLL_MS = 10_000;

/** Waits until the load of the machine is low. */
export async function waitUntilQuiet({ atMost, progress, load = loadOfLastMinute, pollMs = POLL_MS }: QuietWait): Promise<Quiet> {
  const started = performance.now();
  for (;;) {
    const now = load();
    const waitedSeconds = Math.round((performance.now() - started) / 1_000);
    if (now < QUIET_LOAD || waitedSeconds >= atMost) return { load: now, isQuiet: now < QUIET_LOAD, waitedSeconds };
    progress(`the load is ${now.toFixed(1)}: waiting until it is below ${QUIET_LOAD}, for ${atMost - waitedSeconds} s at most`);
    await sleep(Math.min(pollMs, (atMost - waitedSeconds) * 1_000));
  }
}

const loadOfLastMinute = (): number => loadavg()[0] ?? 0;

/** A sentence about the load of the machine, for the reader of the figures. */
export const quietText = ({ load, isQuiet, waitedSeconds }: Quiet): string =>
  isQuiet
    ? `The load was ${load.toFixed(1)} when the run began.`
    : `THE MACHINE WAS BUSY: the load was ${load.toFixed(1)} when the run began, after a wait of ${waitedSeconds} s. It must be below ${QUIET_LOAD}; record none of these figures.`;
