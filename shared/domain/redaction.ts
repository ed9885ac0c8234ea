import { censorCardNumbers } from './card-numbers.ts';
import { CENSOR } from './censor.ts';

/** Deeper values are not inspected, and therefore replaced. */
const DEEPEST = 64;

/** Members whose values are always secrets. Names are in lower case, with letters and digits only. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'accesstoken',
  'apikey',
  'authorization',
  'bearer',
  'cardnumber',
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
  'x-api-key|api[_-]?key|access[_-]?token|x-estate-token|x-estate-context|webhook-signature|webhook-?secret|(?:proxy-)?authorization|(?:set-)?cookie|password';
const IN_QUERY = 'x-api-key|api[_-]?key|access[_-]?token|authorization|key|password|secret|token';

/** Credentials of rehearsals, webhook secrets and the demo credentials of the fixtures. */
const CREDENTIALS =
  /\b(?:whsec_[A-Za-z0-9+/=_.%-]+|reh_[a-z0-9-]{1,40}_[A-Za-z0-9-]{20,}|demo-(?:integration-token|control-token|carrier-key|store-key)\b)/g;
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

/** A text or JSON without a match has no secret. Most texts need only this test. */
const SUSPICIOUS = new RegExp(
  `(?:\\d(?:[\\s._+\\u2010-\\u2015-]|\\\\[nrt]){0,3}){13}|%[0-9a-f]{2}|whsec_|reh_|tok_|demo-|\\b(?:bearer|basic)\\b|://|[?&](?:${IN_QUERY})=|"(?:${QUOTED}|bearer|card[_-]?number|cv[cv]2?|pan|secret|security[_-]?code)\\\\*"`,
  'i',
);

/** Shorter values are not registered, because they may be common words. */
const SHORTEST_SECRET = 8;
/** Secrets of this process without a pattern: credentials of its fixtures, tokens of its configuration. */
let known: readonly string[] = [];

/** Registers secrets that journal records and log lines of this process must not contain. */
export function keepSecret(secrets: Iterable<string | undefined>): void {
  const all = [...new Set([...known, ...secrets])].filter((secret) => secret !== undefined);
  known = all.filter(({ length }) => length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
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

const holdsKnown = (text: string): boolean => known.some((secret) => text.includes(secret));

const isSuspicious = (text: string): boolean => SUSPICIOUS.test(text) || holdsKnown(text);

/** Replaces card numbers, tokens and credentials in a text. */
export function redactText(text: string): string {
  if (!isSuspicious(text)) return text;
  const patterned = PATTERNS.reduce((left, [pattern, censored]) => left.replace(pattern, censored), redactTokens(text));
  return censorCardNumbers(
    known.reduce((left, secret) => left.replaceAll(secret, CENSOR), patterned),
    CENSOR,
  );
}

/** Redacts a path with its query. An encoded part that contains a secret is replaced as a whole. */
export function redactUrl(url: string): string {
  return redactText(/[%+]/.test(url) ? redactEncoded(url, (part) => part.replaceAll('+', ' ')) : url);
}

/** Redacts a text that may be a path, or quote a part of one. */
function redactString(text: string): string {
  if (text.startsWith('/')) return redactUrl(text);
  return redactText(ENCODED.test(text) ? redactEncoded(text, (part) => part) : text);
}

/** Redacts encoded parts. It runs before the plain redaction, which would leave the encoded rest of a part. */
function redactEncoded(text: string, spaced: (part: string) => string): string {
  // Most texts have no secret: testing the whole text costs less than testing each part.
  if (!holdsEncoded(spaced(text))) return text;
  return text.replaceAll(/[^\s/?&=#"]+/g, (part) => (/[%+]/.test(part) && holdsEncoded(spaced(part)) ? CENSOR : part));
}

/** Most rounds of decoding. No reader decodes text that is encoded more often. */
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
  if (!json.includes('\\') && !isSuspicious(json.replace(TOKENS, CENSOR))) return redactTokens(json);
  try {
    return JSON.stringify(redactValue(JSON.parse(json)));
  } catch {
    return redactString(json);
  }
}

/** The kind of secret in a text that must not be stored. Card tokens may be stored. */
export function secretIn(text: string): 'card_number' | 'credential' | undefined {
  if (censorCardNumbers(text, '') !== text) return 'card_number';
  return text.search(CREDENTIALS) >= 0 || holdsKnown(text) ? 'credential' : undefined;
}
