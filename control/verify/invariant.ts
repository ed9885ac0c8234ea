import { type InvariantId, invariantRules } from '../../shared/catalog/control/invariants.ts';

export interface InvariantResult {
  readonly id: InvariantId;
  readonly title: string;
  readonly holds: boolean;
  /** Set when real systems have records that the invariant needs. Absent: all records are checked. */
  readonly basis?: 'as-seen' | 'not-checked';
  readonly checked: number;
  /** Names of the records that it has read. */
  readonly reads?: string[];
  /** Each violation names its records. */
  readonly violations: string[];
  /** The actors that open orders wait for, and work that waits for an application. Only for the invariant `moving`. */
  readonly waiting?: string[];
}

/** Records a check; a violation names its records. */
export type Check = (holds: boolean, violation: string) => void;

export function findings(id: InvariantId) {
  const violations: string[] = [];
  let checked = 0;
  return {
    check(holds: boolean, violation: string): void {
      checked += 1;
      if (!holds) violations.push(violation);
    },
    result: (): InvariantResult => ({ id, title: invariantRules[id].title, holds: violations.length === 0, checked, violations }),
  };
}

export function sums<T>(items: readonly T[], keyOf: (item: T) => string, amountOf: (item: T) => number): Map<string, number> {
  const added = new Map<string, number>();
  for (const item of items) added.set(keyOf(item), (added.get(keyOf(item)) ?? 0) + amountOf(item));
  return added;
}

export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) addToGroup(groups, keyOf(item), item);
  return groups;
}

export function addToGroup<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}
