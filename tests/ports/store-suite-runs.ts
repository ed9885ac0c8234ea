import { describe, expect, test } from '@jest/globals';
import type { RunRecord } from '../../shared/store/ports/runs.ts';
import { eventually } from '../support/eventually.ts';
import { idsOf, type Opened } from './open-store.ts';

const LONG_MS = 60_000;

const record = (id: string, version = 1, more: Partial<RunRecord> = {}): RunRecord => ({
  id,
  version,
  head: `{"version":${version}}`,
  body: `{"steps":${version}}`,
  ...more,
});

export function runSuite(opened: Opened): void {
  const running = async (...ids: readonly string[]) => {
    const { worlds } = await opened();
    for (const id of ids) await worlds.addRun(record(id), LONG_MS);
    return worlds;
  };

  describe('runs', () => {
    test('Runs are listed as they began, without their bodies', async () => {
      const worlds = await running('b', 'a', 'c');
      await worlds.updateRun(record('b', 2), LONG_MS);
      expect(await worlds.runs()).toEqual([
        { id: 'b', version: 2, head: '{"version":2}', held: true },
        { id: 'a', version: 1, head: '{"version":1}', held: true },
        { id: 'c', version: 1, head: '{"version":1}', held: true },
      ]);
    });

    test('A run is read whole, and an unknown run is missing', async () => {
      const worlds = await running();
      const hostile = record('a', 1, { head: '{"title":"\\n\\u0000 ü 🙂 \' \\""}', body: '' });
      await worlds.addRun(hostile, LONG_MS);
      expect(await worlds.run('a')).toEqual({ ...hostile, held: true });
      expect(await worlds.run('b')).toBeUndefined();
    });

    test('A run accepts only the next record, and none after its end', async () => {
      const worlds = await running('a');
      expect(await worlds.updateRun(record('a', 3), LONG_MS)).toBe(false);
      expect(await worlds.updateRun(record('a', 2), LONG_MS)).toBe(true);
      expect(await worlds.updateRun(record('a', 2, { head: '{"by":"another"}' }), LONG_MS)).toBe(false);
      expect(await worlds.run('a')).toMatchObject({ version: 2, head: '{"version":2}' });
      expect(await worlds.updateRun(record('a', 3), undefined)).toBe(true);
      expect([await worlds.updateRun(record('a', 4), LONG_MS), await worlds.renewRun('a', LONG_MS)]).toEqual([false, false]);
      expect(await worlds.run('a')).toEqual({ ...record('a', 3), held: false });
    });

    test('A run is leased until its lease expires, and again after a renewal', async () => {
      const worlds = await running();
      await worlds.addRun(record('a'), 1);
      await eventually('the lease expires', async () => (await worlds.run('a'))?.held === false);
      expect(await worlds.runs()).toMatchObject([{ held: false }]);
      expect(await worlds.renewRun('a', LONG_MS)).toBe(true);
      expect(await worlds.run('a')).toMatchObject({ held: true });
    });

    test('A removed run accepts no record, and removing it again is refused', async () => {
      const worlds = await running('a', 'b');
      expect([await worlds.removeRun('a'), await worlds.removeRun('a')]).toEqual([true, false]);
      expect([await worlds.updateRun(record('a', 2), LONG_MS), await worlds.renewRun('a', LONG_MS)]).toEqual([false, false]);
      expect(idsOf(await worlds.runs())).toEqual(['b']);
    });
  });
}
