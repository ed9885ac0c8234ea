import { isEan13 } from './barcode.ts';
import { CENSOR } from './censor.ts';

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
function censorCardNumbers(text: string, censor: string): string {
  if (text.length < FEWEST_DIGITS) return text;
  return text
    .replaceAll(CANDIDATES, (run) => (isHexadecimal(run) || isTrackingNumber(run) || isPhone(run) ? run : censorRun(run, censor)))
    .replaceAll(JOINED, (run) => (run.includes('+') ? censorRun(run, censor) : run));
}

/** One of 2,700 UUIDs has a group of digits that looks like the number of a card. A UUID without a letter is none. */
const isHexadecimal = (run: string): boolean => /^(?:[0-9a-f]{32}|(?=[\d-]*[a-f])[0-9a-f]{8}-[0-9a-f]{4}-)/i.test(run);

const isTrackingNumber = (run: string): boolean => /^UC/i.test(run);

/** A longer run has more digits, because at most three separators follow a digit. */
const LONGEST_PHONE = MOST_DIGITS_OF_PHONE * 4;

const isPhone = (run: string): boolean =>
  run.startsWith('+') && run.length <= LONGEST_PHONE && run.replaceAll(/\D/g, '').length <= MOST_DIGITS_OF_PHONE;

/** A run may be as long as a body, so it is read character by character: a match for each group would cost ten times as much. */
function censorRun(run: string, censor: string): string {
  let censored = '';
  let copied = 0;
  for (let at = 0; at < run.length; ) {
    const end = isDigit(run, at) ? endOfCard(run, at) : at;
    if (end > at) {
      censored += run.slice(copied, at) + censor;
      copied = end;
      at = end;
    } else at = isDigit(run, at) ? endOfGroup(run, at) : at + 1;
  }
  return copied === 0 ? run : censored + run.slice(copied);
}

const ZERO = '0'.charCodeAt(0);

const isDigit = (text: string, at: number): boolean => text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= ZERO + 9;

function endOfGroup(text: string, from: number): number {
  let at = from;
  while (isDigit(text, at)) at += 1;
  return at;
}

const digitsOfCard = new Uint8Array(MOST_DIGITS);

/** Finds the longest card number that begins with the group of digits at `from`. @returns the end of its last group; `from` without one */
function endOfCard(run: string, from: number): number {
  let digits = 0;
  let found = from;
  for (let at = from; at < run.length; ) {
    const start = at;
    for (; isDigit(run, at); at++) {
      if (digits === MOST_DIGITS) return found;
      digitsOfCard[digits] = run.charCodeAt(at) - ZERO;
      digits += 1;
    }
    if (digits >= FEWEST_DIGITS && isCardNumber(digits)) found = at;
    if (at - start < SMALLEST_GROUP) return found;
    while (at < run.length && !isDigit(run, at)) at += 1;
  }
  return found;
}

/** German EAN-13 barcodes begin with 4, like card numbers with 13 digits. @param length number of digits in `digitsOfCard` */
function isCardNumber(length: number): boolean {
  if (!passesLuhn(length)) return false;
  const digits = digitsOfCard.subarray(0, length).join('');
  return (ISSUED[length] ?? ISSUED_LONGER).test(digits) && !isEan13(digits);
}

function passesLuhn(length: number): boolean {
  let sum = 0;
  for (let place = 0; place < length; place++) {
    const digit = digitsOfCard[length - 1 - place] ?? 0;
    const doubled = place % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Deeper values are not inspected, and therefore replaced. */
const DEEPEST = 64;

/** Members whose values are always secrets. Names are in lower case, with letters and digits only. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'accesstoken',
  'apikey',
  'authorization',
  'bearer',
  'cardnumber',
  'clientsecret',
  'cookie',
  'cvc',
  'cvc2',
  'cvv',
  'cvv2',
  'pan',
  'password',
  'proxyauthorization',
  'secret',
  'securitycode',
  'setcookie',
  'webhooksecret',
  'webhooksignature',
  'xapikey',
  'xestatecontext',
  'xestatetoken',
]);
/** Names of secrets that a text may quote, in JSON or in the query of a URL. */
const QUOTED =
  'x-api-key|api[_-]?key|access[_-]?token|x-estate-token|x-estate-context|webhook-signature|webhook-?secret|client[_-]?secret|(?:proxy-)?authorization|(?:set-)?cookie|password';
const IN_QUERY = 'x-api-key|api[_-]?key|access[_-]?token|client[_-]?secret|authorization|key|password|secret|token';

/** How every access token begins. */
export const ACCESS_TOKEN_PREFIX = 'uct_';
/** How every permission of a real system (`EstateCall`) begins. */
export const ESTATE_CALL_PREFIX = 'uec_';

/** Credentials of rehearsals, access tokens, webhook secrets and the demo credentials of the fixtures. */
const CREDENTIALS =
  /\b(?:whsec_[A-Za-z0-9+/=_.%-]+|reh_[a-z0-9-]{1,40}_[A-Za-z0-9-]{20,}|uct_[\w.-]{20,}|uec_[\w.-]{20,}|demo-(?:integration-token|client-secret|control-token|carrier-key|store-key)\b)/g;
/** Tokens of payment providers. */
const TOKENS = /\btok_[A-Za-z0-9_-]+/g;
/** The simulated provider declines these tokens with the code in their name. */
const DECLINED_TOKEN = /^tok_decline_([a-z][a-z0-9_]*)$/;
/** A match cannot contain the start of another match, so each pattern runs in linear time on any text. */
const PATTERNS: readonly (readonly [pattern: RegExp, censored: string])[] = [
  [CREDENTIALS, CENSOR],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${CENSOR}`],
  [new RegExp(`("(?:${QUOTED})\\\\*"\\s*:\\s*\\\\*")[^"\\\\]+`, 'gi'), `$1${CENSOR}`],
  [new RegExp(`([?&](?:${IN_QUERY})=)[^&#\\s"]+`, 'gi'), `$1${CENSOR}`],
  [/(:\/\/[^\s:/@"]*):[^\s/@"]+@/g, `$1:${CENSOR}@`],
];

/**
 * A text or JSON without a match has no secret. Most texts need only these tests. Each pattern is tested alone: the engine then skips most
 * characters, which it cannot do for alternatives with different beginnings.
 */
const SUSPICIOUS: readonly RegExp[] = [
  /(?:whsec|reh|uct|uec|tok)_|demo-/i,
  /:\/\/|%[0-9a-f]{2}/i,
  /\b(?:bearer|basic)\b/i,
  new RegExp(`[?&](?:${IN_QUERY})=`, 'i'),
  new RegExp(`"(?:${QUOTED}|bearer|card[_-]?number|cv[cv]2?|pan|secret|security[_-]?code)\\\\*"`, 'i'),
];

/** Digits as many as in a card number, as JSON may write them. */
const MANY_DIGITS = /(?:\d(?:[\s._+\u2010-\u2015-]|\\[nrt]){0,3}){13}/;
/** The ASCII characters of a match, and all others. */
const OF_MANY_DIGITS = Uint8Array.from({ length: 129 }, (_, code) => (/[\d\s._+\\nrt-]/.test(String.fromCharCode(code)) ? 1 : 0)).fill(
  1,
  128,
);

/** Looks at every thirteenth character only, unless it may be one of a match: the pattern alone would try each digit of an instant. */
function hasManyDigits(text: string): boolean {
  for (let end = FEWEST_DIGITS - 1; end < text.length; ) {
    let at = end;
    while (at > end - FEWEST_DIGITS && OF_MANY_DIGITS[Math.min(text.charCodeAt(at), 128)] === 1) at -= 1;
    if (at === end - FEWEST_DIGITS) return MANY_DIGITS.test(text);
    end = at + FEWEST_DIGITS;
  }
  return false;
}

/** Shorter values are not registered, because they may be common words. */
const SHORTEST_SECRET = 8;
/** Secrets of this process without a pattern: credentials of its fixtures, tokens of its configuration. */
let known: readonly string[] = [];
/** Finds any of them in one pass. */
let anyKnown: RegExp | undefined;

/** Registers secrets that journal records and log lines of this process must not contain. */
export function keepSecret(secrets: Iterable<string | undefined>): void {
  const all = [...new Set([...known, ...secrets])].filter((secret) => secret !== undefined);
  known = all.filter(({ length }) => length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
  anyKnown = known.length > 0 ? new RegExp(known.map((secret) => secret.replaceAll(/[^\w\s]/g, String.raw`\$&`)).join('|')) : undefined;
}

/** Tokens with a meaning for the simulated provider. They are not secret. */
let magicTokens: ReadonlySet<string> = new Set();

/** Registers tokens that journal records and log lines of this process show. */
export function showTokens(tokens: Iterable<string>): void {
  magicTokens = new Set([...magicTokens, ...tokens]);
}

/** The decline code of the simulated provider for a token that no fixture lists. */
export const declineCodeIn = (token: string): string | undefined => DECLINED_TOKEN.exec(token)?.[1];

const redactTokens = (text: string): string =>
  text.replace(TOKENS, (token) => (magicTokens.has(token) || DECLINED_TOKEN.test(token) ? token : CENSOR));

const holdsKnown = (text: string): boolean => anyKnown?.test(text) === true;

const isSuspicious = (text: string): boolean => hasManyDigits(text) || SUSPICIOUS.some((pattern) => pattern.test(text)) || holdsKnown(text);

/** The patterns overflow on a longer text, which is replaced as a whole if it may have a secret. A body has fewer characters. */
const MOST_SEARCHED = 1_048_576;

/** Replaces card numbers, tokens and credentials in a text. */
export function redactText(text: string): string {
  if (!isSuspicious(text)) return text;
  if (text.length > MOST_SEARCHED) return CENSOR;
  const patterned = PATTERNS.reduce((left, [pattern, censored]) => left.replace(pattern, censored), redactTokens(text));
  const unknown = known.reduce((left, secret) => left.replaceAll(secret, CENSOR), patterned);
  return censorCardNumbers(unknown, CENSOR);
}

/** No path of an API has as many characters, so a longer one is shown in part. */
const LONGEST_URL = 1_024;

/** Redacts a path with its query. An encoded part with a secret, and the end of a long URL, are replaced as a whole. */
export function redactUrl(url: string): string {
  if (url.length > LONGEST_URL) return redactUrl(url.slice(0, LONGEST_URL).replace(/[^/?&=#]*$/, '')) + CENSOR;
  return redactText(/[%+]/.test(url) ? redactEncoded(url, (part) => part.replaceAll('+', ' ')) : url);
}

/** Redacts a text that may be a path, or quote a part of one. */
function redactString(text: string): string {
  if (text.startsWith('/')) return redactUrl(text);
  return redactText(ENCODED.test(text) ? redactEncoded(text, (part) => part) : text);
}

/** Redacts encoded parts. It runs before the plain redaction, which would censor a secret in a part and leave its encoded characters. */
function redactEncoded(text: string, spaced: (part: string) => string): string {
  if (text.length > MOST_SEARCHED) return text;
  // Most texts have no secret: testing the whole text costs less than testing each part.
  if (!holdsEncoded(spaced(text))) return text;
  return text.replaceAll(/[^\s/?&=#"]+/g, (part) => (/[%+]/.test(part) && holdsEncoded(spaced(part)) ? CENSOR : part));
}

/** Maximum number of rounds of decoding. No reader decodes text that is encoded more often. */
const MOST_ENCODINGS = 3;
const ENCODED = /%[0-9a-f]{2}/i;

function holdsEncoded(part: string): boolean {
  let decoded = part;
  for (let times = 0; times < MOST_ENCODINGS; times++) {
    if (redactText(decoded) !== decoded) return true;
    if (!ENCODED.test(decoded)) return false;
    decoded = decode(decoded);
  }
  return redactText(decoded) !== decoded;
}

/** Decodes only valid sequences, so that an invalid one cannot hide a secret beside it. */
const decode = (part: string): string =>
  part.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());

/** Redacts a JSON value: strings and numbers that look like secrets, and members with names of secrets. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactString(value);
  if (typeof value === 'number') return redactText(String(value)) === String(value) ? value : CENSOR;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return CENSOR;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      redactString(name),
      isSecretName(name) && member !== null ? CENSOR : redactValue(member, depth + 1),
    ]),
  );
}

const isSecretName = (name: string): boolean => name.length <= 40 && SECRET_NAMES.has(name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

/** Redacts a JSON text. Invalid JSON is redacted as plain text. */
export function redactJson(json: string): string {
  if (!isSuspicious(json)) return json;
  // Tokens are the most frequent secret. In text without escapes they appear verbatim, so text that has only tokens need not be parsed.
  const isPlain = json.length <= MOST_SEARCHED && !json.includes('\\');
  if (isPlain && !isSuspicious(json.replace(TOKENS, CENSOR))) return redactTokens(json);
  try {
    return JSON.stringify(redactValue(JSON.parse(json)));
  } catch {
    return redactString(json);
  }
}

/** A text of more characters is redacted at its start only, and the rest is not shown. */
export const MOST_REDACTED = 32_768;
/** A secret has fewer characters. So a start that ends within a secret shows no part of it without this many last characters. */
const LONGEST_SECRET = 4_096;
/** JSON may write a character of a secret as two. */
const LONGEST_IN_JSON = LONGEST_SECRET * 2;

/** Redacts a text of any length in bounded time. @returns at most its first `MOST_REDACTED` characters, redacted */
export function redactedStart(text: string): string {
  if (text.length <= MOST_REDACTED) return redactText(text);
  return redactText(text.slice(0, MOST_REDACTED)).slice(0, -LONGEST_SECRET);
}

/**
 * Redacts a long JSON text in bounded time.
 * @param value the parsed text, if it is at hand
 * @returns the start of the redacted text. It is not JSON
 */
export function redactedJsonStart(json: string, value?: unknown): string {
  const start = json.slice(0, MOST_REDACTED);
  const shown = isSuspicious(start) ? redactJson(jsonOfStart(json, value) ?? start) : start;
  return shown.slice(0, -LONGEST_IN_JSON);
}

/**
 * Redacts a long value in bounded time: serialising a megabyte would take longer than its request.
 * @returns the start of its redacted JSON; undefined if the value has no more than its start
 */
export function redactedStartOf(value: unknown): string | undefined {
  const { start, isWhole } = beginning(value);
  if (isWhole) return undefined;
  const json = JSON.stringify(start).slice(0, MOST_REDACTED);
  const shown = isSuspicious(json) ? redactJson(JSON.stringify(start)) : json;
  return shown.slice(0, -LONGEST_IN_JSON);
}

/** Secrets in JSON are found by names of members and behind escapes, so its start must be JSON too. */
function jsonOfStart(json: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(startOfValue(value ?? JSON.parse(json)));
  } catch {
    return undefined;
  }
}

/** A number, or a member without its texts, counts as so many characters. */
const CHARACTERS_OF_OTHERS = 8;

/** The first members and items of a value, up to a total of `MOST_REDACTED` characters. */
export const startOfValue = (value: unknown): unknown => beginning(value).start;

function beginning(value: unknown): { readonly start: unknown; readonly isWhole: boolean } {
  let left = MOST_REDACTED;
  let isWhole = true;
  const cut = (text: string): string => {
    const start = text.slice(0, Math.max(0, left));
    left -= start.length;
    isWhole &&= start.length === text.length;
    return start;
  };
  const startOf = (part: unknown, depth: number): unknown => {
    if (typeof part === 'string') return cut(part);
    left -= CHARACTERS_OF_OTHERS;
    if (typeof part !== 'object' || part === null) return part;
    if (depth >= DEEPEST) return CENSOR;
    const start: unknown[] | Record<string, unknown> = Array.isArray(part) ? [] : {};
    for (const name in part) {
      if (left <= 0) {
        isWhole = false;
        break;
      }
      const member = (part as Readonly<Record<string, unknown>>)[name];
      if (Array.isArray(start)) start.push(startOf(member, depth + 1));
      else Object.defineProperty(start, cut(name), { value: startOf(member, depth + 1), enumerable: true });
    }
    return start;
  };
  return { start: startOf(value, 0), isWhole };
}

/** Characters of a piece of a long text that is searched for secrets. */
const PIECE = 16_384;
/** No card number and no credential has this character, so that a piece may begin after it. */
const BOUNDARY = /[^\w\s.+/=%\u2010-\u2015-]/;

/** Pieces of a text that are searched one by one. They overlap, so that a secret is within one of them. */
export function* searchedPieces(text: string): Generator<string, void> {
  for (let start = 0; ; ) {
    yield text.slice(start, start + PIECE);
    if (start + PIECE >= text.length) return;
    const next = start + PIECE - LONGEST_SECRET;
    let at = next;
    while (at > next - LONGEST_SECRET && !BOUNDARY.test(text.charAt(at - 1))) at -= 1;
    start = at > next - LONGEST_SECRET ? at : next;
  }
}

/** The kind of secret in a text that must not be stored. Card tokens may be stored. */
export function secretIn(text: string): 'card_number' | 'credential' | undefined {
  if (text.length > MOST_SEARCHED) {
    for (const piece of searchedPieces(text)) {
      const found = secretIn(piece);
      if (found) return found;
    }
    return undefined;
  }
  if (censorCardNumbers(text, '') !== text) return 'card_number';
  return text.search(CREDENTIALS) >= 0 || holdsKnown(text) ? 'credential' : undefined;
}
