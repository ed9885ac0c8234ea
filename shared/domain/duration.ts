import { parse } from 'tinyduration';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Milliseconds of an ISO 8601 duration, `P2D`, `PT15M`, `-P30D`. Days have 24 hours.
 * @throws RangeError when it is not a duration, or counts years or months, which have no fixed length
 */
export function durationMs(text: string): number {
  const duration = parsed(text);
  if (!duration || duration.years !== undefined || duration.months !== undefined) {
    throw new RangeError(`"${text}" is not a duration in weeks, days, hours, minutes and seconds.`);
  }
  const { weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0 } = duration;
  const length = (weeks * 7 + days) * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND;
  return Math.round(duration.negative ? -length : length);
}

function parsed(text: string): ReturnType<typeof parse> | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
