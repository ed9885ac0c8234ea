import { z } from 'zod';

/** Formats of the headers that every API understands. */

/** Ties hops, events and log lines together. */
export const CorrelationId = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/);

/** Bare or quoted, 1 to 255 characters. */
export const IdempotencyKey = z.string().regex(/^(?:"[^"]{1,255}"|[^"].{0,254})$/);

/** The ETag of an object as it was read, or `*`. */
export const IfMatch = z.string().regex(/^(?:"[0-9]{1,15}"|\*)$/);
