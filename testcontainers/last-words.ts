import type { Readable } from 'node:stream';

const LINES = 25;
/** Time for the last log lines to arrive after a container has ended. */
const LATE_LINES_MS = 500;

/** What a container logged last, and how long it ran. */
export interface LastRun {
  readonly ms: number;
  readonly lines: readonly string[];
}

/** Keeps the last log lines of a container. */
export function lastWords() {
  const lines: string[] = [];
  let run: { readonly began: number; readonly ended: Promise<number> } | undefined;
  return {
    /** Reads the log from the start of the container on. */
    follow(stream: Readable): void {
      const hear = (chunk: unknown): void => {
        const heard = String(chunk).split('\n');
        lines.push(...heard.map((line) => line.trimEnd()).filter((line) => line !== ''));
        lines.splice(0, lines.length - LINES);
      };
      stream.on('data', hear).on('err', hear);
      const over = new Promise<void>((resolve) => stream.once('end', resolve).once('close', resolve));
      run = { began: performance.now(), ended: over.then(() => performance.now()) };
    },
    /** Undefined when no container ran, or when it still runs. */
    async all(): Promise<LastRun | undefined> {
      if (run === undefined) return undefined;
      const tooLate = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), LATE_LINES_MS));
      const ended = await Promise.race([run.ended, tooLate]);
      return ended === undefined ? undefined : { ms: ended - run.began, lines };
    },
  };
}

export type LastWords = ReturnType<typeof lastWords>;
