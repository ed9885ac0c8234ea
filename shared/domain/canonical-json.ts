/** Texts without these characters need no escape. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;

const quoted = (text: string): string => (ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`);

/**
 * Canonical JSON (RFC 8785) of a parsed JSON value: the same text for any order of its members. Members that are undefined are left
 * out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value ?? null);
  return `{${canonicalMembers(value)
    .map(([name, member]) => `${quoted(name)}:${canonicalJson(member)}`)
    .join(',')}}`;
}

/** The members of an object in canonical order: RFC 8785 sorts by UTF-16 code units, not by the rules of a language. */
export const canonicalMembers = (value: object): [string, unknown][] =>
  Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
