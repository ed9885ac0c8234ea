import type { World } from '../../domain/world.ts';

export interface FaultRule {
  readonly name: string;
  readonly json: string;
  readonly hits: number;
  /** What the last hits struck, oldest first, at most `MOST_STRUCK`. */
  readonly struck: readonly string[];
}

/** The faults of a world, for the applications, which apply them. */
export interface FaultStore {
  faults(world: World): Promise<{ readonly revision: number; readonly rules: readonly FaultRule[] }>;
  /**
   * Counts one hit and returns its number; undefined when `limit` hits are already counted. One atomic step.
   * @param struck what it struck, in one line
   */
  hit(world: World, fault: string, struck: string, limit?: number): Promise<number | undefined>;
  /** Counts one opportunity of a fault that skips some, or has a probability, and returns its number from 1 on. One atomic step. */
  chance(world: World, fault: string): Promise<number>;
  /** The hits of a fault. Requests that wait at a barrier poll it. */
  hits(world: World, fault: string): Promise<number>;
}

/** Maximum number of faults of a world. It is limited because each call is compared with them. */
export const MOST_FAULTS = 200;

/** The faults of a world, for the control plane, which sets them. */
export interface FaultControl {
  /**
   * Sets a fault anew. If it replaces a fault of this name, the work that the old fault withheld becomes due, and all work that awaits an
   * application.
   * @returns false, with nothing changed, when the world has `MOST_FAULTS` others
   */
  setFault(world: World, name: string, json: string): Promise<boolean>;
  /**
   * Removes one fault or all. Work that they withheld and work that awaits an application become due. @returns false when there was none
   */
  removeFault(world: World, name?: string): Promise<boolean>;
}
