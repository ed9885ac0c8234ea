import { LRUCache } from 'lru-cache';

/** Wall time. Nothing of a dropped world stays longer. */
const REMEMBERED_MS = 5_000;

/** What a process remembers of its worlds for a while, within the given limits. */
export const createRemembered = <Key extends string, Value extends object>(
  limits: Pick<LRUCache.Options<Key, Value, unknown>, 'max' | 'maxSize' | 'sizeCalculation'>,
): LRUCache<Key, Value> => new LRUCache<Key, Value>({ ...limits, ttl: REMEMBERED_MS, ttlAutopurge: true });
