import { hash } from 'node:crypto';
import TinyQueue from 'tinyqueue';
import { GATEWAY, type Owner } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import { carriesEvent, DELIVER_WEBHOOK, type DueItem, MOST_PASSED } from '../ports/due-work.ts';

export interface DueRecord {
  readonly item: Omit<DueItem, 'payload'> & { readonly payload: string };
  /** `until` is wall time. */
  readonly lease: DueLease | undefined;
}

interface DueLease {
  readonly token: string;
  readonly until: Ms;
}

type Item = DueRecord['item'];

interface Queued {
  readonly key: string;
  readonly item: Item;
  /** In a world with a seed: the place of a webhook among the work of its instant. Other work comes before it, with 0. */
  readonly place: number;
}

const byInstant = (a: Queued, b: Queued): number => a.item.at - b.item.at || a.place - b.place || a.item.seq - b.item.seq;

/** The order of webhooks in a world with a seed. Their `seq` depends on how fast receivers answer. */
export interface WebhookOrder {
  readonly seed: string;
  /** The first event of the group that an event belongs to. @param order of the event on the bus */
  readonly groupOf: (order: number) => number;
}

/**
 * Groups of events are sent as the bus orders them. The seed draws the order within a group. A delivery is scheduled when the earlier one
 * about the same object has ended, so these never change places.
 */
function placeOf({ application, kind, key, payload }: Item, { seed, groupOf }: WebhookOrder): number {
  if (application !== GATEWAY || kind !== DELIVER_WEBHOOK) return 0;
  const { order } = JSON.parse(payload) as { readonly order: number };
  return groupOf(order) + hash('sha256', `${seed}/${key}`, 'buffer').readUInt32BE(0) / 2 ** 32;
}

/** The queue is rebuilt when stale entries outnumber the current ones by more than this. */
const STALE_MARGIN = 64;

interface DueScheduleOptions {
  /** In a world with a seed. Then the gateway sends one webhook at a time. */
  readonly webhooks?: WebhookOrder | undefined;
  /** Called when an item that awaits an application is removed, replaced or leased. */
  readonly onAwaitedEnd?: (item: Item) => void;
}

/**
 * The due work of a world, by key and by instant. The clock reads the next item after every change, so the read must not cost a pass over
 * all items: free items are in a priority queue, leased ones are kept apart.
 */
export function createDueSchedule({ webhooks, onAwaitedEnd }: DueScheduleOptions = {}) {
  const records = new Map<string, DueRecord>();
  /** Runs that the clock started, by token. A run continues when its item is cancelled or replaced. */
  const runs = new Map<string, { readonly key: string; readonly until: Ms }>();
  const leased = new Set<string>();
  /** Keys of withheld items, by fault. */
  const withheld = new Map<string, Set<string>>();
  /** Keys of items that await an application. */
  const awaiting = new Set<string>();
  /** Free items. Entries become stale when an item is leased, replaced or cancelled; they are dropped at the top or on a rebuild. */
  let queue = new TinyQueue<Queued>([], byInstant);

  /** Items with the same turn run one at a time. */
  const turnOf = (item: Item | undefined): string | undefined => {
    if (item && carriesEvent(item.kind)) return `${item.application}|${item.kind}`;
    return webhooks && item?.application === GATEWAY ? GATEWAY : undefined;
  };

  const isCurrent = ({ key, item }: Queued): boolean => records.get(key)?.item === item && !leased.has(key);

  function enqueue(key: string, item: Item): void {
    if (queue.length > 2 * records.size + STALE_MARGIN) queue = new TinyQueue(queue.data.filter(isCurrent), byInstant);
    queue.push({ key, item, place: webhooks ? placeOf(item, webhooks) : 0 });
  }

  function forget(key: string): void {
    const item = records.get(key)?.item;
    if (item?.awaits !== undefined && awaiting.delete(key)) onAwaitedEnd?.(item);
    forgetWithheld(key, item?.withheldBy);
  }

  function forgetWithheld(key: string, fault: string | undefined): void {
    if (fault === undefined) return;
    const keys = withheld.get(fault);
    keys?.delete(key);
    if (keys?.size === 0) withheld.delete(fault);
  }

  function noteWithheld(key: string, fault: string): void {
    const keys = withheld.get(fault) ?? new Set();
    withheld.set(fault, keys.add(key));
  }

  const withheldBy = (fault: string | undefined): string[] =>
    fault === undefined ? [...withheld.values()].flatMap((keys) => [...keys]) : [...(withheld.get(fault) ?? [])];

  function put(key: string, item: Item, lease?: DueLease): void {
    forget(key);
    records.set(key, { item, lease });
    if (item.awaits !== undefined) awaiting.add(key);
    if (item.withheldBy !== undefined) noteWithheld(key, item.withheldBy);
    if (lease) leased.add(key);
    else {
      leased.delete(key);
      enqueue(key, item);
    }
  }

  /** After its lease has expired, a driver may still finish an item until another one leases it. */
  function queueExpired(wall: Ms): void {
    for (const key of [...leased]) {
      const record = records.get(key);
      if (record?.lease && wall < record.lease.until) continue;
      leased.delete(key);
      if (record) enqueue(key, record.item);
    }
  }

  return {
    get: (key: string): DueRecord | undefined => records.get(key),
    records: (): Iterable<DueRecord> => records.values(),
    /** Items without a lease. */
    free: (): Item[] => [...records].flatMap(([key, { item }]) => (leased.has(key) ? [] : item)),
    /** Replaces the item under this key. With `lease`, the new item is leased from the start. */
    put,
    remove(key: string): void {
      forget(key);
      records.delete(key);
      leased.delete(key);
    },
    /** Leases an item and notes a run of it. */
    lease(key: string, lease: DueLease): void {
      const record = records.get(key);
      if (!record) return;
      put(key, record.item, lease);
      runs.set(lease.token, { key, until: lease.until });
    },
    /** @returns whether this token had a run */
    endRun: (token: string): boolean => runs.delete(token),
    release(key: string): void {
      const record = records.get(key);
      if (record) put(key, record.item);
    },
    /** Items that this fault withholds. Default: items that any fault withholds. */
    withheldBy: (fault?: string): Item[] => withheldBy(fault).flatMap((key) => records.get(key)?.item ?? []),
    /** Makes the items that a fault withholds due now. Default: the items of every fault. */
    releaseWithheld(fault: string | undefined, now: Ms): void {
      for (const key of withheldBy(fault)) {
        const record = records.get(key);
        if (!record) continue;
        const { withheldBy: _withheldBy, ...item } = record.item;
        put(key, { ...item, at: Math.min(item.at, now) }, record.lease);
      }
    },
    /** Items that await an application, first scheduled first. */
    awaiting: (): Item[] => [...awaiting].flatMap((key) => records.get(key)?.item ?? []).sort((a, b) => a.seq - b.seq),
    /** Makes the free items that await an application due now. Default: items that await any application. */
    wake(application: Owner | undefined, now: Ms): void {
      for (const key of [...awaiting]) {
        const record = records.get(key);
        if (!record || record.lease || (application !== undefined && record.item.awaits !== application)) continue;
        const { awaits: _awaits, ...item } = record.item;
        put(key, { ...item, at: Math.min(item.at, now), attempts: 0 });
      }
    },
    /** Keys of the items with a lease that has not expired, and of the runs whose item was cancelled or replaced. */
    running(wall: Ms): string[] {
      for (const [token, { until }] of runs) if (wall >= until) runs.delete(token);
      const replacedRuns = [...runs].filter(([token, { key }]) => records.get(key)?.lease?.token !== token);
      return [...[...leased].filter((key) => wall < (records.get(key)?.lease?.until ?? 0)), ...replacedRuns.map(([, { key }]) => key)];
    },
    /** The lowest free item by `(at, seq)` that is due up to an instant and whose turn it is. */
    lowest(upTo: Ms, wall: Ms): Item | undefined {
      queueExpired(wall);
      const turns = new Set([...leased].flatMap((key) => turnOf(records.get(key)?.item) ?? []));
      const passed: Queued[] = [];
      let found: Item | undefined;
      for (let top = queue.peek(); top && !found && passed.length < MOST_PASSED; top = queue.peek()) {
        if (isCurrent(top)) {
          if (top.item.at > upTo) break;
          if (turns.has(turnOf(top.item) ?? '')) passed.push(top);
          else found = top.item;
        }
        if (!found) queue.pop();
      }
      for (const { key, item } of passed) enqueue(key, item);
      return found;
    },
  };
}

export type DueSchedule = ReturnType<typeof createDueSchedule>;
