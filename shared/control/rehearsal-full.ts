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

/** The worlds of all rehearsals leave no room for another. Those that exist can change, and deleting one makes room. */
export const noMemoryLeft = ({ living, limit }: FullHeap): string =>
  `The estate has no memory left for another rehearsal: ${Math.round(living / MEBIBYTE)} of ${Math.round(limit / MEBIBYTE)} MiB are taken by its rehearsals. ${ROOM}`;

const MEBIBYTE = 1_048_576;

/** 507 for a rehearsal above its share of the memory that is left. @param share the most bytes that a rehearsal may have now */
export const shareTaken = (rehearsal: string, bytes: number, share: number): Problem =>
  new Problem(
    'rehearsal_full',
    `The memory of the estate is nearly full, and the rehearsal "${rehearsal}" has more than its share: its text has ${bytes} bytes, and ${share} are permitted now. Smaller rehearsals may still change, and reading works. Reset it with POST /_control/reset, or delete rehearsals, or start the estate with a larger heap (NODE_OPTIONS=--max-old-space-size=…) or with Redis.`,
    { rehearsal, bytes, limit: share },
  );
