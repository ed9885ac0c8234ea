import { constants } from 'node:fs';
import { mkdir, open, readFile, symlink } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { prepareHardenReport, writeHardenReport } from '../../command-line/harden/report/report.ts';
import { writeGiven } from '../../command-line/output/written-file.ts';
import { prepareReportFile } from '../../command-line/rehearse/report/report.ts';
import { runProgram } from '../support/command.ts';
import { aFolder } from '../support/folder.ts';
import { smallRun } from '../support/harden-runs.ts';

test('A file that a command writes replaces a longer one', async () => {
  await using folder = await aFolder();
  await folder.write('report.txt', 'a longer text');
  await writeGiven(folder.at('report.txt'), 'short');
  expect(await readFile(folder.at('report.txt'), 'utf8')).toBe('short');
});

test('A command never waits for the reader of a named pipe that has the name of its report', async () => {
  await using folder = await aFolder();
  const pipe = folder.at('junit.xml');
  expect((await runProgram('mkfifo', [pipe])).code).toBe(0);
  const reason = 'it is a named pipe or a socket, and must be a file';
  await expect(writeGiven(pipe, 'text')).rejects.toThrow(reason);
  await expect(prepareReportFile(pipe)).rejects.toThrow(`${pipe} cannot be written: ${reason}; name another file.`);
  await expect(prepareHardenReport(folder.path)).rejects.toThrow(`The report cannot be written to ${folder.path}: ${reason}`);
  await expect(writeHardenReport(smallRun, folder.path)).rejects.toThrow(`The report could not be written: ${pipe}: ${reason}.`);
  // With a reader, opening succeeds, and a pipe is refused nevertheless: its reader would see the end of the file with the first trial.
  await using _reader = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await expect(writeGiven(pipe, 'text')).rejects.toThrow(reason);
});

test('A full disk and a folder in the place of a report are refused with the name of the file', async () => {
  await using folder = await aFolder();
  await mkdir(folder.at('folder.xml'));
  await symlink('/dev/full', folder.at('full.xml'));
  for (const [name, reason] of [
    ['folder.xml', 'a folder has the name of a file of the report'],
    ['full.xml', 'the disk is full'],
  ] as const) {
    await expect(prepareReportFile(folder.at(name))).rejects.toThrow(`${folder.at(name)} cannot be written: ${reason}; name another file.`);
  }
});
