import type { Cell, Difference } from '../../rehearsal/harden/run.ts';

/** The differences of the first cell of a finding that has some. */
export const differencesOf = (cells: readonly Cell[]): readonly Difference[] =>
  cells.find(({ differences }) => differences !== undefined && differences.length > 0)?.differences ?? [];
