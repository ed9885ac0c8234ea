import type { IncomingMessage } from 'node:http';
import { ipKeyGenerator, MemoryStore, type Options } from 'express-rate-limit';
import { Problem } from '../shared/catalog/problems.ts';

const WINDOW_MS = 60_000;

export interface RateLimits {
  /** @throws Problem rate_limited */
  countAddress(request: IncomingMessage): Promise<void>;
  /** @param hash HMAC of the presented key, known or not. @throws Problem rate_limited */
  countKey(hash: string): Promise<void>;
  close(): void;
}

/**
 * Counts requests per minute in this process: a guard against a runaway client, not a quota over replicas. It uses the library's store
 * without its middleware, which costs many times more per request.
 */
export function createRateLimits(limits: { readonly perAddressPerMinute: number; readonly perKeyPerMinute: number }): RateLimits {
  const addresses = createCounter('this address', limits.perAddressPerMinute);
  const keys = createCounter('this key', limits.perKeyPerMinute);
  return {
    // The address of the connection; forwarding headers of clients are not trusted.
    countAddress: ({ socket }) => addresses.count(ipKeyGenerator(socket.remoteAddress ?? '')),
    countKey: (hash) => keys.count(hash),
    close: () => {
      addresses.close();
      keys.close();
    },
  };
}

function createCounter(whose: string, limit: number) {
  const store = new MemoryStore();
  store.init({ windowMs: WINDOW_MS } as Options);
  return {
    async count(key: string): Promise<void> {
      const { totalHits, resetTime } = await store.increment(key);
      if (totalHits <= limit) return;
      const retryAfter = Math.max(1, Math.ceil(((resetTime?.getTime() ?? 0) - Date.now()) / 1_000));
      throw new Problem('rate_limited', `More than ${limit} requests from ${whose} within a minute.`, { retryAfter });
    },
    close: () => store.shutdown(),
  };
}
