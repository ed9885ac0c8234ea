import { digest } from './ids.ts';

/** The characters of order numbers. They exclude letters that look like digits, and vowels, so that no words appear. */
const NUMBER_ALPHABET = '0123456789BCDFGHJKMNPQRSTVWXZ';

/** An order number to read out: the day and six characters from the id. @param day as `localDay` writes it @param attempt raised while the number is taken */
export function orderNumberOf(orderId: string, day: string, attempt: number): string {
  const seed = Buffer.from(digest('order-number', orderId, String(attempt)), 'hex');
  const tail = Array.from({ length: 6 }, (_, position) => NUMBER_ALPHABET[(seed[position] ?? 0) % NUMBER_ALPHABET.length]).join('');
  return `${day.slice(2)}-${tail}`;
}
