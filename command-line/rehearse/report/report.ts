import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { misuse } from '../../failure.ts';
import { htmlOf } from './html-page.ts';
import { junitOf } from './junit.ts';
import { markdownOf } from './markdown.ts';
import type { ReportedRun } from './recording.ts';

/** The files of a report. */
const WRITERS: Readonly<Record<string, (run: ReportedRun) => string | Promise<string>>> = {
  'junit.xml': junitOf,
  'summary.md': markdownOf,
  'report.html': htmlOf,
};

/**
 * Makes the folder of a report. Its files are empty until the run has ended, so that those of an earlier run are not taken for it.
 * @throws CommandFailure when it cannot be written
 */
export async function prepareReport(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    for (const name of Object.keys(WRITERS)) await writeFile(join(folder, name), '');
  } catch (error) {
    throw misuse(`The report cannot be written to ${folder}: ${reasonOf(error)}; name another folder with --report.`);
  }
}

/** @returns the files */
export async function writeReport(folder: string, run: ReportedRun): Promise<readonly string[]> {
  for (const [name, write] of Object.entries(WRITERS)) await writeFile(join(folder, name), await write(run));
  return Object.keys(WRITERS).map((name) => join(folder, name));
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file has this name',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'a folder has the name of a file of the report',
  ENOSPC: 'the disk is full',
};

function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? message;
}
