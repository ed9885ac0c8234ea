import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Journey, type Step } from '../support/each-crash.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

/**
 * A sale at the till while a process is killed at one of its commits: once with a till that retries, once with one that sends each
 * request a single time. It ends as a complete sale or without effect: goods, money and order go together.
 */
const HOUR = 60 * 60_000;

const START = { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }] };

type Send = (
  estate: CrashingEstate,
  method: string,
  path: string,
  body: unknown,
  key: string,
) => Promise<{ status: number; body: { id: string } } | undefined>;

/** The id of the transaction, if it was answered. */
type Sale = string | undefined;

const begin =
  (send: Send): Step<Sale> =>
  async (estate) => {
    const begun = await send(estate, 'POST', '/transactions', START, 'begin');
    return begun?.status === 201 ? begun.body.id : undefined;
  };

/** Skipped when the transaction was not answered. */
const then =
  (send: Send, what: string, body: object, key: string): Step<Sale> =>
  async (estate, id) => {
    if (id !== undefined) await send(estate, 'POST', `/transactions/${id}/${what}`, body, key);
    return id;
  };

/** A split tender and its submission. */
const sell = (send: Send): readonly Step<Sale>[] => [
  begin(send),
  then(send, 'payment', { tender: CASH, amount: eur(1000) }, 'cash'),
  then(send, 'payment', { tender: card(), amount: eur(1598) }, 'card'),
];

/** Two tenders, and then the customer walks away. */
const sellAndVoid = (send: Send): readonly Step<Sale>[] => [
  begin(send),
  then(send, 'payment', { tender: CASH, amount: eur(1000) }, 'cash'),
  then(send, 'payment', { tender: card(), amount: eur(500) }, 'card'),
  then(send, 'void', {}, 'void'),
];

const insisting: Send = (estate, ...request) => estate.insist('pos', ...request);
const once: Send = (estate, ...request) => estate.ask('pos', ...request).catch(() => undefined);

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

const killed: readonly Application[] = ['pos', 'ecommerce-platform', 'payment-hub', 'oms', 'sim', 'inventory-service'];

async function eachDeath(steps: readonly Step<Sale>[], end: Journey<Sale>['end']): Promise<void> {
  expect(await eachCrash({ begin: async () => undefined, steps, killed, end })).toBeGreaterThan(20);
}

describe('A sale during which a process is killed', () => {
  test('is completed once when the till retries', async () => {
    await eachDeath(sell(insisting), async (estate, id = '') => {
      await estate.advance(HOUR);
      expect((await estate.insist('oms', 'GET', `/orders/${id}`)).body).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
      expect(await paymentsOf(estate, id)).toEqual({ captured: 2598 });
      expect(await mugs(estate)).toEqual({ onHand: 48, reserved: 0 });
    });
  }, 180_000);

  test('is complete or without effect when the till sends each request once', async () => {
    await eachDeath(sell(once), async (estate, id) => {
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
  test('releases the transaction soon: the next void is carried out, or refused for good', async () => {
    await eachDeath(sell(once), async (estate, id) => {
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
  test('gives everything back once when the till retries', async () => {
    await eachDeath(sellAndVoid(insisting), async (estate, id = '') => {
      await estate.advance(HOUR);
      const again = await estate.insist('pos', 'POST', `/transactions/${id}/void`, {}, 'again');
      expect(again).toMatchObject({ status: 200, body: { state: 'cancelled' } });
      expect(again.body.compensation).toBeUndefined();
      expect(await paymentsOf(estate, id)).toEqual({ voided: 1500 });
      expect(await mugs(estate)).toEqual({ onHand: 50, reserved: 0 });
    });
  }, 180_000);

  test('gives everything back within a day when the till sends each request once', async () => {
    await eachDeath(sellAndVoid(once), async (estate, id) => {
      await estate.advance(26 * HOUR);
      const sums = id === undefined ? {} : await paymentsOf(estate, id);
      expect(Object.keys(sums).filter((state) => state !== 'voided')).toEqual([]);
      expect(await mugs(estate)).toEqual({ onHand: 50, reserved: 0 });
    });
  }, 180_000);
});
