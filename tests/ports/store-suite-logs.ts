import { describe, expect, test } from '@jest/globals';
import type { World } from '../../shared/domain/world.ts';
import { LOGS, type LogName } from '../../shared/store/ports/logs.ts';
import { eventually } from '../support/eventually.ts';
import { aPlan, NEVER_BEGINS, timer } from './a-plan.ts';
import { CREDENTIALS, EMPTY, type Opened } from './open-store.ts';

const logs = Object.entries(LOGS) as [LogName, (typeof LOGS)[LogName]][];

export function logSuite(opened: Opened): void {
  describe.each(logs)('the log of %s', (log, { most, isAnnounced }) => {
    const json = (number: number): string => `{"of":"${log}","n":${number}}`;

    test('The newest entries are kept, and are listed newest first, with their numbers', async () => {
      const { worlds, world } = await opened();
      expect([await worlds.entries(world, log, { limit: 5 }), (await worlds.current(world))?.moves]).toEqual([[], 0]);
      for (let n = 1; n <= most + 3; n++) expect(await worlds.addEntry(world, log, json(n))).toBe(n);
      expect((await worlds.current(world))?.moves).toBe(log === 'moves' ? most + 3 : 0);
      const newest = await worlds.entries(world, log, { limit: 2 });
      expect(newest).toEqual([most + 3, most + 2].map((number) => ({ number, json: json(number) })));
      expect((await worlds.entries(world, log, { before: 6, limit: 5 })).map(({ number }) => number)).toEqual([5, 4]);
      expect(await worlds.entries(world, log, { limit: most + 3 })).toHaveLength(most);
      const others = logs.filter(([other]) => other !== log);
      for (const [other] of others) expect(await worlds.entries(world, other, { limit: 5 })).toEqual([]);
    });

    test('Concurrent entries get different numbers, and a fork begins without entries', async () => {
      const { worlds, world } = await opened();
      const numbers = await Promise.all([1, 2, 3, 4].map((n) => worlds.addEntry(world, log, json(n))));
      expect(numbers.toSorted()).toEqual([1, 2, 3, 4]);
      const copy = await worlds.open('copy', { copyOf: world }, CREDENTIALS);
      expect(await worlds.entries(copy, log, { limit: 5 })).toEqual([]);
      expect(await worlds.addEntry(copy, log, json(1))).toBe(1);
    });

    test(`A new entry is ${isAnnounced ? '' : 'not '}announced`, async () => {
      const { worlds, world, store } = await opened();
      const marker = await worlds.open('marker', EMPTY, CREDENTIALS);
      const noted: (readonly [World, number])[] = [];
      const unwatch = worlds.watch((changed, waitMs) => noted.push([changed, waitMs]));
      for (let n = 1; n <= 20; n++) await worlds.addEntry(world, log, json(n));
      const before = noted.length;
      await store.commit(marker, aPlan({ due: [timer('marker', 0, 'null')] }));
      const isNoted = (): boolean => noted.some(([changed, waitMs]) => changed === world && waitMs === NEVER_BEGINS);
      // One node announces in order. The nodes of a cluster announce independently.
      await eventually('the marker is announced', async () => noted.slice(before).some(([changed]) => changed === marker));
      if (isAnnounced) await eventually('the entry is announced', async () => isNoted());
      unwatch();
      expect(isNoted()).toBe(isAnnounced);
    });
  });
}
