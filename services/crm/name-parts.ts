import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Customer } from '../../shared/catalog/customer/objects.ts';
import { searchForm } from '../../shared/domain/text.ts';

type Named = Pick<z.output<typeof Customer>, 'firstName' | 'lastName' | 'email' | 'phone'>;

/** Number of characters of a part. */
const LENGTH = 3;
/** Size of the cache of texts with their parts: a customer changes often, but its name rarely. */
const REMEMBERED = 1_000;
/** A value that no text contains. */
const BETWEEN = '\0';

/** The searched texts, normalised for comparison. */
const textsOf = ({ firstName = '', lastName = '', email = '', phone = '' }: Named): readonly string[] =>
  [`${firstName} ${lastName}`.trim(), email, phone].map(searchForm);

export function isNamed(customer: Named, part: string): boolean {
  const wanted = searchForm(part);
  return textsOf(customer).some((text) => text.includes(wanted));
}

/** The parts of a text. Every longer text that contains this text contains all its parts. */
export function partsOf(text: string): readonly string[] {
  const characters = [...searchForm(text)];
  return Array.from({ length: Math.max(0, characters.length - LENGTH + 1) }, (_, from) => characters.slice(from, from + LENGTH).join(''));
}

export const partsOfCustomer = (customer: Named): readonly string[] => remembered.memo(textsOf(customer).join(BETWEEN));

const remembered = new LRUCache<string, readonly string[]>({
  max: REMEMBERED,
  memoMethod: (texts) => [...new Set(texts.split(BETWEEN).flatMap(partsOf))],
});
