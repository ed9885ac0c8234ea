import { KEPT_MOVES, KEPT_OPERATIONS, KEPT_VERDICTS } from '../../catalog/limits.ts';
import type { World } from '../../domain/world.ts';

/** The logs of a world. `most`: the newest entries stay. `isAnnounced`: a new entry is a change of the world, and no due work begins by it. */
export const LOGS = {
  /** What the advances of the clock did. Every view of the world has the number of the newest. */
  moves: { most: KEPT_MOVES, isAnnounced: true },
  /** The changes that people and clients made by operations of the control plane. */
  operations: { most: KEPT_OPERATIONS, isAnnounced: false },
  /** What `verify` found. */
  verdicts: { most: KEPT_VERDICTS, isAnnounced: false },
} as const;

export type LogName = keyof typeof LOGS;

/** Entries are numbered from 1 in each log of a world. */
export interface LogEntry {
  readonly number: number;
  readonly json: string;
}

/** What the control plane records about a world. A reset, a fork and a snapshot begin without entries. */
export interface LogStore {
  /** @returns the number of the entry */
  addEntry(world: World, log: LogName, json: string): Promise<number>;
  /** The entries with a lower number, newest first. Absent: the newest. */
  entries(world: World, log: LogName, page: { readonly before?: number; readonly limit: number }): Promise<readonly LogEntry[]>;
}
