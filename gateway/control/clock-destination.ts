import { invalid } from '../../shared/catalog/problems.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { instant, type Ms } from '../../shared/domain/time.ts';

/** What one advance covers at most: ten years of 365.25 days. */
export const LONGEST_ADVANCE_MS = 10 * 365.25 * 24 * 60 * 60 * 1_000;
/** RFC 3339 has years of four digits. What is noted for a year ahead must still fit in. */
export const LATEST = Date.UTC(9999, 0, 1);

/**
 * The instant to which an advance moves a clock.
 * @throws Problem `validation_failed` for one that lies behind, too far ahead, or beyond what a clock can show
 */
export function destination({ by, to }: { readonly by?: string | undefined; readonly to?: string | undefined }, now: Ms): Ms {
  const pointer = by === undefined ? '/to' : '/by';
  const at = by === undefined ? Date.parse(to ?? '') : now + duration(by);
  if (Number.isNaN(at)) throw invalid('/to', 'invalid_instant', `"${to}" is no instant.`);
  if (at < now) throw invalid(pointer, 'in_the_past', `The clock moves forward only; it is ${instant(now)} now.`);
  if (at > LATEST) throw invalid(pointer, 'too_late', `No clock goes beyond ${instant(LATEST)}.`);
  if (at - now > LONGEST_ADVANCE_MS) {
    throw invalid(pointer, 'too_far', `At most ten years at once, to ${instant(now + LONGEST_ADVANCE_MS)}; advance in several steps.`);
  }
  return at;
}

function duration(text: string): number {
  try {
    return durationMs(text);
  } catch {
    throw invalid(
      '/by',
      'invalid_duration',
      `"${text}" is not a duration such as PT15M or P2D: weeks at most, since months and years have no fixed length.`,
    );
  }
}
