import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const LISTED = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];

/** The files of the project: tracked files, and new files that git does not ignore. */
export const trackedFiles: readonly string[] = execFileSync('git', LISTED, { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => file !== '' && existsSync(`${root}/${file}`));

export const textOf = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');
