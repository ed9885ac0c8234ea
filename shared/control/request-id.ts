import { derivedUlid, digest, newId } from '../domain/ids.ts';
import type { Directory, WorldView } from '../store/ports/rehearsals.ts';

/**
 * The id of a request that begins now. In a world with a seed, it derives from the seed, the name, and the number of requests with this
 * name so far. So the n-th request with a name has the same id in each world with this seed.
 * @param name separates requests whose order varies: `pay-order-api`, or the key of due work
 */
export async function requestIdIn(
  { world, now, seed }: Pick<WorldView, 'world' | 'now' | 'seed'>,
  numbers: Pick<Directory, 'nextNumber'>,
  name: string,
): Promise<string> {
  if (seed === undefined) return newId('req', now);
  const number = await numbers.nextNumber(world, name);
  return `req_${derivedUlid(digest(seed, 'request', name, String(number)), now)}`;
}
