import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** The share of the old generation that may live. The rest is for running requests, and for what comes until the next full collection. */
const MOST_LIVING = 0.75;
/** The share above which no rehearsal is created, so that the existing ones can still change. */
const MOST_CREATED = 0.6;
/** The share of the free memory that the text of one rehearsal may have. As memory gets scarce, large rehearsals end their growth first. */
const MOST_OF_FREE = 1 / 3;
/** The share that the text of one world may take, so that one rehearsal does not fill the heap. A byte of text takes two to three. */
const MOST_OF_WORLD = 1 / 6;

const MEBIBYTE = 1_048_576;
/** V8's default, which `--max-semi-space-size` changes. The young generation has three of them, and the limit of the heap counts it. */
const SEMI_SPACE_MIB = 64;
const SEMI_SPACE = /--max[-_]semi[-_]space[-_]size[= ](\d+)/;

/** Limit of the old generation in bytes. */
function oldGeneration(): number {
  const [, semiSpace = SEMI_SPACE_MIB] = SEMI_SPACE.exec(process.execArgv.join(' ')) ?? [];
  const { heap_size_limit: limit } = getHeapStatistics();
  return Math.max(limit - 3 * Number(semiSpace) * MEBIBYTE, limit / 4);
}

/** The most bytes of the text of a world in the heap of this process. @param most the configured limit */
export const mostTextInHeap = (most: number): number => Math.min(most, Math.floor(oldGeneration() * MOST_OF_WORLD));

/** The share that the text of all files of data may take. Their rows take up to twenty times as much while they are checked. */
const MOST_OF_FILES = 1 / 32;
/** Memory of a row while it is checked, even of an empty one. */
const ROW_BYTES = 8_192;

/** The most bytes and rows of the files of data that fit into the heap of this process. */
export function mostDataInHeap(): { readonly bytes: number; readonly rows: number } {
  const heap = oldGeneration();
  return { bytes: Math.floor(heap * MOST_OF_FILES), rows: Math.floor(heap / ROW_BYTES) };
}

/** Bytes of this process. */
export interface FullHeap {
  readonly living: number;
  readonly limit: number;
}

/** What lives in the heap of this process. Only a full collection finds out: before it, the used memory has garbage too. */
export interface Heap {
  /** Undefined while there is room for another rehearsal. */
  full(): FullHeap | undefined;
  /** Calls the listener when a full collection has left no room for another rehearsal. @returns what ends that */
  whenFull(listener: () => void): () => void;
  /** The most bytes of text of a rehearsal that may still grow. */
  share(): number;
  /** Something large was released. There is room until the next full collection. */
  released(): void;
}

let watched: Heap | undefined;

/** All stores of a process share its heap. */
export function watchHeap(): Heap {
  watched ??= watch();
  return watched;
}

function watch(): Heap {
  const heap = oldGeneration();
  const [most, limit] = [Math.floor(heap * MOST_LIVING), Math.floor(heap * MOST_CREATED)];
  const listeners = new Set<() => void>();
  let living = 0;
  const full = () => (living > limit ? { living, limit } : undefined);
  new PerformanceObserver((list) => {
    // The types of Node leave the detail out.
    const kinds = list.getEntries().map((entry) => (entry as unknown as { readonly detail?: { readonly kind?: number } }).detail?.kind);
    if (!kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR)) return;
    living = getHeapStatistics().used_heap_size;
    if (full()) for (const listener of listeners) listener();
  }).observe({ entryTypes: ['gc'] });
  return {
    full,
    whenFull(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    share: () => Math.max(0, Math.floor((most - living) * MOST_OF_FREE)),
    released() {
      living = 0;
    },
  };
}
