import { Problem } from '../catalog/problems.ts';

/** 507 for a rehearsal that has reached `MAX_REHEARSAL_BYTES`. @param bytes its size now */
export const rehearsalFull = (rehearsal: string, bytes: number, limit?: number): Problem =>
  new Problem(
    'rehearsal_full',
    `The rehearsal "${rehearsal}" is full: its text has ${bytes} bytes. Reading it still works. Reset it with POST /_control/reset, delete it, or raise MAX_REHEARSAL_BYTES.`,
    { rehearsal, bytes, limit },
  );
