import { checkDigit } from '../../../shared/domain/barcode.ts';
import { digest } from '../../../shared/domain/ids.ts';

/** GS1 prefix for use within a company, so that no product has the same code. */
const PREFIX = '2990001';
const DIGITS = 5;

/**
 * A card number that a till can scan as EAN-13. It is derived from the account's id, so that a rerun of the request gets the same card.
 * @param attempt raised while another member has the number
 */
export function newCardNumber(accountId: string, attempt: number): string {
  const drawn = Number.parseInt(digest('card-number', accountId, String(attempt)).slice(0, 12), 16) % 10 ** DIGITS;
  const payload = PREFIX + String(drawn).padStart(DIGITS, '0');
  return payload + checkDigit(payload);
}
