import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync, statSync } from 'node:fs';

const CHUNK_BYTES = 65_536;
const MEBIBYTE = 1_048_576;

/** Bytes of a file that a command sends, such as a snapshot, and of an answer that it reads. */
export const GIVEN_BYTES = 256 * MEBIBYTE;

/** A file that is not read. Its reason continues a sentence about the file. */
export class UnreadFile extends Error {
  override readonly name = 'UnreadFile';
  readonly isMissing: boolean;
  readonly isTooLong: boolean;

  constructor(
    reason: string,
    { isMissing = false, isTooLong = false }: { readonly isMissing?: boolean; readonly isTooLong?: boolean } = {},
  ) {
    super(reason);
    this.isMissing = isMissing;
    this.isTooLong = isTooLong;
  }
}

interface Bound {
  /** Bytes of the file. */
  readonly most: number;
  /** Whether it may be a named pipe, as of `<(…)` in a shell. */
  readonly isPipeAllowed?: boolean;
}

/** Reads a file of a person. Reading a device would not end, and a named pipe waits for its writer. @throws UnreadFile */
export function readWithin(path: string | URL, bound: Bound): Buffer {
  try {
    requireFile(path, bound);
    return bytesOf(path, bound.most);
  } catch (error) {
    if (error instanceof UnreadFile) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UnreadFile(UNREAD[code ?? ''] ?? message, { isMissing: code === 'ENOENT' });
  }
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

function requireFile(path: string | URL, { most, isPipeAllowed = false }: Bound): void {
  const found = statSync(path);
  if (found.isDirectory()) throw new UnreadFile('it is a folder, and must be a file');
  if (found.isFIFO() && !isPipeAllowed) throw new UnreadFile('it is a named pipe, and must be a file');
  if (!found.isFile() && !found.isFIFO()) throw new UnreadFile('it is a device or a socket, and must be a file');
  if (found.size > most) throw tooLong(most);
}

/** The size of a file in `/proc` is 0, and others grow, so that the bytes are counted. */
function bytesOf(path: string | URL, most: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const read: Buffer[] = [];
    for (let bytes = 0; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const more = readSync(file, chunk);
      if (more === 0) return Buffer.concat(read, bytes);
      read.push(chunk.subarray(0, more));
      bytes += more;
      if (bytes > most) throw tooLong(most);
    }
  } finally {
    closeSync(file);
  }
}

const tooLong = (most: number): UnreadFile => new UnreadFile(`it has more than ${sizeInWords(most)}`, { isTooLong: true });

export const sizeInWords = (bytes: number): string =>
  bytes < MEBIBYTE ? `${bytes} bytes` : `${Math.floor((10 * bytes) / MEBIBYTE) / 10} MiB`;
