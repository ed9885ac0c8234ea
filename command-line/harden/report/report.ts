import { join } from 'node:path';
import type { HardenRun } from '../../../rehearsal/harden/run.ts';
import { pause } from '../../../shared/process/waiting.ts';
import { loadDrawing } from '../../output/drawings.ts';
import { replaceGiven } from '../../output/written-file.ts';
import { prepareFolder, writeFiles } from '../../rehearse/report/report.ts';
import { hardenJunit } from './junit.ts';
import { hardenMarkdown } from './markdown.ts';

/** The run as data, which `--resume`, `--again` and `--accept` read. */
export const RUN_FILE = 'harden.json';

/** The files of a report. */
const WRITERS = {
  [RUN_FILE]: (run) => `${JSON.stringify(run, null, 2)}\n`,
  'junit.xml': hardenJunit,
  'summary.md': hardenMarkdown,
  'index.html': async (run) => {
    const { hardenHtml, styles } = await loadDrawing('harden-report');
    return hardenHtml(run, styles);
  },
} as const satisfies Readonly<Record<string, (run: HardenRun) => string | Promise<string>>>;

/**
 * Makes the folder and empties its files, so that an earlier report is not mistaken for this one.
 * @throws CommandFailure when it cannot be written, or when its page cannot be drawn
 */
export async function prepareHardenReport(folder: string): Promise<void> {
  await prepareFolder(folder, Object.keys(WRITERS));
  await loadDrawing('harden-report');
}

/** @returns the files @throws CommandFailure that names the files that could not be written; the others are written */
export const writeHardenReport = (run: HardenRun, folder: string): Promise<readonly string[]> =>
  writeFiles(folder, WRITERS, run, replaceGiven);

/** A write is followed by a pause of so many times its length, so that the writes of a large run take five percent of its time. */
const PAUSES_PER_WRITE = 19;

/** Keeps what is known while a run lasts, so that a run that is killed can be continued. */
export function keepsRunIn(folder: string) {
  const file = join(folder, RUN_FILE);
  const closed = new AbortController();
  let latest: HardenRun | undefined;
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    while (latest !== undefined && !closed.signal.aborted) {
      const [run, began] = [latest, performance.now()];
      latest = undefined;
      // The end of the run reports a file that cannot be written.
      await replaceGiven(file, WRITERS[RUN_FILE](run)).catch(() => undefined);
      await pause(PAUSES_PER_WRITE * (performance.now() - began), closed.signal);
    }
    writing = undefined;
  }

  return {
    keep(run: HardenRun): void {
      latest = run;
      writing ??= write();
    },
    /** Ends the writing, before the report itself is written. */
    async close(): Promise<void> {
      closed.abort();
      await writing;
    },
  };
}
