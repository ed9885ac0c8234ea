import type { z } from 'zod';
import type { Customer } from '../../shared/catalog/customer/objects.ts';

type Named = Pick<z.output<typeof Customer>, 'firstName' | 'lastName' | 'email' | 'phone'>;

const LENGTH = 3;

/** What a customer is searched by, part by part; case does not matter. */
const textsOf = ({ firstName = '', lastName = '', email = '', phone = '' }: Named): readonly string[] =>
  [`${firstName} ${lastName}`, email, phone].map((text) => text.toLowerCase());

export const isNamed = (customer: Named, part: string): boolean => textsOf(customer).some((text) => text.includes(part.toLowerCase()));

/** The parts of three characters within a text. What contains the text contains each of them. */
export function partsOf(text: string): readonly string[] {
  const characters = [...text.toLowerCase()];
  return Array.from({ length: Math.max(0, characters.length - LENGTH + 1) }, (_, from) => characters.slice(from, from + LENGTH).join(''));
}

/** Every customer has this part: where the first customer of a world is without it, an older release has entered no parts. */
export const ANY_PART = '';

/** Under what a customer is found. */
export const partsOfCustomer = (customer: Named): readonly string[] => [ANY_PART, ...new Set(textsOf(customer).flatMap(partsOf))];
