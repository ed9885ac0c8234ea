import { describe, expect, test } from '@jest/globals';
import { LATEST_CLOCK } from '../../shared/catalog/limits.ts';
import { eventually } from '../support/eventually.ts';
import { timer } from './a-plan.ts';
import type { Opened } from './open-store.ts';

export function clockSuite(opened: Opened): void {
  describe('the clock', () => {
    test('Time flows from the instant of opening, stops on request, and continues from the set instant', async () => {
      const { worlds, world, standAt } = await opened();
      const early = (await worlds.current(world))?.now ?? 0;
      expect(early).toBeGreaterThanOrEqual(1_000);
      await eventually('time flows', async () => ((await worlds.current(world))?.now ?? 0) > early);
      await standAt(50_000);
      expect(await worlds.current(world)).toMatchObject({ now: 50_000, flowing: false });
    });

    test('A flowing clock stops at the end of all clocks', async () => {
      const { worlds, world } = await opened();
      await worlds.setClock(world, { now: LATEST_CLOCK, flowing: true });
      const since = Date.now();
      await eventually('wall time passes', async () => Date.now() > since + 2);
      expect(await worlds.current(world)).toMatchObject({ now: LATEST_CLOCK, flowing: true });
      expect(await worlds.status(world)).toMatchObject({ now: LATEST_CLOCK });
    });

    test('The clock has one driver at a time, and an expired lease can be taken over', async () => {
      const { worlds, world } = await opened();
      expect(await worlds.leaseClock(world, 'a', 60_000)).toBe(true);
      expect(await worlds.leaseClock(world, 'b', 60_000)).toBe(false);
      await worlds.releaseClock(world, 'a');
      expect(await worlds.leaseClock(world, 'b', 0)).toBe(true);
      expect(await worlds.leaseClock(world, 'c', 60_000)).toBe(true);
    });

    test('While a driver advances the clock, the clock does not flow, and nobody else can set it or lease due work', async () => {
      const { worlds, world, commit, lease, standAt } = await opened();
      const leaseAs = (driver: string) => worlds.leaseNext(world, { upTo: 50_000, token: 't', leaseMs: 60_000, driver });
      await commit({ due: [timer('x', 1)] });
      await worlds.leaseClock(world, 'mine', 60_000);
      const status = await worlds.status(world);
      expect(status).toMatchObject({ flowing: false, advancing: true, running: 0, next: { key: 'x' } });
      expect([await lease(50_000), await leaseAs('other')]).toEqual([undefined, undefined]);
      for (const driver of [undefined, 'other']) {
        expect(await worlds.setClock(world, { now: 90_000, flowing: true }, driver)).toBe(false);
      }
      expect(await worlds.current(world)).toMatchObject({ now: status?.now, flowing: false });
      expect(await standAt(50_000, 'mine')).toBe(true);
      expect(await leaseAs('mine')).toMatchObject({ key: 'x' });
      expect(await worlds.status(world)).toMatchObject({ now: 50_000, running: 1, next: undefined });
    });

    test('A released clock continues from its instant, if it flowed before', async () => {
      const { worlds, world, standAt } = await opened();
      await worlds.leaseClock(world, 'mine', 60_000);
      await standAt(50_000, 'mine');
      await worlds.releaseClock(world, 'other');
      expect(await worlds.status(world)).toMatchObject({ flowing: false, advancing: true });
      await worlds.releaseClock(world, 'mine');
      expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
      await eventually('time flows', async () => ((await worlds.current(world))?.now ?? 0) > 50_000);
      await standAt(60_000);
      await worlds.leaseClock(world, 'mine', 60_000);
      await worlds.releaseClock(world, 'mine');
      expect(await worlds.current(world)).toMatchObject({ now: 60_000, flowing: false });
    });

    test('A clock that a dead driver has stopped flows again at the next access', async () => {
      const { worlds, world } = await opened();
      await worlds.leaseClock(world, 'dead', 0);
      expect(await worlds.renewClock(world, 'dead', 0)).toBe(true);
      expect((await worlds.current(world))?.flowing).toBe(false);
      expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
      expect((await worlds.current(world))?.now).toBeLessThan(60_000);
    });

    test('A driver without its lease cannot change the clock, and after its successor the clock flows as before', async () => {
      const { worlds, world, commit, standAt } = await opened();
      await commit({ due: [timer('x', 1)] });
      await worlds.leaseClock(world, 'slow', 0);
      await worlds.leaseClock(world, 'heir', 60_000);
      expect(await worlds.renewClock(world, 'slow', 60_000)).toBe(false);
      expect(await standAt(50_000, 'slow')).toBe(false);
      expect(await worlds.leaseNext(world, { upTo: 50_000, token: 't', leaseMs: 60_000, driver: 'slow' })).toBeUndefined();
      await worlds.releaseClock(world, 'slow');
      expect(await worlds.status(world)).toMatchObject({ advancing: true });
      await worlds.releaseClock(world, 'heir');
      expect(await worlds.status(world)).toMatchObject({ flowing: true, advancing: false });
      expect(await worlds.renewClock(world, 'heir', 60_000)).toBe(false);
    });
  });
}
