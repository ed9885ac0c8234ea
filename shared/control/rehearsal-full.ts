import { Problem } from '../catalog/problems.ts';
import type { FullHeap } from '../process/heap.ts';

/** 507 for a rehearsal that has reached `MAX_REHEARSAL_BYTES`. @param bytes its size now */
export const rehearsalFull = (rehearsal: string, bytes: number, limit?: number): Problem =>
  new Problem(
    'rehearsal_full',
    `The rehearsal "${rehearsal}" is full: its text has ${bytes} bytes. Reading it still works. Reset it with POST /_control/reset, delete it, or raise MAX_REHEARSAL_BYTES; with state in memory, give the process a larger heap.`,
    { rehearsal, bytes, limit },
  );

const ROOM = 'Delete rehearsals, or start the estate with a larger heap (NODE_OPTIONS=--max-old-space-size=…) or with Redis.';

/** The worlds of all rehearsals fill the memory of the process. Reading works, and deleting a rehearsal makes room. */
export const noMemoryLeft = ({ living, limit }: FullHeap): string =>
  `The estate has no memory left: ${Math.round(living / MEBIBYTE)} of ${Math.round(limit / MEBIBYTE)} MiB are taken by its rehearsals. ${ROOM}`;

const MEBIBYTE = 1_048_576;

/** 507 while the rehearsals together fill the heap. */
export const heapFull = (full: FullHeap): Problem =>
  new Problem('rehearsal_full', noMemoryLeft(full), { bytes: full.living, limit: full.limit });
