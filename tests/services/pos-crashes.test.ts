import { expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Journey, type Step } from '../support/each-crash.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

/**
 * A process is killed at one of its commits during a sale: once with a till that retries, once with one that sends each request a single
 * time. The sale is complete or has no effect: goods, money and order go together.
 */
const HOUR = 60 * 60_000;
const START = { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }] };
const SOLD = { onHand: 48, reserved: 0 };
const UNSOLD = { onHand: 50, reserved: 0 };

type Reply = { status: number; body: { id: string } };
type Send = (estate: CrashingEstate, method: string, path: string, body: unknown, key: string) => Promise<Reply | undefined>;
/** The id of the transaction, if it was answered. */
type Sale = string | undefined;

const insisting: Send = (estate, ...request) => estate.insist('pos', ...request);
const once: Send = (estate, ...request) => estate.ask('pos', ...request).catch(() => undefined);

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
const tenders = (send: Send, byCard: number): readonly Step<Sale>[] => [
  begin(send),
  then(send, 'payment', { tender: CASH, amount: eur(1000) }, 'cash'),
  then(send, 'payment', { tender: card(), amount: eur(byCard) }, 'card'),
];
const sell = (send: Send) => tenders(send, 1598);
const sellAndVoid = (send: Send) => [...tenders(send, 500), then(send, 'void', {}, 'void')];

async function mugs(estate: CrashingEstate) {
  const { body } = await estate.insist('sim', 'GET', '/inventory/items/mug-blue');
  const { onHand, reserved } = body.locations.find(({ locationId }: { locationId: string }) => locationId === 'store-01');
  return { onHand, reserved };
}
const orderOf = (estate: CrashingEstate, id: string) => estate.insist('oms', 'GET', `/orders/${id}`);

/** Amounts of a transaction per state of its payments. */
async function paymentsOf(estate: CrashingEstate, id: Sale): Promise<Record<string, number>> {
  if (id === undefined) return {};
  const { body } = await estate.insist('payment-hub', 'GET', `/internal/payments?orderId=${id}`);
  const sums: Record<string, number> = {};
  for (const { state, amount } of body.items) sums[state] = (sums[state] ?? 0) + amount.amount;
  return sums;
}
const expectOnly = async (estate: CrashingEstate, id: Sale, state: string) =>
  expect(Object.keys(await paymentsOf(estate, id)).filter((other) => other !== state)).toEqual([]);

const killed: readonly Application[] = ['pos', 'ecommerce-platform', 'payment-hub', 'oms', 'sim', 'inventory-service'];

test.each<[string, readonly Step<Sale>[], Journey<Sale>['end']]>([
  [
    'A sale during a crash is completed once when the till retries',
    sell(insisting),
    async (estate, id = '') => {
      await estate.advance(HOUR);
      expect((await orderOf(estate, id)).body).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
      expect(await paymentsOf(estate, id)).toEqual({ captured: 2598 });
      expect(await mugs(estate)).toEqual(SOLD);
    },
  ],
  [
    'A sale during a crash is complete or without effect when the till sends each request once',
    sell(once),
    async (estate, id) => {
      await estate.advance(26 * HOUR);
      const order = id === undefined ? undefined : await orderOf(estate, id);
      const isSold = order?.status === 200;
      if (isSold) expect([order.body.state, await paymentsOf(estate, id)]).toEqual(['completed', { captured: 2598 }]);
      else await expectOnly(estate, id, 'voided');
      expect(await mugs(estate)).toEqual(isSold ? SOLD : UNSOLD);
    },
  ],
  [
    'A void after a crash is carried out, or refused because the sale is complete, within a minute',
    sell(once),
    async (estate, id) => {
      await estate.advance(60_000);
      if (id === undefined) return;
      const next = await estate.ask('pos', 'POST', `/transactions/${id}/void`, {}, 'next');
      const isSold = (await orderOf(estate, id)).status === 200;
      expect([next.status, next.body.retryable ?? false]).toEqual([isSold ? 409 : 200, false]);
      await expectOnly(estate, id, isSold ? 'captured' : 'voided');
    },
  ],
  [
    'A void during a crash returns everything once when the till retries',
    sellAndVoid(insisting),
    async (estate, id = '') => {
      await estate.advance(HOUR);
      const again = await estate.insist('pos', 'POST', `/transactions/${id}/void`, {}, 'again');
      expect(again).toMatchObject({ status: 200, body: { state: 'cancelled' } });
      expect(again.body.compensation).toBeUndefined();
      expect(await paymentsOf(estate, id)).toEqual({ voided: 1500 });
      expect(await mugs(estate)).toEqual(UNSOLD);
    },
  ],
  [
    'A void during a crash returns everything within a day when the till sends each request once',
    sellAndVoid(once),
    async (estate, id) => {
      await estate.advance(26 * HOUR);
      await expectOnly(estate, id, 'voided');
      expect(await mugs(estate)).toEqual(UNSOLD);
    },
  ],
])(
  '%s',
  async (_title, steps, end) => {
    expect(await eachCrash({ begin: async () => undefined, steps, killed, end })).toBeGreaterThan(20);
  },
  180_000,
);
