import { isEan13 } from '../../shared/domain/barcode.ts';

// The rules for card numbers, written with regular expressions for each group. A test compares the faster search with them.

/** UUIDs, hexadecimal ids and digests, our tracking numbers, and runs of at least 13 digits with up to three separators between digits. */
const CANDIDATES = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,}|\bUC\d{14}\b|\+?\d(?:[\s._\u2010-\u2015-]{0,3}\d){12,}/gi;
/** Groups of digits joined by plus signs, as in a URL. They are too short for telephone numbers. */
const JOINED = /(?<![\d+])\d{1,8}(?:(?:\+|[\s._\u2010-\u2015-]{1,3})\d{1,8})+/g;
const FEWEST_DIGITS = 13;
const MOST_DIGITS = 19;
/** E.164: a plus sign with at most this many digits is a telephone number. */
const MOST_DIGITS_OF_PHONE = 15;
/** Groups of a card number have at least this many digits, except the last group. */
const SMALLEST_GROUP = 3;

/** Prefixes of the card schemes by number of digits. Barcodes, instants and most counters have other prefixes, and stay readable. */
const ISSUED: Readonly<Record<number, RegExp>> = { 13: /^4/, 14: /^3(?:0|6|8|9)/, 15: /^(?:3[47]|1800|2131)/ };
const ISSUED_LONGER = /^(?:2[2-7]|3[05689]|4|5|6)/;

/** Replaces numbers of payment cards, plain or in groups. Runs in linear time. */
export function censoredCardNumbers(text: string, censor: string): string {
  if (text.length < FEWEST_DIGITS) return text;
  return text
    .replaceAll(CANDIDATES, (run) => (isHexadecimal(run) || isTrackingNumber(run) || isPhone(run) ? run : censorRun(run, censor)))
    .replaceAll(JOINED, (run) => (run.includes('+') ? censorRun(run, censor) : run));
}

const isHexadecimal = (run: string): boolean => /^(?:[0-9a-f]{32}|(?=[\d-]*[a-f])[0-9a-f]{8}-[0-9a-f]{4}-)/i.test(run);

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

/** Finds the longest card number that begins with the group `first`. @returns the place of its last group; undefined without one */
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

/** German EAN-13 barcodes begin with 4, like card numbers with 13 digits. */
const isCardNumber = (digits: string): boolean =>
  (ISSUED[digits.length] ?? ISSUED_LONGER).test(digits) && passesLuhn(digits) && !isEan13(digits);

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
