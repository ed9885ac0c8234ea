import type { IncomingMessage } from 'node:http';
import { Problem } from '../shared/catalog/problems.ts';

const WINDOW_MS = 60_000;

export interface RateLimits {
  /** @throws Problem rate_limited */
  countAddress(request: IncomingMessage): void;
  /** @param hash HMAC of the presented key, which may be unknown @throws Problem rate_limited */
  countKey(hash: string): void;
}

interface RateLimitOptions {
  readonly perAddressPerMinute: number;
  readonly perKeyPerMinute: number;
  /** Wall time in milliseconds. */
  readonly now?: () => number;
}

/** Counts requests per minute in this process: a guard against a runaway client, not a quota over replicas. */
export function createRateLimits({ perAddressPerMinute, perKeyPerMinute, now = Date.now }: RateLimitOptions): RateLimits {
  const addresses = createCounter('this address', perAddressPerMinute, now);
  const keys = createCounter('this key', perKeyPerMinute, now);
  return {
    // The address of the connection; forwarding headers of clients are not trusted.
    countAddress: ({ socket }) => addresses.count(networkOf(socket.remoteAddress ?? '')),
    countKey: (hash) => keys.count(hash),
  };
}

interface Count {
  requests: number;
  readonly endsAt: number;
}

/** The minute of a key begins with its first request. */
function createCounter(whose: string, limit: number, now: () => number) {
  let recent = new Map<string, Count>();
  let older = new Map<string, Count>();
  let olderFrom = 0;

  function countOf(key: string, at: number): Count {
    if (at >= olderFrom) {
      // This drops the older counts, whose minutes have all ended.
      older = recent;
      recent = new Map();
      olderFrom = at + WINDOW_MS;
    }
    const known = recent.get(key) ?? older.get(key);
    if (known && known.endsAt > at) return known;
    const begun = { requests: 0, endsAt: at + WINDOW_MS };
    recent.set(key, begun);
    return begun;
  }

  return {
    count(key: string): void {
      const at = now();
      const count = countOf(key, at);
      count.requests += 1;
      if (count.requests <= limit) return;
      const retryAfter = Math.max(1, Math.ceil((count.endsAt - at) / 1_000));
      throw new Problem('rate_limited', `More than ${limit} requests from ${whose} within a minute.`, { retryAfter });
    },
  };
}

/**
 * The address whose requests are counted together: one IPv4 address (also if mapped into IPv6), or a /56 network of IPv6, because a client
 * has many IPv6 addresses.
 */
export function networkOf(address: string): string {
  const within = /^::(?:ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (within !== undefined || !address.includes(':')) return within ?? address;
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const omitted = Array<string>(8 - before.length - after.length).fill('0');
  const [first, second, third, fourth = '0'] = [...before, ...omitted, ...after];
  return `${first}:${second}:${third}:${Number.parseInt(fourth, 16) >> 8}`;
}
