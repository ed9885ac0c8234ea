import type { ListedHop } from '../data/hop.ts';

/** Epoch milliseconds of the wall clock. */
export const startOf = ({ startedAt }: ListedHop): number => Date.parse(startedAt);

export const byStart = (one: ListedHop, other: ListedHop): number => startOf(one) - startOf(other) || one.sequence - other.sequence;

/** The caller lists its calls in order. A retried call has one id and several hops. */
export function inCallOrder({ calls }: ListedHop, made: readonly ListedHop[]): readonly ListedHop[] {
  const place = new Map(calls.map((id, index) => [id, index]));
  const placeOf = ({ requestId }: ListedHop): number => place.get(requestId) ?? calls.length;
  return made.toSorted((one, other) => placeOf(one) - placeOf(other) || byStart(one, other));
}
