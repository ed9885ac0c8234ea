/** Hexadecimal ids and digests, and our tracking numbers, are passed over whole; then digits, a few separators between them allowed. */
const CANDIDATES = /[0-9a-f]{32,}|\bUC\d{14}\b|\+?\d(?:[\s._\u2010-\u2015-]{0,3}\d){12,}/gi;
/** Groups of digits that a plus sign joins, as in a URL: too short for telephone numbers. */
const JOINED = /(?<![\d+])\d{1,8}(?:(?:\+|[\s._\u2010-\u2015-]{1,3})\d{1,8})+/g;
const FEWEST_DIGITS = 13;
const MOST_DIGITS = 19;
/** E.164: a plus sign and at most so many digits are a telephone number. */
const MOST_DIGITS_OF_PHONE = 15;
/** A number that is written in groups has none that is shorter, but perhaps the last. */
const SMALLEST_GROUP = 3;

/**
 * Beginnings that card schemes use, by length. Barcodes, instants and most counters begin otherwise, and nobody wants to lose those.
 */
const ISSUED: Readonly<Record<number, RegExp>> = {
  13: /^4/,
  14: /^3(?:0|6|8|9)/,
  15: /^(?:3[47]|1800|2131)/,
};
const ISSUED_LONGER = /^(?:2[2-7]|3[05689]|4|5|6)/;

/** Numbers of payment cards, plain or in groups, replaced. The time that it takes grows with the text and no faster. */
export function censorCardNumbers(text: string, censor: string): string {
  return text
    .replaceAll(CANDIDATES, (run) => (isHexadecimal(run) || isTrackingNumber(run) || isPhone(run) ? run : censorRun(run, censor)))
    .replaceAll(JOINED, (run) => (run.includes('+') ? censorRun(run, censor) : run));
}

const isHexadecimal = (run: string): boolean => /^[0-9a-f]{32}/i.test(run);

const isTrackingNumber = (run: string): boolean => /^UC/i.test(run);

const isPhone = (run: string): boolean => run.startsWith('+') && run.replaceAll(/\D/g, '').length <= MOST_DIGITS_OF_PHONE;

function censorRun(run: string, censor: string): string {
  const groups = [...run.matchAll(/\d+/g)].map((match) => ({ digits: match[0], at: match.index }));
  let censored = '';
  let copied = 0;
  for (let first = 0; first < groups.length; ) {
    const start = groups[first];
    const last = lastGroupOfCard(groups, first);
    const end = last === undefined ? undefined : groups[last];
    if (start && end && last !== undefined) {
      censored += run.slice(copied, start.at) + censor;
      copied = end.at + end.digits.length;
      first = last + 1;
    } else first += 1;
  }
  return censored + run.slice(copied);
}

/** @returns the last group of the longest card number that begins with the first one, if any does */
function lastGroupOfCard(groups: readonly { readonly digits: string }[], first: number): number | undefined {
  let digits = '';
  let found: number | undefined;
  for (let at = first; at < groups.length; at++) {
    const group = groups[at]?.digits ?? '';
    digits += group;
    if (digits.length > MOST_DIGITS) break;
    if (digits.length >= FEWEST_DIGITS && isCardNumber(digits)) found = at;
    if (group.length < SMALLEST_GROUP) break;
  }
  return found;
}

const isCardNumber = (digits: string): boolean =>
  (ISSUED[digits.length] ?? ISSUED_LONGER).test(digits) && passesLuhn(digits) && !isBarcode(digits);

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** An EAN-13: German ones begin like the oldest cards. */
function isBarcode(digits: string): boolean {
  if (digits.length !== 13) return false;
  const sum = [...digits].reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}
