import { constants, type Stats } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Opening a named pipe would wait for its reader. Windows has neither the flag nor these pipes. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NONBLOCK ?? 0);

/** Why a file is not written. The message continues a sentence about the file. */
export class UnwrittenFile extends Error {
  override readonly name = 'UnwrittenFile';
}

/** Writes a file that a person names. @throws UnwrittenFile */
export async function writeGiven(file: string, content: string | Uint8Array): Promise<void> {
  await withReason(async () => {
    await using opened = await open(file, FLAGS);
    requireFile(await opened.stat());
    await opened.writeFile(content);
  });
}

/**
 * Replaces a file that may exist: a process that is killed in between leaves the old content or the new one. A named pipe and a device keep
 * their place. @throws UnwrittenFile
 */
export async function replaceGiven(file: string, content: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined && !found.isFile()) return writeGiven(file, content);
  const next = `${file}.part`;
  await withReason(async () => {
    try {
      {
        await using opened = await open(next, FLAGS);
        requireFile(await opened.stat());
        await opened.writeFile(content);
        // Some file systems would rename it before its content is on the disk.
        await opened.datasync();
      }
      await rename(next, file);
    } catch (error) {
      await rm(next, { force: true }).catch(() => undefined);
      throw error;
    }
  });
}

/** Empties a file. A full disk accepts an empty file, but not a byte. @throws UnwrittenFile */
export async function emptyGiven(file: string): Promise<void> {
  await writeGiven(file, '\n');
  await writeGiven(file, '');
}

/** Makes a folder, and those above it. @throws UnwrittenFile */
export const makeFolder = (path: string): Promise<void> => withReason(() => madeFolder(path));

/** `mkdir` with `recursive` never ends in /proc, where creating a folder fails with ENOENT. */
async function madeFolder(path: string): Promise<void> {
  const error = await mkdir(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(error instanceof Error) || (error.code === 'EEXIST' && (await stat(path)).isDirectory())) return;
  if (error.code !== 'ENOENT' || dirname(path) === path) throw error;
  await madeFolder(dirname(path));
  await mkdir(path);
}

const PIPE = 'it is a named pipe or a socket, and must be a file';

function requireFile(found: Stats): void {
  if (found.isFIFO() || found.isSocket()) throw new UnwrittenFile(PIPE);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file has this name',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'a folder has the name of a file of the report',
  ERR_FS_EISDIR: 'a folder has the name of a file of the report',
  ELOOP: 'a link of the path leads to itself',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENXIO: PIPE,
};

/** @throws UnwrittenFile in place of an error of the file system */
export async function withReason<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof UnwrittenFile) throw error;
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new UnwrittenFile(REASONS[code] ?? message, { cause: error });
  }
}
