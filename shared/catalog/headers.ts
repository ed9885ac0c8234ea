import { z } from 'zod';

/** Formats of the headers that every API understands. */

/** Correlation id: shared by the hops, events and log lines of one request. */
export const CorrelationId = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/);

/** Bare or quoted, 1 to 255 characters. */
export const IdempotencyKey = z.string().regex(/^(?:"[^"]{1,255}"|[^"].{0,254})$/);

const ENTITY_TAG = '(?:W/)?"[\\x21\\x23-\\x7e]*"';

/** ETags of versions of an object, separated by commas, or `*` (RFC 9110). */
export const IfMatch = z.string().regex(new RegExp(`^(?:\\*|${ENTITY_TAG}(?:[ \\t]*,[ \\t]*${ENTITY_TAG})*)$`));

/** Whether `If-Match` names a version. Weak tags match nothing (RFC 9110 §13.1.1). */
export const namesVersion = (ifMatch: string, version: number): boolean =>
  [...ifMatch.matchAll(/(?:W\/)?"[^"]*"/g)].some(([tag]) => tag === `"${version}"`);
