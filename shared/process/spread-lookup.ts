import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

type Resolve = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

/**
 * Spreads connections over the replicas behind one name. The system's resolver sorts addresses by distance, always in the same order, so one
 * replica would get every connection. Here each connection tries the next address first, and the others if that one does not answer.
 */
export function createSpreadLookup(resolve: Resolve = lookup): LookupFunction {
  let turn = Math.floor(Math.random() * 1_000);
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const first = turn++ % (addresses?.length || 1);
      const spread = error ? [] : [...addresses.slice(first), ...addresses.slice(0, first)];
      if (options.all) callback(error, spread);
      else callback(error, spread[0]?.address ?? '', spread[0]?.family);
    });
  };
}

/** Shared by all connections of this process. */
export const spreadLookup: LookupFunction = createSpreadLookup();
