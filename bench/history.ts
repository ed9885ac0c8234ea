import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A commit with an improvement, and the counts after it, which do not depend on the machine. */
const Line = z.strictObject({ on: z.iso.date(), change: z.string().min(1), counts: z.record(z.string(), z.number().nonnegative()) });

export type HistoryLine = z.output<typeof Line>;

/** The history of counts, oldest first. @throws Error when a line does not fit */
export const readHistory = (): readonly HistoryLine[] =>
  z.array(Line).parse(JSON.parse(readFileSync(new URL('./history.json', import.meta.url), 'utf8')));

export const newestCounts = (history: readonly HistoryLine[]): Readonly<Record<string, number>> =>
  Object.assign({}, ...history.map(({ counts }) => counts));
