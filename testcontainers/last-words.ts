import type { Readable } from 'node:stream';
import { getContainerRuntimeClient } from 'testcontainers';

const LINES = 25;
/** Time for the last log lines to arrive after a container has ended. */
const LATE_LINES_MS = 500;
/** The start of the timestamp that the engine returns for a container that never started. */
const NEVER = '0001-';

/** What a container logged last, and how long it ran. */
export interface LastRun {
  readonly ms: number;
  readonly lines: readonly string[];
}

/** Keeps the last log lines of a container. */
export function lastWords() {
  const lines: string[] = [];
  let run: { readonly began: number; readonly ended: Promise<number> } | undefined;
  const words = {
    /** Reads the log from the start of the container on. */
    follow(stream: Readable): void {
      const append = (chunk: unknown): void => {
        const added = String(chunk).split('\n');
        lines.push(...added.map((line) => line.trimEnd()).filter((line) => line !== ''));
        lines.splice(0, lines.length - LINES);
      };
      stream.on('data', append).on('err', append);
      const over = new Promise<void>((resolve) => stream.once('end', resolve).once('close', resolve));
      run = { began: performance.now(), ended: over.then(() => performance.now()) };
    },
    /**
     * Reads the log of a container that ended early. Testcontainers offers the log after the ports are bound, which never happens then.
     * A container that never ran has no log.
     */
    async followEnded(containerId: string): Promise<void> {
      if (run !== undefined) return;
      const { container: containers } = await getContainerRuntimeClient();
      const container = containers.getById(containerId);
      const { State } = await containers.inspect(container);
      if (!State.StartedAt.startsWith(NEVER)) words.follow(await containers.logs(container));
    },
    /** Undefined when no container ran, or when it still runs. */
    async all(): Promise<LastRun | undefined> {
      if (run === undefined) return undefined;
      const tooLate = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), LATE_LINES_MS));
      const ended = await Promise.race([run.ended, tooLate]);
      return ended === undefined ? undefined : { ms: ended - run.began, lines };
    },
  };
  return words;
}

export type LastWords = ReturnType<typeof lastWords>;
