import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import { type Crash, type CrashingEstate, crashingEstate } from '../support/crashing-estate.ts';
import { CASH, card, eur } from './till-scenes.ts';

/**
 * A sale at the till while a process is killed at one of its commits: once with a till that insists, once with one that sends each
 * request a single time and is never heard of again. It ends as a sale or as nothing: goods, money and order go together.
 */
const HOUR = 60 * 60_000;
const LANES = 6;

type Send = (method: string, path: string, body: unknown, key: string) => Promise<{ status: number; body: { id: string } } | undefined>;

const START = { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }] };

/** A split tender, and what goes with it. @returns the transaction's id, if it was told */
async function sell(send: Send): Promise<string | undefined> {
  const begun = await send('POST', '/transactions', START, 'begin');
  if (begun?.status !== 201) return undefined;
  const { id } = begun.body;
  await send('POST', `/transactions/${id}/payment`, { tender: CASH, amount: eur(1000) }, 'cash');
  await send('POST', `/transactions/${id}/payment`, { tender: card(), amount: eur(1598) }, 'card');
  return id;
}

/** Two tenders, and then the customer walks away. */
async function sellAndVoid(send: Send): Promise<string | undefined> {
  const begun = await send('POST', '/transactions', START, 'begin');
  if (begun?.status !== 201) return undefined;
  const { id } = begun.body;
  await send('POST', `/transactions/${id}/payment`, { tender: CASH, amount: eur(1000) }, 'cash');
  await send('POST', `/transactions/${id}/payment`, { tender: card(), amount: eur(500) }, 'card');
  await send('POST', `/transactions/${id}/void`, {}, 'void');
  return id;
}

const insisting =
  (estate: CrashingEstate): Send =>
  (method, path, body, key) =>
    estate.insist('pos', method, path, body, key);
const once =
  (estate: CrashingEstate): Send =>
  (method, path, body, key) =>
    estate.ask('pos', method, path, body, key).catch(() => undefined);

async function mugs(estate: CrashingEstate): Promise<{ onHand: number; reserved: number }> {
  const { body } = await estate.insist('sim', 'GET', '/inventory/items/mug-blue');
  const { onHand, reserved } = body.locations.find(({ locationId }: { locationId: string }) => locationId === 'store-01');
  return { onHand, reserved };
}

async function paymentsOf(estate: CrashingEstate, id: string): Promise<Record<string, number>> {
  const { body } = await estate.insist('payment-hub', 'GET', `/internal/payments?orderId=${id}`);
  const sums: Record<string, number> = {};
  for (const { state, amount } of body.items) sums[state] = (sums[state] ?? 0) + amount.amount;
  return sums;
}

/** How often each application commits in a run without a crash. */
async function crashesOf(run: (send: Send) => Promise<unknown>): Promise<Crash[]> {
  const estate = await crashingEstate();
  try {
    estate.crashAt(undefined);
    await run(insisting(estate));
    await estate.settle();
    const applications: Application[] = ['pos', 'ecommerce-platform', 'payment-hub', 'oms', 'sim', 'inventory-service'];
    return applications.flatMap((application) =>
      Array.from({ length: estate.commits(application) }, (_, index) => index + 1).flatMap((commit) =>
        (['before', 'after'] as const).map((when) => ({ application, commit, when })),
      ),
    );
  } finally {
    await estate.close();
  }
}

async function eachCrash(run: (send: Send) => Promise<unknown>, check: (estate: CrashingEstate) => Promise<void>): Promise<void> {
  const queue = await crashesOf(run);
  expect(queue.length).toBeGreaterThan(20);
  const lane = async (): Promise<void> => {
    for (let crash = queue.shift(); crash; crash = queue.shift()) {
      const estate = await crashingEstate();
      try {
        estate.crashAt(crash);
        await check(estate);
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

describe('A sale during which a process is killed', () => {
  test('is completed once when the till insists', async () => {
    await eachCrash(sell, async (estate) => {
      const id = (await sell(insisting(estate))) ?? '';
      await estate.advance(HOUR);
      expect((await estate.insist('oms', 'GET', `/orders/${id}`)).body).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
      expect(await paymentsOf(estate, id)).toEqual({ captured: 2598 });
      expect(await mugs(estate)).toEqual({ onHand: 48, reserved: 0 });
    });
  }, 180_000);

  test('is a sale or nothing when the till sends everything once', async () => {
    await eachCrash(sell, async (estate) => {
      const id = await sell(once(estate));
      estate.crashAt(undefined);
      await estate.advance(26 * HOUR);
      const order = id === undefined ? undefined : await estate.insist('oms', 'GET', `/orders/${id}`);
      const sums = id === undefined ? {} : await paymentsOf(estate, id);
      const isSold = order?.status === 200;
      if (isSold) expect([order.body.state, sums]).toEqual(['completed', { captured: 2598 }]);
      else expect(Object.keys(sums).filter((state) => state !== 'voided')).toEqual([]);
      expect(await mugs(estate)).toEqual({ onHand: isSold ? 48 : 50, reserved: 0 });
    });
  }, 180_000);
});

describe('A till whose request died', () => {
  test('is not busy for long: the next void is carried out, or refused for good', async () => {
    await eachCrash(sell, async (estate) => {
      const id = await sell(once(estate));
      estate.crashAt(undefined);
      await estate.advance(60_000);
      if (id === undefined) return;
      const next = await estate.ask('pos', 'POST', `/transactions/${id}/void`, {}, 'next');
      const isSold = (await estate.insist('oms', 'GET', `/orders/${id}`)).status === 200;
      expect([next.status, next.body.retryable ?? false]).toEqual([isSold ? 409 : 200, false]);
      expect(Object.keys(await paymentsOf(estate, id)).filter((state) => state !== (isSold ? 'captured' : 'voided'))).toEqual([]);
    });
  }, 180_000);
});

describe('A void during which a process is killed', () => {
  test('gives everything back once when the till insists', async () => {
    await eachCrash(sellAndVoid, async (estate) => {
      const id = (await sellAndVoid(insisting(estate))) ?? '';
      await estate.advance(HOUR);
      const again = await estate.insist('pos', 'POST', `/transactions/${id}/void`, {}, 'again');
      expect(again).toMatchObject({ status: 200, body: { state: 'cancelled' } });
      expect(again.body.compensation).toBeUndefined();
      expect(await paymentsOf(estate, id)).toEqual({ voided: 1500 });
      expect(await mugs(estate)).toEqual({ onHand: 50, reserved: 0 });
    });
  }, 180_000);

  test('gives everything back within a day when the till sends everything once', async () => {
    await eachCrash(sellAndVoid, async (estate) => {
      const id = await sellAndVoid(once(estate));
      estate.crashAt(undefined);
      await estate.advance(26 * HOUR);
      const sums = id === undefined ? {} : await paymentsOf(estate, id);
      expect(Object.keys(sums).filter((state) => state !== 'voided')).toEqual([]);
      expect(await mugs(estate)).toEqual({ onHand: 50, reserved: 0 });
    });
  }, 180_000);
});
