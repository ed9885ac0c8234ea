import { hash, randomFillSync } from 'node:crypto';
import { decodeTime, ulid } from 'ulid';

/** Prefixes of ids. An id is `<prefix>_<ULID>` and opaque to clients. */
export type IdPrefix =
  | 'bsk'
  | 'ord'
  | 'pay'
  | 'cus'
  | 'res'
  | 'ret'
  | 'ful'
  | 'shp'
  | 'prd'
  | 'loy'
  | 'pck'
  | 'evt'
  | 'rdm'
  | 'int'
  | 'req'
  | 'run';

/** The name of a rehearsal. */
export const REHEARSAL_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
export const REHEARSAL_NAME_RULE =
  'This must have lower-case letters, digits and hyphens only, not begin with a hyphen, and have at most 40 characters.';
/** The rehearsal of requests that name none. It always exists. */
export const DEFAULT_REHEARSAL = 'default';

/** SHA-256 of the parts as hex. Each part goes in with its length, so that different parts cannot collide. */
export function digest(...parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${part.length}:${part};`).join(''));
}

/**
 * A ULID whose random part derives from a seed, so that a rerun of a request creates the same ids.
 * @param at epoch milliseconds, the time part
 */
export function derivedUlid(seed: string, at: number): string {
  const bytes = hash('sha256', seed, 'buffer');
  let position = 0;
  return ulid(at, () => (bytes[position++ % bytes.length] ?? 0) / 256);
}

/** Creation time of an id in epoch milliseconds. */
export const mintedAt = (id: string): number => decodeTime(id.slice(id.indexOf('_') + 1));

export function newId(prefix: IdPrefix, at: number): string {
  return `${prefix}_${ulid(at, nextRandom)}`;
}

/** Random bytes drawn in bulk: a system call per character would dominate the cost of an id. */
const random = new Uint8Array(4_096);
let used = random.length;

function nextRandom(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return (random[used++] ?? 0) / 256;
}
