import type { NextFunction, Request, Response } from 'express';
import { type AugmentedRequest, ipKeyGenerator, MemoryStore, type RateLimitRequestHandler, rateLimit } from 'express-rate-limit';
import { Problem } from '../shared/catalog/problems.ts';

const WINDOW_MS = 60_000;

export interface RateLimits {
  /** @throws Problem rate_limited */
  countAddress(request: Request, response: Response): Promise<void>;
  /** @param hash of the key that was presented, known or not. @throws Problem rate_limited */
  countKey(hash: string, request: Request, response: Response): Promise<void>;
  close(): void;
}

/** Counts per minute in this process's memory: a guard against a runaway client, not a quota over replicas. */
export function createRateLimits(limits: { readonly perAddressPerMinute: number; readonly perKeyPerMinute: number }): RateLimits {
  const hashes = new WeakMap<Request, string>();
  const stores = { address: new MemoryStore(), key: new MemoryStore() };
  const address = limiter('this address', limits.perAddressPerMinute, stores.address, ({ ip }) => ipKeyGenerator(ip ?? ''));
  const key = limiter('this key', limits.perKeyPerMinute, stores.key, (request) => hashes.get(request) ?? '');
  return {
    countAddress: (request, response) => pass(address, request, response),
    countKey: (hash, request, response) => {
      hashes.set(request, hash);
      return pass(key, request, response);
    },
    close: () => {
      stores.address.shutdown();
      stores.key.shutdown();
    },
  };
}

function limiter(whose: string, limit: number, store: MemoryStore, keyGenerator: (request: Request) => string): RateLimitRequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    store,
    keyGenerator,
    standardHeaders: false,
    legacyHeaders: false,
    // Its checks write to the console about forwarded headers, which the gateway neither trusts nor passes on.
    validate: false,
    handler: (request, _response, next) => {
      const until = (request as AugmentedRequest)['rateLimit']?.resetTime?.getTime() ?? Date.now() + WINDOW_MS;
      const retryAfter = Math.max(1, Math.ceil((until - Date.now()) / 1_000));
      next(new Problem('rate_limited', `More than ${limit} requests from ${whose} within a minute.`, { retryAfter }));
    },
  });
}

const pass = (limit: RateLimitRequestHandler, request: Request, response: Response): Promise<void> =>
  new Promise((resolve, reject) => {
    const next: NextFunction = (error?: unknown) => (error === undefined ? resolve() : reject(error));
    void limit(request, response, next);
  });
