import type { Part } from '../json-schemas.ts';

/** Versions of the AsyncAPI bindings that the document uses. */
export const KAFKA_BINDING = '0.5.0';
export const HTTP_BINDING = '0.3.0';

/** A reference within the document: `ref('channels', 'order')`. */
export const ref = (...path: readonly string[]): Part => ({ $ref: `#/${path.join('/')}` });
