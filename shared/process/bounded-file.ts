import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

const CHUNK_BYTES = 65_536;
const MEBIBYTE = 1_048_576;

/** Bytes of a file that a command sends, such as a snapshot, and of an answer that it reads. */
export const GIVEN_BYTES = 256 * MEBIBYTE;

/** How long a command waits for the next bytes of a pipe. */
export const PIPE_MS = 30_000;

/** A file that is not read. Its reason continues a sentence about the file. */
export class UnreadFile extends Error {
  override readonly name = 'UnreadFile';
  readonly isMissing: boolean;
  readonly isTooLong: boolean;
  readonly isFolder: boolean;

  constructor(
    reason: string,
    {
      isMissing = false,
      isTooLong = false,
      isFolder = false,
    }: { readonly isMissing?: boolean; readonly isTooLong?: boolean; readonly isFolder?: boolean } = {},
  ) {
    super(reason);
    this.isMissing = isMissing;
    this.isTooLong = isTooLong;
    this.isFolder = isFolder;
  }
}

interface Bound {
  /** Bytes of the file. */
  readonly most: number;
  /** How long to wait for the next bytes of a pipe, such as `<(…)` of a shell. Absent: a pipe is refused. */
  readonly pipeMs?: number;
}

/** Reads a file of a person. Reading a device would not end, and a named pipe waits for its writer. @throws UnreadFile */
export function readWithin(path: string | URL, bound: Bound): Buffer {
  requireFile(path, bound);
  return withReason(() => bytesOf(path, bound));
}

/** @throws UnreadFile when the file cannot be read to its end, so Node must not load it either */
export function requireFile(path: string | URL, { most, pipeMs }: Bound): void {
  const found = withReason(() => statSync(path));
  if (found.isDirectory()) throw new UnreadFile('it is a folder, and must be a file', { isFolder: true });
  if (found.isFIFO() && pipeMs === undefined) throw new UnreadFile('it is a named pipe, and must be a file');
  if (!found.isFile() && !found.isFIFO()) throw new UnreadFile('it is a device or a socket, and must be a file');
  if (found.size > most) throw tooLong(most);
}

/** The text of a file of a person, without a byte order mark, which some editors write. @throws UnreadFile */
export function readTextWithin(path: string | URL, bound: Bound): string {
  const bytes = readWithin(path, bound);
  if (!isUtf8(bytes)) throw new UnreadFile('it is not UTF-8; save it in this encoding');
  return bytes.toString().replace(/^\ufeff/, '');
}

const UNREAD: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  ENOTDIR: 'the file does not exist',
  EACCES: 'this user may not read it; change its permissions',
};

/** @throws UnreadFile in place of an error of the file system */
function withReason<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof UnreadFile) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UnreadFile(UNREAD[code ?? ''] ?? message, { isMissing: code === 'ENOENT' });
  }
}

/** Opening a pipe would wait for its writer. Windows has neither the flag nor these pipes. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const PAUSE_MS = 20;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** The size of a file in `/proc` is 0, and others grow, so that the bytes are counted. */
function bytesOf(path: string | URL, { most, pipeMs = 0 }: Bound): Buffer {
  const file = openSync(path, WITHOUT_WAITING);
  try {
    const isPipe = fstatSync(file).isFIFO();
    const read: Buffer[] = [];
    let lastAt = performance.now();
    for (let bytes = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const more = readNow(file, chunk);
      // A pipe that nothing has been written to yet has no writer, or one that waits.
      if (more === undefined || (more === 0 && isPipe && bytes === 0)) {
        if (performance.now() - lastAt > pipeMs) throw new UnreadFile('it is a pipe that nothing is written to; give a file');
        Atomics.wait(pause, 0, 0, PAUSE_MS);
        continue;
      }
      if (more === 0) return Buffer.concat(read, bytes);
      read.push(chunk.subarray(0, more));
      bytes += more;
      if (bytes > most) throw tooLong(most);
      lastAt = performance.now();
    }
  } finally {
    closeSync(file);
  }
}

/** @returns undefined when the writer of a pipe has written nothing more yet */
function readNow(file: number, chunk: Buffer): number | undefined {
  try {
    return readSync(file, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}

const tooLong = (most: number): UnreadFile => new UnreadFile(`it has more than ${sizeInWords(most)}`, { isTooLong: true });

export const sizeInWords = (bytes: number): string =>
  bytes < MEBIBYTE ? `${bytes} bytes` : `${Math.floor((10 * bytes) / MEBIBYTE) / 10} MiB`;
