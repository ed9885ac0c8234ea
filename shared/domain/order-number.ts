import { digest } from './ids.ts';

/** Without letters that look like digits, and without vowels, so that no words appear. */
const NUMBER_ALPHABET = '0123456789BCDFGHJKMNPQRSTVWXZ';

/**
 * An order number that is easy to read out on the phone: the day, and six characters derived from the order's id.
 * @param at RFC 3339
 * @param attempt increased while another order has the number
 */
export function orderNumberOf(orderId: string, at: string, attempt: number): string {
  const seed = Buffer.from(digest('order-number', orderId, String(attempt)), 'hex');
  const tail = Array.from({ length: 6 }, (_, position) => NUMBER_ALPHABET[(seed[position] ?? 0) % NUMBER_ALPHABET.length]).join('');
  return `${at.slice(2, 10).replaceAll('-', '')}-${tail}`;
}
