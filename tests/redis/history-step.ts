import type { World } from '../../shared/domain/world.ts';

/** Steps of the processes of a history, and their reports. */

export interface Task {
  readonly url: string;
  readonly prefix: string;
  readonly world: World;
  readonly name: string;
  readonly lanes: number;
  readonly ms: number;
}

export interface Step {
  readonly kind: 'append' | 'read' | 'take' | 'name' | 'once';
  readonly key: string;
  /** The intended write, or the result of a read. */
  readonly value: string;
  /** Milliseconds on the machine's monotonic clock. */
  readonly from: number;
  readonly to: number;
  /** `unknown`: the store was not available, so the step took effect once or not at all. */
  readonly outcome: 'done' | 'refused' | 'unknown';
}

export const LISTS = ['list-0', 'list-1', 'list-2'];
export const NAMES = 12;
export const ONCE = 40;
