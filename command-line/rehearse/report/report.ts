import { dirname, join, resolve } from 'node:path';
import { errorMessage } from '../../../shared/domain/text.ts';
import type { ReportedRun } from '../../../ui/report/recorded.ts';
import { CommandFailure, EXIT, misuse } from '../../failure.ts';
import { loadDrawing } from '../../output/drawings.ts';
import { emptyGiven, makeFolder, writeGiven } from '../../output/written-file.ts';
import type { ChosenScenario } from '../choice.ts';
import { removeWorlds } from './failing-world.ts';
import { junitOf } from './junit.ts';
import { markdownOf } from './markdown.ts';

/** The files of a report. */
const WRITERS = {
  'junit.xml': junitOf,
  'summary.md': markdownOf,
  'report.html': async (run: ReportedRun) => {
    const { reportHtml, styles } = await loadDrawing('report');
    return reportHtml(run, styles);
  },
} as const satisfies Readonly<Record<string, (run: ReportedRun) => string | Promise<string>>>;

/**
 * Makes the folder and empties its files, so that an earlier report is not mistaken for this one.
 * @throws CommandFailure when it cannot be written, or when its page cannot be drawn
 */
export async function prepareReport(folder: string, chosen: readonly ChosenScenario[]): Promise<void> {
  await prepareFolder(folder, Object.keys(WRITERS), () => removeWorlds(folder, chosen));
  await loadDrawing('report');
}

/** Makes the folder of a report and empties these files. @throws CommandFailure when it cannot be written */
export async function prepareFolder(folder: string, names: readonly string[], more?: () => Promise<void>): Promise<void> {
  if (folder.trim() === '') throw misuse('--report needs the name of a folder, such as --report report.');
  try {
    await makeFolder(resolve(folder));
    for (const name of names) await emptyGiven(join(folder, name));
    await more?.();
  } catch (error) {
    throw misuse(`The report cannot be written to ${folder}: ${errorMessage(error)}; name another folder with --report.`);
  }
}

/** Empties one file of a report, and makes its folder. @throws CommandFailure when it cannot be written */
export async function prepareReportFile(file: string): Promise<void> {
  try {
    await makeFolder(dirname(resolve(file)));
    await emptyGiven(file);
  } catch (error) {
    throw misuse(`${file} cannot be written: ${errorMessage(error)}; name another file.`);
  }
}

/** @throws CommandFailure when it cannot be written */
export async function writeReportFile(name: 'junit.xml' | 'report.html', file: string, run: ReportedRun): Promise<void> {
  const text = await WRITERS[name](run);
  await writeGiven(file, text).catch((error: unknown) => {
    throw new CommandFailure(`${file} could not be written: ${errorMessage(error)}.`, EXIT.fails);
  });
}

/** @returns the files @throws CommandFailure that names the files that could not be written; the others are written */
export async function writeReport(folder: string, run: ReportedRun): Promise<readonly string[]> {
  const files = await writeFiles(folder, WRITERS, run);
  return [...files, ...run.scenarios.flatMap(({ world }) => (world && 'file' in world ? [join(folder, world.file)] : []))];
}

type Writers<Run> = Readonly<Record<string, (run: Run) => string | Promise<string>>>;

/** Writes a run in several formats. @returns the files @throws CommandFailure that names the files that could not be written */
export async function writeFiles<Run>(
  folder: string,
  writers: Writers<Run>,
  run: Run,
  writeFile: (file: string, text: string) => Promise<void> = writeGiven,
): Promise<readonly string[]> {
  const mistakes: string[] = [];
  for (const [name, write] of Object.entries(writers)) {
    const text = await write(run);
    await writeFile(join(folder, name), text).catch((error: unknown) => mistakes.push(`${join(folder, name)}: ${errorMessage(error)}`));
  }
  if (mistakes.length > 0) throw new CommandFailure(`The report could not be written: ${mistakes.join('; ')}.`, EXIT.fails);
  return Object.keys(writers).map((name) => join(folder, name));
}
