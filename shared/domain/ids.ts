import { createHash, randomFillSync } from 'node:crypto';
import { decodeTime, ulid } from 'ulid';

/** The prefixes of ids; an id is `<prefix>_<ULID>` and opaque to clients. */
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
  | 'req';

/** The name of a rehearsal. */
export const REHEARSAL_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
/** The rehearsal of requests that name none. It is always there. */
export const DEFAULT_REHEARSAL = 'default';

/** SHA-256 of the parts, joined without ambiguity, as hex. */
export function digest(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:${part};`);
  return hash.digest('hex');
}

/**
 * A ULID whose random part is derived from a seed, so that a request that is run again mints the same ids.
 * @param at epoch milliseconds, the time part
 */
export function derivedUlid(seed: string, at: number): string {
  const bytes = createHash('sha256').update(seed).digest();
  let position = 0;
  return ulid(at, () => (bytes[position++ % bytes.length] ?? 0) / 256);
}

/** When an id was minted, in epoch milliseconds: whoever knows the id can tell. */
export const mintedAt = (id: string): number => decodeTime(id.slice(id.indexOf('_') + 1));

export function newId(prefix: IdPrefix, at: number): string {
  return `${prefix}_${ulid(at, nextRandom)}`;
}

/** Drawn many at a time: asking the system for every character on its own is most of what an id costs. */
const random = new Uint8Array(4_096);
let used = random.length;

function nextRandom(): number {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  return (random[used++] ?? 0) / 256;
}
