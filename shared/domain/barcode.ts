/**
 * GS1 check digit (modulo 10): digits weigh 3, 1, 3, … from the right. The same rule serves EAN-8, UPC-A, EAN-13, GTIN-14 and SSCC-18.
 * @param payload the digits of the code without its check digit
 * @returns the check digit, one character `0`–`9`
 * @throws RangeError when the payload is not a sequence of the digits 0–9
 */
export function checkDigit(payload: string): string {
  if (!/^[0-9]+$/.test(payload)) throw new RangeError(`"${payload}" is not a row of digits`);
  let sum = 0;
  for (let fromRight = 1; fromRight <= payload.length; fromRight += 1) {
    sum += Number(payload.at(-fromRight)) * (fromRight % 2 === 1 ? 3 : 1);
  }
  return String((10 - (sum % 10)) % 10);
}

/** Whether a code has thirteen digits with a valid check digit. Price-embedded labels and loyalty cards are EAN-13 too. */
export function isEan13(code: string): boolean {
  return /^[0-9]{13}$/.test(code) && checkDigit(code.slice(0, -1)) === code.at(-1);
}

/** Whether the check digit of a GTIN-8, -12, -13 or -14 is valid. */
export const isGtin = (code: string): boolean => checkDigit(code.slice(0, -1)) === code.at(-1);

/** A GTIN names the same product in each of its lengths, so GTINs are compared with 14 digits. */
export const gtin14 = (code: string): string => code.padStart(14, '0');

/** The content of a label that a counter's scale prints. */
interface PriceLabel {
  /** Five digits that name the product within the retailer. */
  readonly reference: string;
  /** Minor units, tax included. */
  readonly price: number;
}

/**
 * The content of a price-embedded label: EAN-13 with the prefix 20 to 29, or UPC-A with the prefix 2. Five digits of reference and five of
 * price follow the prefix. The touchpoint reads the same labels.
 * @param gtin 14 digits with a valid check digit
 * @returns undefined for another barcode
 */
export function priceLabel(gtin: string): PriceLabel | undefined {
  const [, reference, price] = /^0(?:2\d|02)(\d{5})(\d{5})\d$/.exec(gtin) ?? [];
  return reference === undefined ? undefined : { reference, price: Number(price) };
}
