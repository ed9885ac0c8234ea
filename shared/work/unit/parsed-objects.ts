import { LRUCache } from 'lru-cache';
import type { Stored } from '../../store/collections.ts';

/** Most texts in an application's cache. */
const MOST_TEXTS = 256;
/** Total size of the cached texts, in characters. */
const MOST_CHARACTERS = 512 * 1_024;

/** The object in a stored text. */
export type ParseStored = (json: string) => Stored;

export const parseStored: ParseStored = (json) => JSON.parse(json);

/**
 * Parses each stored text once while it is in use, so that units share the object.
 * @param frozen set in tests, so that a handler that changes the object fails
 */
export function createParsedObjects({ frozen }: { readonly frozen: boolean }): ParseStored {
  const parsed = new LRUCache<string, Stored>({
    max: MOST_TEXTS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_object, json) => json.length,
    memoMethod: (json) => (frozen ? deepFrozen(parseStored(json)) : parseStored(json)),
  });
  return (json) => parsed.memo(json);
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}
