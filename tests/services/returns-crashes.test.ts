import { expect } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import { crashesDuring, type OneRequest } from '../support/each-crash.ts';
import { type CrashSteps, crashSteps } from '../support/steps/crash-steps.ts';
import { card } from '../support/steps/tender.ts';

/** Requests about returns: units and cents move once. */

const DAY = 24 * 60 * 60_000;
/** A mug, in cents. */
const MUG = 1_299;
/** Units of a green mug available at the first store. */
const LEFT_OF_GREEN = 19;

type Request = OneRequest & { readonly orderId: string };
type Resolution = 'exchange' | 'refund';

/** Goods that a customer carried out of a store, paid by two cards, and the body that announces their return. */
async function announcement(steps: CrashSteps, resolution: Resolution, skus = ['mug-blue', 'mug-blue']) {
  const { id, totals } = await steps.sale({ lines: skus.map((sku) => ({ sku, qty: 1 })) });
  for (const amount of [1_000, totals.total.amount - 1_000]) await steps.pay(id, card(), amount);
  await steps.settle();
  const lines = (await steps.order(id)).lines.map(({ lineId, qty }) => ({ orderLineId: lineId, qty, reason: 'too small' }));
  return { orderId: id, lines, resolution };
}

/** An announced return, moved by these verbs, and the request that moves it on. */
async function returned(steps: CrashSteps, verbs: Parameters<CrashSteps['moved']>[1][], resolution: Resolution, skus?: string[]) {
  const body = await announcement(steps, resolution, skus);
  const { id } = await steps.api('create-return-api', { body });
  await steps.moved(id, ...verbs);
  const move = (verb: string): Request => ({
    ...{ application: 'fms', method: 'POST', path: `/internal/returns/${id}/moves`, body: { verb }, orderId: body.orderId },
  });
  return { id, orderId: body.orderId, move };
}
const toExchange = (steps: CrashSteps, skus?: string[]) => returned(steps, ['approve', 'receive', 'inspect'], 'exchange', skus);

/** The request for an order that a return pays for. */
async function exchange(steps: CrashSteps): Promise<Request & { readonly body: { basketId: string; exchangeForReturnId: string } }> {
  const { orderId, id } = await toExchange(steps);
  const { id: basketId } = await steps.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
  await steps.checkedOut(basketId);
  return { application: 'oms', method: 'POST', path: '/orders', body: { basketId, exchangeForReturnId: id }, orderId };
}

/** The state of the return, and the cents refunded over all payments of the order, when the client repeats the request. */
type End = readonly [state: string, refunded: number];
type Row = readonly [killed: readonly Application[], end: End, prepare: (steps: CrashSteps) => Promise<Request>];

const rows: Readonly<Record<string, Row>> = {
  'Create Return': [
    ['fms', 'oms'],
    ['requested', 0],
    async (steps) => {
      const body = await announcement(steps, 'refund');
      return { application: 'fms', method: 'POST', path: '/returns', body, orderId: body.orderId };
    },
  ],
  'an inspection': [
    ['fms', 'oms', 'payment-hub', 'inventory-service'],
    ['refunded', 2 * MUG],
    async (steps) => (await returned(steps, ['approve', 'receive'], 'refund')).move('inspect'),
  ],
  'a rejection': [['fms', 'oms', 'inventory-service'], ['rejected', 0], async (steps) => (await toExchange(steps)).move('reject')],
  'a rejection of units that were partly sold': [
    ['fms', 'inventory-service'],
    ['inspected', 0],
    async (steps) => {
      const { move } = await toExchange(steps, ['mug-blue', 'mug-green']);
      const items = [{ sku: 'mug-green', qty: LEFT_OF_GREEN }];
      await steps.api('reserve-inventory-api', { body: { items, locationId: 'store-01', ttlSeconds: 14_400 } });
      return move('reject');
    },
  ],
  'Create Order for a return': [['oms', 'payment-hub'], ['inspected', 0], exchange],
  'Confirm Order of an exchange': [
    ['oms', 'fms', 'payment-hub'],
    ['exchanged', MUG - 490],
    async (steps) => {
      const asked = await exchange(steps);
      const { id } = await steps.api('create-order-api', { body: asked.body });
      return { ...asked, path: `/orders/${id}/confirm`, body: {} };
    },
  ],
  'Cancel Order of an exchange': [
    ['oms', 'payment-hub'],
    ['exchanged', 2 * MUG],
    async (steps) => {
      const asked = await exchange(steps);
      const { id } = await steps.api('create-order-api', { body: asked.body });
      await steps.confirmed(id);
      await steps.settle();
      return { ...asked, path: `/orders/${id}/cancel`, body: {} };
    },
  ],
};

crashesDuring<Request>(
  Object.fromEntries(
    Object.entries(rows).map(([name, [killed, [state, refunded], prepare]]) => [
      name,
      {
        killed,
        prepare: (estate) => prepare(crashSteps(estate)),
        end: async (estate, { orderId }, insists) => {
          if (insists) {
            const order = await crashSteps(estate).order(orderId);
            const cents = order.payments.reduce((sum, { refundedAmount }) => sum + refundedAmount.amount, 0);
            expect([order.returns.map((one) => one.state), cents]).toEqual([[state], refunded]);
            expect(order.state).toBe(['requested', 'inspected'].includes(state) ? 'return-in-progress' : 'completed');
          }
          // Interrupted work completes without a client.
          for (let week = 0; week < 2; week++) await estate.advance(7 * DAY);
        },
      },
    ]),
  ),
);
