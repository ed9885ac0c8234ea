import { z } from 'zod';

/** Headers that mean something to every API: their form, for the readers of requests and for the OpenAPI document. */

/** What ties hops and events together; written into both, and into the log. */
export const CorrelationId = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/);

/** Bare or quoted, 1 to 255 characters. */
export const IdempotencyKey = z.string().regex(/^(?:"[^"]{1,255}"|[^"].{0,254})$/);

/** The ETag of an object as it was read, or any. */
export const IfMatch = z.string().regex(/^(?:"[0-9]{1,15}"|\*)$/);
