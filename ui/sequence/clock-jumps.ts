import type { Arrow } from './sequence.ts';
import { instant } from './words.ts';

/** The clock of a rehearsal flows with the wall clock. A larger difference is a jump. */
const JUMP_MS = 2_000;

/** The text between two arrows when the clock was moved between them. */
export function clockJump(before: Arrow | undefined, arrow: Arrow): string | undefined {
  if (before === undefined) return undefined;
  const passed = Date.parse(arrow.hop.at) - Date.parse(before.hop.at);
  const isFrozen = passed === 0;
  if (isFrozen || passed - Math.abs(arrow.start - before.start) < JUMP_MS) return undefined;
  return `${lengthOf(passed)} later: ${instant(arrow.hop.at)}`;
}

/** `2 days`, `1.5 hours`. */
export function lengthOf(ms: number): string {
  const [size, unit] = UNITS.find(([least]) => ms >= least) ?? ([1_000, 'second'] as const);
  const count = Math.round((ms / size) * 10) / 10;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const;
