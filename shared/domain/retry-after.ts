/** The longest wait that another system can ask for: a day, in seconds. */
export const LONGEST_RETRY_S = 86_400;

/** As RFC 9110 writes a date: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The seconds to wait in a header `Retry-After` of another system: digits or a date, at most a day.
 * @param now wall time
 * @returns undefined when it has no wait that can be read
 */
export function retryAfterIn(header: string | readonly string[] | null | undefined, now = Date.now()): number | undefined {
  const text = (typeof header === 'string' ? header : (header?.[0] ?? '')).trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : HTTP_DATE.test(text) ? Math.ceil((Date.parse(text) - now) / 1_000) : 0;
  return seconds > 0 ? Math.min(seconds, LONGEST_RETRY_S) : undefined;
}
