import type { Ms } from '../../domain/time.ts';
import { carriesEvent, type DueItem } from '../ports/due-work.ts';

export interface DueRecord {
  readonly item: Omit<DueItem, 'payload'> & { readonly payload: string };
  /** Who runs it, and until when in wall time. */
  readonly taken: { readonly token: string; readonly until: Ms } | undefined;
}

type Item = DueRecord['item'];

const isBefore = (a: Item, b: Item): boolean => (a.at === b.at ? a.seq < b.seq : a.at < b.at);

/** What is left over in the heap may be as much as what counts, and a little, before it is made anew. */
const LEFT_OVER = 64;
/** How many items that wait for their turn a look passes at most. */
export const PASSED = 200;

const turnOf = (item: Item | undefined): string | undefined =>
  item && carriesEvent(item.kind) ? `${item.application}|${item.kind}` : undefined;

/**
 * The due work of a world by its key, and what comes next of it. The clock looks at every change, and in a world with thousands of
 * parcels on their way a look must not pass all of them: a heap has the lowest on top, and what is held is kept apart.
 */
export function createDueSchedule() {
  const records = new Map<string, DueRecord>();
  /** Whom the clock gave something to run, by token: they go on also when the item is cancelled or replaced meanwhile. */
  const runs = new Map<string, { readonly key: string; readonly until: Ms }>();
  const held = new Set<string>();
  /** By fault, what it keeps, due at a time to come, until it is gone. */
  const kept = new Map<string, Set<string>>();
  /** Items by `(at, seq)`. Those that were taken, replaced or cancelled meanwhile stay until they come to the top. */
  let heap: { readonly key: string; readonly item: Item }[] = [];

  const counts = ({ key, item }: { key: string; item: Item }): boolean => records.get(key)?.item === item && !held.has(key);

  function push(key: string, item: Item): void {
    if (heap.length > 2 * records.size + LEFT_OVER) heap = heap.filter(counts).sort((a, b) => (isBefore(a.item, b.item) ? -1 : 1));
    const entry = { key, item };
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (!parent || !isBefore(item, parent.item)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  function pop(): void {
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const child = left && right && isBefore(right.item, left.item) ? right : left;
      if (!child || !isBefore(child.item, last.item)) break;
      heap[at] = child;
      at = 2 * at + (child === left ? 1 : 2);
    }
    heap[at] = last;
  }

  function letKeptGo(key: string): void {
    const fault = records.get(key)?.item.withheldBy;
    if (fault === undefined) return;
    const keys = kept.get(fault);
    keys?.delete(key);
    if (keys?.size === 0) kept.delete(fault);
  }

  function keep(key: string, fault: string): void {
    const keys = kept.get(fault) ?? new Set();
    kept.set(fault, keys.add(key));
  }

  const keptBy = (fault: string | undefined): string[] =>
    fault === undefined ? [...kept.values()].flatMap((keys) => [...keys]) : [...(kept.get(fault) ?? [])];

  function put(key: string, item: Item, taken?: DueRecord['taken']): void {
    letKeptGo(key);
    records.set(key, { item, taken });
    if (item.withheldBy !== undefined) keep(key, item.withheldBy);
    if (taken) held.add(key);
    else {
      held.delete(key);
      push(key, item);
    }
  }

  /** Whose lease ran out may still end it, until somebody else takes it. */
  function queueExpired(wall: Ms): void {
    for (const key of [...held]) {
      const record = records.get(key);
      if (record?.taken && wall < record.taken.until) continue;
      held.delete(key);
      if (record) push(key, record.item);
    }
  }

  return {
    get: (key: string): DueRecord | undefined => records.get(key),
    records: (): Iterable<DueRecord> => records.values(),
    /** Replaces what was due under this key; with `taken` somebody holds it from the start. */
    put,
    remove(key: string): void {
      letKeptGo(key);
      records.delete(key);
      held.delete(key);
    },
    take(key: string, taken: NonNullable<DueRecord['taken']>): void {
      const record = records.get(key);
      if (!record) return;
      put(key, record.item, taken);
      runs.set(taken.token, { key, until: taken.until });
    },
    /** Whoever ran something with this token runs it no more. @returns whether it did */
    ended: (token: string): boolean => runs.delete(token),
    release(key: string): void {
      const record = records.get(key);
      if (record) put(key, record.item);
    },
    /** What this fault keeps; without a name, what any fault keeps. */
    withheldByFaults: (fault?: string): Item[] => keptBy(fault).flatMap((key) => records.get(key)?.item ?? []),
    /** Makes what a fault kept due at once; without a name, what any fault kept. */
    releaseWithheld(fault: string | undefined, now: Ms): void {
      for (const key of keptBy(fault)) {
        const record = records.get(key);
        if (!record) continue;
        const { withheldBy: _withheldBy, ...item } = record.item;
        put(key, { ...item, at: Math.min(item.at, now) }, record.taken);
      }
    },
    /** The keys of what somebody holds or still runs whose lease has not run out. */
    running(wall: Ms): string[] {
      for (const [token, { until }] of runs) if (wall >= until) runs.delete(token);
      const replacedRuns = [...runs].filter(([token, { key }]) => records.get(key)?.taken?.token !== token);
      return [...[...held].filter((key) => wall < (records.get(key)?.taken?.until ?? 0)), ...replacedRuns.map(([, { key }]) => key)];
    },
    /** The lowest `(at, seq)` that is due by then, that nobody holds, and whose turn it is. */
    lowest(upTo: Ms, wall: Ms): Item | undefined {
      queueExpired(wall);
      const turns = new Set([...held].flatMap((key) => turnOf(records.get(key)?.item) ?? []));
      const passed: typeof heap = [];
      let found: Item | undefined;
      for (let top = heap[0]; top && !found && passed.length < PASSED; top = heap[0]) {
        if (counts(top)) {
          if (top.item.at > upTo) break;
          if (turns.has(turnOf(top.item) ?? '')) passed.push(top);
          else found = top.item;
        }
        if (!found) pop();
      }
      for (const { key, item } of passed) push(key, item);
      return found;
    },
  };
}

export type DueSchedule = ReturnType<typeof createDueSchedule>;
