import type { Readable } from 'node:stream';
import { getContainerRuntimeClient, ImageName } from 'testcontainers';

/** A container did not start. The message gives the reason, as far as it is known. */
export class EstateStartError extends Error {
  override readonly name = 'EstateStartError';
}

const LINES = 25;
/** Time for the last log lines to arrive after a container has ended. */
const LATE_LINES_MS = 500;

/** Keeps the last log lines of a container. */
export function lastWords() {
  const lines: string[] = [];
  let ended: Promise<void> | undefined;
  return {
    /** Whether the log stream of a container was opened. */
    began: (): boolean => ended !== undefined,
    follow(stream: Readable): void {
      const hear = (chunk: unknown): void => {
        lines.push(
          ...String(chunk)
            .split('\n')
            .map((line) => line.trimEnd())
            .filter((line) => line !== ''),
        );
        lines.splice(0, lines.length - LINES);
      };
      stream.on('data', hear).on('err', hear);
      ended = new Promise((resolve) => stream.once('end', resolve).once('close', resolve));
    },
    async all(): Promise<readonly string[]> {
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LATE_LINES_MS))]);
      return lines;
    },
  };
}

export type LastWords = ReturnType<typeof lastWords>;

export interface Explained {
  readonly image: string;
  /** Name of the failed container in the message; the image by default. */
  readonly what?: string;
  readonly words: LastWords;
}

/** @throws EstateStartError that explains how to get a missing image, or shows the last log lines of the container */
export async function explained<T>({ image, what = image, words }: Explained, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!(await mayExist(image))) {
      throw new EstateStartError(`There is no image ${image} here, and it could not be pulled (${reason}). ${howToGet(image)}`, {
        cause: error,
      });
    }
    if (!words.began()) throw error;
    const lines = await words.all();
    // For an ended container, the library's message already includes its last lines.
    const told = lines.length > 0 && reason.includes(lines.at(-1) ?? '');
    const said = lines.length === 0 ? '\nIt said nothing.' : `\nIt said last:\n${lines.map((line) => `  ${line}`).join('\n')}`;
    throw new EstateStartError(`${what} did not start: ${reason}${told ? '' : said}`, { cause: error });
  }
}

/** Whether the image may exist. Also true without a container engine, because its own message then explains the failure. */
async function mayExist(image: string): Promise<boolean> {
  const client = await getContainerRuntimeClient().catch(() => undefined);
  return client === undefined || (await client.image.exists(ImageName.fromString(image)).catch(() => true));
}

const howToGet = (image: string): string =>
  /unified-commerce-estate/.test(image)
    ? `Build it in a checkout of the estate: docker build -t ${image} .`
    : 'Name another one, or load it.';
