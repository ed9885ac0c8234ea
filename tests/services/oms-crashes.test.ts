import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import { type Crash, type CrashingEstate, crashingEstate, prepared } from '../support/crashing-estate.ts';
import { ADDRESS } from '../support/estate.ts';

/**
 * An order whose hold ran out, while a process is killed at one of its commits: once with a client that insists, once with one
 * that sends its request a single time. The last lamp is taken once or not at all, and money follows the goods.
 */
const MINUTE = 60_000;
const LANES = 4;

async function lockedBasket(estate: CrashingEstate, customerId: string): Promise<string> {
  const lines = [{ sku: 'lamp-last-one', qty: 1 }];
  const { body } = await estate.insist('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId, lines }, customerId);
  const path = `/baskets/${body.id}/checkout`;
  const locked = await estate.insist('ecommerce-platform', 'POST', path, { shippingAddress: ADDRESS });
  expect(locked).toMatchObject({ status: 200, body: { state: 'locked' } });
  return body.id;
}

async function paidDraft(estate: CrashingEstate): Promise<string> {
  const { body } = await estate.insist('oms', 'POST', '/orders', { basketId: await lockedBasket(estate, 'cus_ada') });
  const tender = { type: 'card', token: 'tok_visa' };
  await estate.insist('payment-hub', 'POST', '/payments/authorizations', { orderId: body.id, tender });
  return body.id;
}

/** A paid draft whose hold has run out. */
async function paidTooLate(estate: CrashingEstate): Promise<string> {
  const id = await paidDraft(estate);
  await estate.advance(16 * MINUTE);
  return id;
}

/** What it held, somebody else holds now. */
async function paidTooLateForTheLast(estate: CrashingEstate): Promise<string> {
  const id = await paidTooLate(estate);
  await lockedBasket(estate, 'cus_ben');
  return id;
}

const orderNow = async (estate: CrashingEstate, id: string) => (await estate.insist('oms', 'GET', `/orders/${id}`)).body;

async function heldLamps(estate: CrashingEstate): Promise<number> {
  const { body } = await estate.insist('sim', 'GET', '/inventory/items/lamp-last-one');
  return body.locations.reduce((sum: number, { reserved }: { reserved: number }) => sum + reserved, 0);
}

const paymentStates = (order: { payments: readonly { state: string }[] }): string[] => order.payments.map(({ state }) => state);

const crashesOf = (commits: Partial<Record<Application, number>>): Crash[] =>
  Object.entries(commits).flatMap(([application, count]) =>
    Array.from({ length: count }, (_, index) => index + 1).flatMap((commit) =>
      (['before', 'after'] as const).map((when) => ({ application: application as Application, commit, when })),
    ),
  );

async function eachCrash(
  crashes: readonly Crash[],
  prepare: (estate: CrashingEstate) => Promise<string>,
  run: (estate: CrashingEstate, id: string, crash: Crash) => Promise<void>,
): Promise<void> {
  const { from, found: id } = await prepared(prepare);
  const queue = [...crashes];
  const lane = async (): Promise<void> => {
    for (let crash = queue.shift(); crash; crash = queue.shift()) {
      const estate = await crashingEstate({ from });
      try {
        await run(estate, id, crash);
        expect(estate.crashes()).toBe(1);
        expect((await estate.ledger()).parked).toEqual([]);
        expect((await estate.verify()).flatMap(({ violations }) => violations)).toEqual([]);
      } catch (error) {
        throw new Error(`${crash.application} killed ${crash.when} its commit ${crash.commit}: ${(error as Error).message}`);
      } finally {
        await estate.close();
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

const AGAIN: Partial<Record<Application, number>> = { oms: 3, sim: 3, 'inventory-service': 1 };
const REFUSED: Partial<Record<Application, number>> = { oms: 3, sim: 2, 'payment-hub': 1 };

describe('A confirmation that takes a new hold and is killed', () => {
  test('confirms the order once when it is repeated', async () => {
    await eachCrash(crashesOf(AGAIN), paidTooLate, async (estate, id, crash) => {
      estate.crashAt(crash);
      const confirmed = await estate.insist('oms', 'POST', `/orders/${id}/confirm`);
      expect(confirmed).toMatchObject({ status: 200, body: { state: 'confirmed' } });
      await estate.advance(30 * MINUTE);
      expect(await heldLamps(estate)).toBe(1);
    });
  }, 120_000);

  test('confirms the order or leaves the draft as it was when it is not repeated', async () => {
    await eachCrash(crashesOf(AGAIN), paidTooLate, async (estate, id, crash) => {
      estate.crashAt(crash);
      await estate.ask('oms', 'POST', `/orders/${id}/confirm`, {}, 'once').catch(() => undefined);
      estate.crashAt(undefined);
      await estate.advance(30 * MINUTE);
      const order = await orderNow(estate, id);
      expect(order).not.toHaveProperty('pendingAction');
      expect(paymentStates(order)).toEqual(['authorised']);
      expect(await heldLamps(estate)).toBe(order.state === 'confirmed' ? 1 : 0);
      expect(await estate.insist('oms', 'POST', `/orders/${id}/confirm`, {}, 'next')).toMatchObject({ status: 200 });
      expect(await heldLamps(estate)).toBe(1);
    });
  }, 120_000);
});

describe('A confirmation that is refused for stock and killed', () => {
  test.each(['repeated', 'not repeated'])(
    'has voided its authorisation in the end when it is %s',
    async (how) => {
      await eachCrash(crashesOf(REFUSED), paidTooLateForTheLast, async (estate, id, crash) => {
        estate.crashAt(crash);
        if (how === 'repeated') {
          const { status, body } = await estate.insist('oms', 'POST', `/orders/${id}/confirm`);
          expect([status, body.code]).toEqual([409, 'reservation_expired']);
        } else {
          await estate.ask('oms', 'POST', `/orders/${id}/confirm`, {}, 'once').catch(() => undefined);
        }
        await estate.advance(5 * MINUTE);
        estate.crashAt(undefined);
        const order = await orderNow(estate, id);
        // Killed before its intent, nothing of the request remains; the client that gave up has not been refused yet.
        const unknown = how === 'not repeated' && crash.application === 'oms' && crash.commit === 1 && crash.when === 'before';
        expect(paymentStates(order)).toEqual([unknown ? 'authorised' : 'voided']);
        expect(order).toMatchObject({ state: 'draft' });
        expect(order).not.toHaveProperty('pendingAction');
        expect(order).not.toHaveProperty('compensation');
        expect(await heldLamps(estate)).toBe(1);
      });
    },
    120_000,
  );
});

describe('The expiry of a draft that is killed', () => {
  test('is finished: payments voided, nothing held', async () => {
    await eachCrash(crashesOf({ oms: 2, 'payment-hub': 1, sim: 1 }), paidDraft, async (estate, id, crash) => {
      if (crash.application !== 'sim') await estate.advance(23 * 60 * MINUTE);
      estate.crashAt(crash);
      await estate.advance(26 * 60 * MINUTE);
      const order = await orderNow(estate, id);
      expect(order).toMatchObject({ state: 'cancelled', cancelReason: 'expired' });
      expect(order).not.toHaveProperty('compensation');
      expect(paymentStates(order)).toEqual(['voided']);
      expect(await heldLamps(estate)).toBe(0);
    });
  }, 120_000);
});
