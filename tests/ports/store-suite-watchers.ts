import { describe, expect, test } from '@jest/globals';
import type { World } from '../../shared/domain/world.ts';
import { PUBLISH_WITHHELD_EVENT } from '../../shared/store/ports/due-work.ts';
import { eventually } from '../support/eventually.ts';
import { aPlan, DELIVERY, dueFence, event, NEVER_BEGINS, timer } from './a-plan.ts';
import { CREDENTIALS, EMPTY, type Opened, times } from './open-store.ts';

export function watcherSuite(opened: Opened): void {
  describe('watchers', () => {
    const scheduled = (key: string) => timer(key, 0, 'null');
    const lease = { token: 't', until: Date.now() + 600_000 };

    async function watched() {
      const open = await opened();
      const { worlds, store, world, commit } = open;
      const marker = await worlds.open('marker', EMPTY, CREDENTIALS);
      const seen: (readonly [World, number])[] = [];
      worlds.watch((changed, waitMs) => seen.push([changed, waitMs]));
      /** Waits until all earlier changes are reported, which happens in order. */
      async function caughtUp(): Promise<void> {
        const before = seen.length;
        await store.commit(marker, aPlan({ due: [scheduled('marker')] }));
        await eventually('the marker is reported', async () => seen.slice(before).some(([changed]) => changed === marker));
      }
      /** The reported wait after a change. A process reports it only for a change that follows an earlier one. */
      async function waitOf(change: () => Promise<unknown>): Promise<number> {
        await commit({ due: [scheduled('before')] });
        await caughtUp();
        seen.length = 0;
        await change();
        await caughtUp();
        return Math.min(...seen.flatMap(([changed, waitMs]) => (changed === world ? [waitMs] : [])));
      }
      return { ...open, waitOf };
    }

    test('Watchers of settling are notified of an announced world, until they stop', async () => {
      const { worlds, world } = await opened();
      const awaited: World[] = [];
      const stop = worlds.watchSettling((one) => awaited.push(one));
      await eventually('the watcher is notified', async () => {
        await worlds.announceSettling(world);
        return awaited.includes(world);
      });
      stop();
      const before = awaited.length;
      await worlds.announceSettling(world);
      expect(awaited).toHaveLength(before);
    });

    test('Watchers are notified of commits with events or due work until they stop', async () => {
      const { worlds, world, commit } = await opened();
      const changes: World[] = [];
      const stop = worlds.watch((changed) => changes.push(changed));
      await commit({ due: [timer('a', 1)] });
      await eventually('the watcher is notified', async () => changes.includes(world));
      stop();
      const before = changes.length;
      await commit({ due: [timer('b', 1)] });
      expect(changes).toHaveLength(before);
    });

    test('Watchers are notified that work may begin when it is scheduled, released, no longer withheld, or due after the clock was set', async () => {
      const { store, world, commit, setFault, standAt, waitOf } = await watched();
      expect(await waitOf(() => commit({ due: [scheduled('a')] }))).toBe(0);
      expect(await waitOf(() => standAt(2_000))).toBe(0);
      expect(await waitOf(() => setFault())).toBe(0);
      await commit({ due: [{ ...scheduled('b'), lease }] });
      expect(await waitOf(() => store.releaseDue(world, { kind: 'timer', key: 'b', token: 't' }))).toBe(0);
    });

    test('Watchers are notified that work may begin when a withheld event was sent: the next event can be delivered', async () => {
      const { commit, waitOf } = await watched();
      await commit({ due: [{ ...scheduled('e1'), kind: PUBLISH_WITHHELD_EVENT, lease }] });
      const fence = { kind: 'due', key: `oms|${PUBLISH_WITHHELD_EVENT}|e1`, token: 't' } as const;
      expect(await waitOf(() => commit({ fence }))).toBe(0);
    });

    // The sweep for lost messages may find a change before its message arrives. It does not have the reason of the change.
    test('Watchers are notified when scheduled work may begin: at its instant, after its lease, or only when a standing clock is set', async () => {
      async function waits(): Promise<readonly number[]> {
        const { commit, standAt, waitOf } = await watched();
        const found = [
          await waitOf(() => commit({ due: [timer('a', 901_000), timer('b', 601_000)] })),
          await waitOf(() => commit({ due: [{ ...scheduled('c'), lease: { ...lease, until: Date.now() + 300_000 } }] })),
          await waitOf(() => commit({ due: [timer('a', null)] })),
          await waitOf(async () => {
            await standAt(2_000);
            await commit({ due: [scheduled('before')] });
          }),
          await waitOf(() => commit({ due: [timer('d', 601_000)] })),
        ];
        // The wait is compared in minutes, because the test takes less than one.
        return found.map((wait) => Math.ceil(wait / 60_000));
      }
      let found = await waits();
      for (let again = 0; again < 3 && found.filter((wait) => wait === 0).length > 1; again++) found = await waits();
      expect(found).toEqual([10, 5, NEVER_BEGINS, 0, NEVER_BEGINS]);
    });

    test('Watchers are notified that no work can begin when events are committed, sent, consumed or parked, or when due work ends', async () => {
      async function quietChanges(): Promise<readonly number[]> {
        const { world, commit, drain, crm, waitOf } = await watched();
        await commit({ due: [{ ...scheduled('b'), lease }] });
        return [
          await waitOf(() => commit({ events: [event('e1', 'crm'), event('e2', 'crm')] })),
          await waitOf(async () => {
            await drain('relay');
            await drain('relay', { sent: ['e1'] });
          }),
          await waitOf(() => commit({ fence: DELIVERY }, crm)),
          await waitOf(() => crm.park(world, 'crm|e2', 'poison')),
          await waitOf(() => commit({ fence: dueFence('b', 't') })),
        ];
      }
      let found = await quietChanges();
      for (let again = 0; again < 3 && found.includes(0); again++) found = await quietChanges();
      expect(found).toEqual(times(5, () => NEVER_BEGINS));
    });
  });
}
