import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createDueSchedule, type DueRecord } from '../../shared/store/memory/due-schedule.ts';

type Item = DueRecord['item'];

const DUE = { application: 'oms', kind: 'timer', attempts: 0, correlationId: 'c', payload: '1' } as const;
const item = (key: string, at: number, seq: number): Item => ({ ...DUE, key, at, seq });

type Runs = ReadonlyMap<string, { readonly key: string; readonly until: number }>;

/** A model of the schedule that scans all items. */
function looking(records: ReadonlyMap<string, DueRecord>, runs: Runs) {
  const free = ({ lease }: DueRecord, wall: number): boolean => !lease || wall >= lease.until;
  return {
    lowest: (upTo: number, wall: number): Item | undefined =>
      [...records.values()]
        .filter((record) => record.item.at <= upTo && free(record, wall))
        .map((record) => record.item)
        .toSorted((a, b) => a.at - b.at || a.seq - b.seq)[0],
    running: (wall: number): string[] => [
      ...[...records].filter(([, record]) => !free(record, wall)).map(([key]) => key),
      ...[...runs].filter(([token, { key, until }]) => wall < until && records.get(key)?.lease?.token !== token).map(([, { key }]) => key),
    ],
  };
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('put' as const), key, at: fc.nat(20), held: fc.option(fc.nat(30)) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('remove' as const), key }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('take-lowest' as const), upTo: fc.nat(20), for: fc.nat(10) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('release' as const), key }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('end' as const), which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.nat(5) }) },
);

test('The schedule of due work agrees with a full scan after any sequence of puts, replacements, leases, releases and removals', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100, size: 'max' }), fc.nat(20), (steps, upTo) => {
      const schedule = createDueSchedule();
      const records = new Map<string, DueRecord>();
      const runs = new Map<string, { key: string; until: number }>();
      const plain = looking(records, runs);
      let wall = 0;
      let seq = 0;
      for (const now of steps) {
        if (now.what === 'put') {
          const lease = now.held === null ? undefined : { token: 't', until: now.held };
          const one = item(now.key, now.at, ++seq);
          records.set(now.key, { item: one, lease });
          schedule.put(now.key, one, lease);
        } else if (now.what === 'remove') {
          records.delete(now.key);
          schedule.remove(now.key);
        } else if (now.what === 'take-lowest') {
          const lowest = plain.lowest(now.upTo, wall);
          expect(schedule.lowest(now.upTo, wall)).toEqual(lowest);
          if (!lowest) continue;
          const lease = { token: `t${++seq}`, until: wall + now.for };
          records.set(lowest.key, { item: lowest, lease });
          runs.set(lease.token, { key: lowest.key, until: lease.until });
          schedule.lease(lowest.key, lease);
        } else if (now.what === 'release') {
          const found = records.get(now.key);
          if (found) records.set(now.key, { item: found.item, lease: undefined });
          schedule.release(now.key);
        } else if (now.what === 'end') {
          const token = [...runs.keys()][now.which];
          if (token === undefined) continue;
          runs.delete(token);
          schedule.endRun(token);
        } else wall += now.ms;
        expect(schedule.running(wall).toSorted()).toEqual(plain.running(wall).toSorted());
        expect(schedule.lowest(upTo, wall)).toEqual(plain.lowest(upTo, wall));
      }
      expect([...schedule.records()].map(({ item: { seq: order } }) => order).toSorted()).toEqual(
        [...records.values()].map(({ item: { seq: order } }) => order).toSorted(),
      );
    }),
    { numRuns: 300 },
  );
});

test('The schedule of a world with a seed sends one webhook at a time, as the bus orders the events, after the other work of the instant', () => {
  const webhook = (name: string, seq: number, order: number): Item => ({
    ...{ ...DUE, application: 'gateway', kind: 'deliver-webhook', key: name, at: 1 },
    ...{ seq, payload: JSON.stringify({ order }) },
  });
  const schedule = createDueSchedule({ webhooks: { seed: 's', groupOf: (order) => order } });
  const items = [webhook('later', 1, 9), webhook('earlier', 2, 4), item('timer', 1, 3), { ...webhook('all', 4, 0), kind: 'take-events' }];
  for (const one of items) schedule.put(one.key, one);
  const next = () => schedule.lowest(1, 0)?.key;
  expect(next()).toBe('timer');
  schedule.remove('timer');
  expect(next()).toBe('all');
  schedule.remove('all');
  expect(next()).toBe('earlier');
  schedule.lease('earlier', { token: 't', until: 10 });
  expect(next()).toBeUndefined();
  schedule.put('timer', item('timer', 1, 5));
  expect(next()).toBe('timer');
  schedule.remove('timer');
  schedule.remove('earlier');
  expect(next()).toBe('later');
});

test('The schedule of a world with a seed sends the webhooks of a group in an order drawn from the seed, and groups as the bus orders them', () => {
  const drawn = (seed: string): readonly number[] => {
    const schedule = createDueSchedule({ webhooks: { seed, groupOf: (order) => (order <= 8 ? 1 : 9) } });
    const orders = Array.from({ length: 16 }, (_, place) => 16 - place);
    for (const order of orders) {
      const key = `hook.${order}`;
      schedule.put(key, {
        ...DUE,
        application: 'gateway',
        kind: 'deliver-webhook',
        key,
        at: 1,
        seq: order,
        payload: JSON.stringify({ order }),
      });
    }
    return orders.map(() => {
      const { key = '' } = schedule.lowest(1, 0) ?? {};
      schedule.remove(key);
      return Number(key.slice('hook.'.length));
    });
  };
  const [first, again, other] = [drawn('one'), drawn('one'), drawn('another')];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  for (const orders of [first, other]) {
    expect(orders.slice(0, 8).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(orders).not.toEqual(orders.toSorted((a, b) => a - b));
  }
});

test('The schedule of due work lets a holder finish an item after its lease has expired, until someone else leases it', () => {
  const schedule = createDueSchedule();
  schedule.put('a', item('a', 1, 1), { token: 'slow', until: 10 });
  expect(schedule.lowest(5, 9)).toBeUndefined();
  expect(schedule.lowest(5, 10)).toMatchObject({ key: 'a' });
  expect(schedule.get('a')?.lease?.token).toBe('slow');
  schedule.lease('a', { token: 'next', until: 20 });
  expect(schedule.get('a')?.lease?.token).toBe('next');
});
