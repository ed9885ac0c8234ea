import type { Readable } from 'node:stream';
import { getContainerRuntimeClient, ImageName } from 'testcontainers';
import { errorMessage } from '../shared/domain/text.ts';

/** A container did not start. The message names the mistake and the remedy. */
export class EstateStartError extends Error {
  override readonly name = 'EstateStartError';
}

/** The facts about a container that did not start. */
export interface Evidence {
  /** Names the container: `oms of unified-commerce-estate:local`. */
  readonly what: string;
  readonly image: string;
  readonly hasEngine: boolean;
  readonly hasImage: boolean;
  /** Undefined unless the container ran and ended. A container that is not ready in time is stopped. */
  readonly run?: { readonly ms: number; readonly lines: readonly string[] };
  /** Time that the container had to become ready. */
  readonly timeoutMs: number;
  /** The message of the container engine or of Testcontainers. */
  readonly message: string;
}

/** One sentence that names the mistake and the remedy, with the last log lines of a container that ran. */
export function failureOf({ what, image, hasEngine, hasImage, run, timeoutMs, message }: Evidence): string {
  if (!hasEngine) return NO_ENGINE;
  if (!hasImage) return `There is no image ${image} here, and no registry gave it: ${howToGet(image)}`;
  if (run === undefined) return refusalOf(what, message);
  const seconds = Math.round((run.ms < timeoutMs ? run.ms : timeoutMs) / 1_000);
  if (run.lines.length === 0) {
    const verb = run.ms < timeoutMs ? `stopped after ${seconds} s` : `was not ready within ${seconds} s`;
    return `${what} ${verb} and logged nothing; docker run --rm ${image} shows whether the image runs on this machine.`;
  }
  const log = run.lines.map((line) => `\n  ${line}`).join('');
  return run.ms < timeoutMs
    ? `${what} stopped after ${seconds} s; correct what its last log lines name:${log}`
    : `${what} was not ready within ${seconds} s; correct what its last log lines name, or allow more time with withStartupTimeout:${log}`;
}

const NO_ENGINE =
  'No container engine answers; start Docker, or set DOCKER_HOST to the address of an engine that runs (docker info shows whether it answers).';

const howToGet = (image: string): string =>
  /unified-commerce-estate/.test(image)
    ? `build it in a checkout of the estate with docker build -t ${image} .`
    : `correct its name, or fetch it with docker pull ${image}.`;

function refusalOf(what: string, message: string): string {
  const port = /:(\d+)\b[^:]*: (?:port is already allocated|.*address already in use)/.exec(message)?.[1];
  if (port !== undefined)
    return `${what} cannot have port ${port}, which is in use; free it, or leave the choice of the port to Testcontainers.`;
  // Testcontainers waits for the ports of a container that has already ended.
  if (/waiting for container ports/.test(message)) return `${what} stopped immediately; docker run --rm with the same variables shows why.`;
  const hasRyuk = process.env['TESTCONTAINERS_RYUK_DISABLED'] !== 'true';
  // The image of the estate exists, so the missing one is Ryuk's.
  if (/ryuk|reaper/i.test(message) || (hasRyuk && /registry|manifest unknown|pull access/i.test(message))) return NO_RYUK;
  return `The container engine refuses ${what}; correct what it names: ${message.replace(/^\(HTTP code \d+\) [\w ]+ - /, '').trim()}`;
}

const NO_RYUK =
  'Testcontainers could not start its own container testcontainers/ryuk, which removes leftover containers; fetch that image with docker pull, or set TESTCONTAINERS_RYUK_DISABLED=true and stop every container in your tests.';

interface Starting {
  readonly image: string;
  /** Name of the container in the message; the image by default. */
  readonly what?: string;
  /** Default: 60 seconds, like Testcontainers. */
  readonly timeoutMs?: number | undefined;
  readonly words: LastWords;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** @throws EstateStartError instead of an error of the engine or of Testcontainers */
export async function explained<T>(starting: Starting, start: () => Promise<T>): Promise<T> {
  const { image, what = image, timeoutMs = DEFAULT_TIMEOUT_MS, words } = starting;
  try {
    return await start();
  } catch (error) {
    if (error instanceof EstateStartError) throw error;
    const run = await words.all();
    const message = errorMessage(error);
    throw new EstateStartError(failureOf({ what, image, timeoutMs, message, run, ...(await engineAnd(image)) }));
  }
}

/** @throws EstateStartError when no container engine answers */
export async function requireEngine(): Promise<void> {
  await getContainerRuntimeClient().catch(() => {
    throw new EstateStartError(NO_ENGINE);
  });
}

/** When the engine does not report its images, assume that the image exists. */
async function engineAnd(image: string): Promise<Pick<Evidence, 'hasEngine' | 'hasImage'>> {
  const engine = await getContainerRuntimeClient().catch(() => undefined);
  if (engine === undefined) return { hasEngine: false, hasImage: true };
  return { hasEngine: true, hasImage: await engine.image.exists(ImageName.fromString(image)).catch(() => true) };
}

const LINES = 25;
/** Time for the last log lines to arrive after a container has ended. */
const LATE_LINES_MS = 500;
/** The start of the timestamp that the engine returns for a container that never started. */
const NEVER = '0001-';

/** What a container logged last, and how long it ran. */
interface LastRun {
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
    /** Reads the log of a container that ended before its ports were bound: Testcontainers offers none. One that never ran has none. */
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

type LastWords = ReturnType<typeof lastWords>;
