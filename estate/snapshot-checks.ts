import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckOptions } from '../control/snapshots/check-file.ts';
import { estateDataOf } from '../control/snapshots/estate-data.ts';
import { type PackedSnapshot, type Receive, type ReceivedFile, receive } from '../control/snapshots/receive.ts';
import { verifyWorld } from '../control/verify/verify.ts';
import { Problem, type ProblemCode, type ProblemContext } from '../shared/catalog/problems.ts';
import { BODY_BYTES } from '../shared/contract/body-limit.ts';
import { exceededLimit, JSON_KINDS, JSON_LEVELS } from '../shared/domain/json-limits.ts';
import type { InSlices } from '../shared/process/slices.ts';
import { createSequence } from '../shared/process/waiting.ts';
import { openScratchStore } from './infrastructure.ts';
import { objectsOf, registeredApplications } from './registry.ts';

const services = registeredApplications.map(({ service }) => service);

/** What a file is checked against. */
export const checks = (): Omit<CheckOptions, 'breathe'> => {
  const objects = objectsOf(services);
  return {
    estate: estateDataOf(services),
    scratch: openScratchStore,
    verify: (worlds, world, breathe) => verifyWorld(worlds, world, objects, breathe),
  };
};

/** What the thread gets. */
export interface ThreadInput {
  readonly received: ReceivedFile;
  /** Limit of the file's size, in bytes. */
  readonly most: number;
  /** Secrets of this process, which no file may have. */
  readonly secrets: readonly string[];
}

/** What the thread returns. */
export type ThreadOutput =
  | { readonly packed: PackedSnapshot }
  | { readonly refused: { readonly code: ProblemCode; readonly detail: string; readonly context: ProblemContext } };

interface Options {
  readonly most: number;
  readonly secrets: readonly string[];
  readonly inSlices: InSlices;
  /** Limit of the memory of the thread. */
  readonly threadMib?: number;
}

const MIB = 1_048_576;
/** Memory of the thread: for its code, and for the multiple of a file that its check takes. */
const CODE_MIB = 96;
const TIMES_FILE = 16;
/** Wall time after which a check is ended. */
const LONGEST_MS = 120_000;

const THREAD = new URL(`./snapshot-thread${extname(import.meta.url)}`, import.meta.url);

/**
 * Checks uploads. Files beyond the limits of other bodies are checked in a separate thread, one after the other: a hostile file blocks
 * nobody, and ends the thread instead of the process.
 */
export function createReceive({ most, secrets, inSlices, threadMib = memoryFor(most) }: Options): Receive {
  const options = { ...checks(), most };
  const oneByOne = createSequence();
  return (received, gone) => {
    if (isLikeBodies(received.bytes)) return inSlices(gone, (breathe) => receive(received, { ...options, breathe }));
    return oneByOne(() => inThread({ received, most, secrets }, threadMib, gone));
  };
}

const isLikeBodies = (bytes: Uint8Array): boolean =>
  bytes.length <= BODY_BYTES && exceededLimit(Buffer.from(bytes).toString(), { levels: JSON_LEVELS, kinds: JSON_KINDS }) === undefined;

const memoryFor = (most: number): number => Math.ceil((TIMES_FILE * most) / MIB) + CODE_MIB;

async function inThread(input: ThreadInput, mostMib: number, gone: AbortSignal): Promise<PackedSnapshot> {
  gone.throwIfAborted();
  const { bytes } = input.received;
  const thread = new Worker(THREAD, {
    workerData: input,
    // Without a copy, unless the bytes are a part of a larger piece of memory.
    transferList: bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: mostMib, maxYoungGenerationSizeMb: 16 },
  });
  // A process that stops does not wait for it.
  thread.unref();
  const end = (): void => void thread.terminate();
  gone.addEventListener('abort', end);
  const limit = setTimeout(end, LONGEST_MS).unref();
  try {
    const output = await new Promise<ThreadOutput>((resolve, reject) => {
      thread.once('message', resolve).once('error', reject);
      thread.once('exit', () => reject(tooCostly(`takes longer than ${LONGEST_MS / 1_000} seconds to check`)));
    });
    if ('packed' in output) return output.packed;
    const { code, detail, context } = output.refused;
    throw new Problem(code, detail, context);
  } catch (error) {
    gone.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
    throw tooCostly(`takes more than ${mostMib} MiB of memory to check`);
  } finally {
    clearTimeout(limit);
    gone.removeEventListener('abort', end);
    await thread.terminate();
  }
}

const tooCostly = (what: string): Problem =>
  new Problem(
    'payload_too_large',
    `The file ${what}, although it has few enough bytes. Send a file that GET /_control/snapshots/{name} returned.`,
  );
