import { describe, expect, test } from '@jest/globals';
import { CLAIM_KEPT_MS, type Plan } from '../../shared/store/ports/plan.ts';
import { NOT_HELD, OK, putting } from './a-plan.ts';
import { type Opened, times } from './open-store.ts';

/** The lease of a claim that a request made a day ago, in wall time. */
const A_DAY_AGO = -CLAIM_KEPT_MS;

export function claimSuite(opened: Opened): void {
  describe('claims', () => {
    const done = (token: string): Partial<Plan> => ({
      fence: { kind: 'claim', key: 'k', token },
      outcome: { json: '{"status":200}', keepUntil: 5_000 },
    });

    test('Of fifty concurrent claims of one key, one succeeds and the others find it running', async () => {
      const { claim } = await opened();
      const claims = await Promise.all(times(50, () => claim({ leaseMs: 10_000 })));
      expect(claims.filter(({ is }) => is === 'ours')).toHaveLength(1);
      const running = claims.flatMap((one) => (one.is === 'running' ? [one.leftMs] : []));
      expect(running).toHaveLength(49);
      expect(running.every((leftMs) => leftMs > 0 && leftMs <= 10_000)).toBe(true);
    });

    test('The last commit stores the outcome, which repeats get until it expires; releasing the claim does not remove it', async () => {
      const { store, world, claim, claimed, commit } = await opened();
      const { token } = await claimed({ leaseMs: A_DAY_AGO });
      expect(await commit(done(token))).toMatchObject(OK);
      await store.release(world, 'k', token);
      expect(await claim({ now: 4_999 })).toEqual({ is: 'done', json: '{"status":200}' });
      expect(await claim({ now: 4_999, fingerprint: 'other' })).toEqual({ is: 'other-body' });
      expect(await claim({ now: 5_000 })).toMatchObject({ is: 'ours', since: 5_000 });
    });

    test('Repeats get an outcome that has expired by a jump of the clock until a day has passed in wall time', async () => {
      const { claim, claimed, commit } = await opened();
      const { token } = await claimed();
      expect(await commit(done(token))).toMatchObject(OK);
      const later = 5_000 + 7 * CLAIM_KEPT_MS;
      for (const key of ['first', 'second']) await claim({ key, now: later });
      expect(await claim({ now: later })).toEqual({ is: 'done', json: '{"status":200}' });
      expect(await claim({ now: later, fingerprint: 'other' })).toEqual({ is: 'other-body' });
    });

    test('A claim without an outcome keeps its first instant over a jump of the clock until a day has passed in wall time', async () => {
      const { store, world, claimed } = await opened();
      await store.release(world, 'k', (await claimed()).token);
      const later = 1_000 + 7 * CLAIM_KEPT_MS;
      for (const key of ['first', 'second']) await claimed({ key, now: later });
      expect((await claimed({ now: later })).since).toBe(1_000);
    });

    test('An abandoned claim is taken over with its original instant, and its former holder can no longer commit', async () => {
      const { claimed, commit } = await opened();
      const slow = await claimed({ leaseMs: 0 });
      const fast = await claimed({ now: 2_000 });
      expect(fast.since).toBe(1_000);
      expect(await commit(done(slow.token))).toMatchObject(NOT_HELD);
      expect(await commit(done(fast.token))).toMatchObject(OK);
    });

    test('A released key can be claimed again immediately, with the same body or another', async () => {
      const { store, world, claim, claimed } = await opened();
      await store.release(world, 'k', (await claimed()).token);
      expect(await claim({ now: 3_000, fingerprint: 'g' })).toMatchObject({ is: 'ours', since: 3_000 });
    });

    test('A key with a commit but no outcome can be claimed with the same body only, until the key expires', async () => {
      for (const last of [true, false]) {
        const { store, world, claim, claimed, commit } = await opened();
        const { token } = await claimed({ leaseMs: A_DAY_AGO });
        expect(await commit({ fence: { kind: 'claim', key: 'k', token }, put: [putting('a')], last })).toMatchObject(OK);
        await store.release(world, 'k', token);
        expect(await claim({ now: 3_000, fingerprint: 'g' })).toEqual({ is: 'other-body' });
        const repeat = await claimed({ now: 3_000, leaseMs: A_DAY_AGO });
        expect(repeat.since).toBe(1_000);
        await store.release(world, 'k', repeat.token);
        expect(await claim({ now: 4_000, fingerprint: 'g' })).toEqual({ is: 'other-body' });
        expect(await claim({ now: 1_000 + 24 * 3_600_000, fingerprint: 'g' })).toMatchObject({ is: 'ours' });
      }
    });

    test('A precondition that has passed stays passed for later holders of the claim until the outcome is stored, and for no other request', async () => {
      const { store, world, claimed, commit } = await opened();
      const first = await claimed({ leaseMs: 0 });
      const fence = { kind: 'claim', key: 'k', token: first.token } as const;
      expect(await commit({ fence, last: false, preconditionHeld: true })).toMatchObject(OK);
      const second = await claimed({ leaseMs: 0 });
      await store.release(world, 'k', second.token);
      const third = await claimed({ leaseMs: A_DAY_AGO });
      await commit(done(third.token));
      const next = await claimed({ now: 5_000, leaseMs: A_DAY_AGO });
      expect([first, second, third, next].map(({ preconditionHeld }) => preconditionHeld)).toEqual([false, true, true, false]);
      await commit({ fence: { ...fence, token: next.token }, last: false, preconditionHeld: true });
      expect(await claimed({ fingerprint: 'g', now: 5_000 + 24 * 3_600_000 })).toMatchObject({ preconditionHeld: false });
    });
  });
}
