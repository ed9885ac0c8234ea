import { checkDigit } from '../../../shared/domain/barcode.ts';
import { digest } from '../../../shared/domain/ids.ts';

const DIGITS = 13;

/**
 * `UC`, 13 digits and their GS1 check digit: an even count of digits, which Code 128 encodes in pairs.
 * @param attempt gives another number for the same parcel when one is taken
 */
export function trackingNumberOf(shipmentId: string, attempt = 0): string {
  const hash = BigInt(`0x${digest('tracking-number', shipmentId, String(attempt)).slice(0, 30)}`);
  const digits = String(hash % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0');
  return `UC${digits}${checkDigit(digits)}`;
}
