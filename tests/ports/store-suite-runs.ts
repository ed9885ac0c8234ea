import { describe, expect, test } from '@jest/globals';
import type { StoreAdapter } from '../../shared/store/ports/estate-store.ts';
import type { RunRecord } from '../../shared/store/ports/runs.ts';
import { eventually } from '../support/eventually.ts';

const LONG_MS = 60_000;

const record = (id: string, version = 1, more: Partial<RunRecord> = {}): RunRecord => ({
  id,
  version,
  head: `{"version":${version}}`,
  body: `{"steps":${version}}`,
  ...more,
});

/** Contract of the store of runs. */
export function runSuite(opened: () => Promise<{ readonly adapter: StoreAdapter }>): void {
  describe('runs', () => {
    test('are listed in the order of their beginning, without their bodies', async () => {
      const { worlds } = (await opened()).adapter;
      for (const id of ['b', 'a', 'c']) await worlds.addRun(record(id), LONG_MS);
      await worlds.updateRun(record('b', 2), LONG_MS);
      expect((await worlds.runs()).runs).toEqual([
        { id: 'b', version: 2, head: '{"version":2}', held: true },
        { id: 'a', version: 1, head: '{"version":1}', held: true },
        { id: 'c', version: 1, head: '{"version":1}', held: true },
      ]);
    });

    test('are read whole, and an unknown one is none', async () => {
      const { worlds } = (await opened()).adapter;
      const hostile = record('a', 1, { head: '{"title":"\\n\\u0000 ü 🙂 \' \\""}', body: '' });
      await worlds.addRun(hostile, LONG_MS);
      expect(await worlds.run('a')).toEqual({ ...hostile, held: true });
      expect(await worlds.run('b')).toBeUndefined();
    });

    test('count each change in their revision, and a renewal is none', async () => {
      const { worlds } = (await opened()).adapter;
      const revision = async () => (await worlds.runs()).revision;
      const seen = [await revision()];
      await worlds.addRun(record('a'), LONG_MS);
      seen.push(await revision());
      await worlds.updateRun(record('a', 2), LONG_MS);
      seen.push(await revision());
      await worlds.renewRun('a', LONG_MS);
      seen.push(await revision());
      await worlds.removeRun('a');
      seen.push(await revision());
      const [, added = 0, updated = 0, renewed = 0, removed = 0] = seen;
      expect([seen[0], added > 0, updated > added, renewed === updated, removed > renewed]).toEqual([0, true, true, true, true]);
    });

    test('take only the next record', async () => {
      const { worlds } = (await opened()).adapter;
      await worlds.addRun(record('a'), LONG_MS);
      expect(await worlds.updateRun(record('a', 3), LONG_MS)).toBe(false);
      expect(await worlds.updateRun(record('a', 2), LONG_MS)).toBe(true);
      expect(await worlds.updateRun(record('a', 2, { head: '{"by":"another"}' }), LONG_MS)).toBe(false);
      expect(await worlds.run('a')).toMatchObject({ version: 2, head: '{"version":2}' });
    });

    test('take no record after their end', async () => {
      const { worlds } = (await opened()).adapter;
      await worlds.addRun(record('a'), LONG_MS);
      expect(await worlds.updateRun(record('a', 2), undefined)).toBe(true);
      expect(await worlds.updateRun(record('a', 3), LONG_MS)).toBe(false);
      expect(await worlds.renewRun('a', LONG_MS)).toBe(false);
      expect(await worlds.run('a')).toEqual({ ...record('a', 2), held: false });
    });

    test('are held until their lease expires, and held again when it is renewed', async () => {
      const { worlds } = (await opened()).adapter;
      await worlds.addRun(record('a'), 1);
      await eventually('the lease expires', async () => (await worlds.run('a'))?.held === false);
      expect((await worlds.runs()).runs).toMatchObject([{ held: false }]);
      expect(await worlds.renewRun('a', LONG_MS)).toBe(true);
      expect(await worlds.run('a')).toMatchObject({ held: true });
    });

    test('that are removed take no record and cannot be removed again', async () => {
      const { worlds } = (await opened()).adapter;
      await worlds.addRun(record('a'), LONG_MS);
      await worlds.addRun(record('b'), LONG_MS);
      expect(await worlds.removeRun('a')).toBe(true);
      expect(await worlds.removeRun('a')).toBe(false);
      expect(await worlds.updateRun(record('a', 2), LONG_MS)).toBe(false);
      expect(await worlds.renewRun('a', LONG_MS)).toBe(false);
      expect((await worlds.runs()).runs).toMatchObject([{ id: 'b' }]);
    });
  });
}
