import { Buffer } from 'node:buffer';
import { hash, randomFillSync } from 'node:crypto';
import { decodeTime, ulid } from 'ulid';

export const REHEARSAL_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
export const REHEARSAL_NAME_RULE =
  'This must have lower-case letters, digits and hyphens only, not begin with a hyphen, and have at most 40 characters.';
/** The rehearsal of requests that name none. It always exists. */
export const DEFAULT_REHEARSAL = 'default';

/** SHA-256 of the parts as hex. Each part is hashed with its length, so that different parts cannot collide. */
export function digest(...parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${part.length}:${part};`;
  return hash('sha256', text);
}

/** A ULID whose random part derives from a seed, so that a rerun creates the same ids. @param at epoch milliseconds, the time part */
export function derivedUlid(seed: string, at: number): string {
  const bytes = hash('sha256', seed, 'buffer');
  let position = 0;
  return ulid(at, () => (bytes[position++ % bytes.length] ?? 0) / 256);
}

/** Creation time of an id in epoch milliseconds. */
export const mintedAt = (id: string): number => decodeTime(id.slice(id.indexOf('_') + 1));

/** A random id of a request or of a run of scenarios. Ids of a world derive from its data. */
export function newId(prefix: 'req' | 'run', at: number): string {
  return `${prefix}_${ulid(at, nextRandom)}`;
}

/** 128 random bits in hexadecimal, for a lease or a commit. It is a flat string, whereas V8 keeps the pieces of a `randomUUID` in memory. */
export function randomToken(): string {
  const at = nextBytes(TOKEN_BYTES);
  return random.toString('hex', at, at + TOKEN_BYTES);
}

const TOKEN_BYTES = 16;
/** A pool of random bytes: one system call per character would dominate the cost of an id. */
const random = Buffer.alloc(4_096);
let used = random.length;

/** @returns the offset of random bytes that nothing else uses */
function nextBytes(count: number): number {
  if (used + count > random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += count;
  return used - count;
}

const nextRandom = (): number => (random[nextBytes(1)] ?? 0) / 256;
