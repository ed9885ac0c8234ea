import type { HardenRun } from '../run.ts';
import { findingLines } from './finding-lines.ts';
import { matrixLines } from './matrix-lines.ts';

/** A run as lines of a terminal: the matrix, the findings, and what was not checked. @param width characters of the terminal */
export const runLines = (run: HardenRun, width: number, colour: boolean): readonly string[] => [
  ...matrixLines(run, width, colour),
  '',
  ...findingLines(run, width, colour),
];
