import { z } from 'zod';
import { durationMs } from '../domain/duration.ts';

const LONGEST_MS = durationMs('P3650D');

/** A positive duration on the rehearsal's clock. */
export const Duration = z
  .string()
  .max(64)
  .refine(isPositiveDuration, 'This must be a positive duration such as PT10M or P2D, at most P3650D.')
  .meta({ format: 'duration' });

function isPositiveDuration(text: string): boolean {
  try {
    const ms = durationMs(text);
    return ms > 0 && ms <= LONGEST_MS;
  } catch {
    return false;
  }
}
