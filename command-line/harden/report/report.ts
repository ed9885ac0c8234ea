import type { HardenRun } from '../../../rehearsal/harden/run.ts';
import { loadDrawing } from '../../output/drawings.ts';
import { prepareFolder, writeFiles } from '../../rehearse/report/report.ts';
import { hardenJunit } from './junit.ts';
import { hardenMarkdown } from './markdown.ts';

/** The files of a report. */
const WRITERS = {
  'harden.json': (run) => `${JSON.stringify(run, null, 2)}\n`,
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
export const writeHardenReport = (run: HardenRun, folder: string): Promise<readonly string[]> => writeFiles(folder, WRITERS, run);
