import { digest } from './ids.ts';

/** Without letters that are read as digits, or that make words. */
const NUMBER_ALPHABET = '0123456789BCDFGHJKMNPQRSTVWXZ';

/**
 * What a customer is told and can read out on the phone: the day, and six characters that come from the order's id.
 * @param at RFC 3339
 * @param attempt raised while the number is somebody else's
 */
export function orderNumberOf(orderId: string, at: string, attempt: number): string {
  const seed = Buffer.from(digest('order-number', orderId, String(attempt)), 'hex');
  const tail = Array.from({ length: 6 }, (_, position) => NUMBER_ALPHABET[(seed[position] ?? 0) % NUMBER_ALPHABET.length]).join('');
  return `${at.slice(2, 10).replaceAll('-', '')}-${tail}`;
}
