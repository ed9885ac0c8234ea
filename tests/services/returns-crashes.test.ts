import { describe, expect, test } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { comeToRest, eachCrash, type OneRequest, requested } from '../support/each-crash.ts';
import { ADDRESS } from '../support/estate.ts';
import { card, eur } from '../support/steps/tender.ts';

const DAY = 24 * 60 * 60_000;
/** A mug, in cents. */
const MUG = 1_299;
/** Units of a green mug available at the first store. */
const LEFT_OF_GREEN = 19;

interface Request extends OneRequest {
  readonly orderId: string;
  /** The state of the return, and the cents refunded over all payments of the order, when the client repeats the request. */
  readonly end: readonly [state: string, refunded: number];
}
type Resolution = 'exchange' | 'refund';

/** Requests about returns, and what must hold after them. */
function returning(estate: CrashingEstate) {
  const { ok } = estate;

  /** Goods that a customer carried out of a store, paid by two cards, and the body that announces their return. */
  async function announcement(resolution: Resolution, skus = ['mug-blue', 'mug-blue']) {
    const sold = skus.map((sku) => ({ sku, qty: 1 }));
    const { id, totals } = await ok('pos', 'POST', '/transactions', { storeId: 'store-01', laneId: 'lane-1', lines: sold });
    for (const amount of [1_000, totals.total.amount - 1_000]) {
      await ok('pos', 'POST', `/transactions/${id}/payment`, { tender: card(), amount: eur(amount) });
    }
    await estate.settle();
    const { lines } = await ok('oms', 'GET', `/orders/${id}`);
    const all = lines.map(({ lineId, qty }: { lineId: string; qty: number }) => ({ orderLineId: lineId, qty, reason: 'too small' }));
    return { orderId: id as string, lines: all, resolution };
  }

  /** An announced return, moved by these verbs, and the request that moves it on. */
  async function returned(verbs: readonly string[], resolution: Resolution, skus?: string[]) {
    const body = await announcement(resolution, skus);
    const { id } = await ok('fms', 'POST', '/returns', body);
    const path = `/internal/returns/${id}/moves`;
    for (const verb of verbs) await ok('fms', 'POST', path, { verb });
    const move = (verb: string) => ({ application: 'fms', method: 'POST', path, body: { verb }, orderId: body.orderId }) as const;
    return { id: id as string, orderId: body.orderId, move };
  }

  const toExchange = (skus?: string[]) => returned(['approve', 'receive', 'inspect'], 'exchange', skus);

  /** The request for an order that a return pays for. */
  async function exchange() {
    const { orderId, id } = await toExchange();
    const basket = await ok('ecommerce-platform', 'POST', '/baskets', { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] });
    await ok('ecommerce-platform', 'POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS });
    const body = { basketId: basket.id, exchangeForReturnId: id };
    return { application: 'oms', method: 'POST', path: '/orders', body, orderId } as const;
  }

  const requests: Record<string, () => Promise<Request>> = {
    'Create Return': async () => {
      const body = await announcement('refund');
      return { application: 'fms', method: 'POST', path: '/returns', body, orderId: body.orderId, end: ['requested', 0] };
    },
    'an inspection': async () => {
      const { move } = await returned(['approve', 'receive'], 'refund');
      return { ...move('inspect'), end: ['refunded', 2 * MUG] };
    },
    'a rejection': async () => ({ ...(await toExchange()).move('reject'), end: ['rejected', 0] }),
    'a rejection of units that were partly sold': async () => {
      const { move } = await toExchange(['mug-blue', 'mug-green']);
      const items = [{ sku: 'mug-green', qty: LEFT_OF_GREEN }];
      await ok('sim', 'POST', '/inventory/reservations', { items, locationId: 'store-01', ttlSeconds: 14_400 });
      return { ...move('reject'), end: ['inspected', 0] };
    },
    'Create Order for a return': async () => ({ ...(await exchange()), end: ['inspected', 0] }),
    'Confirm Order of an exchange': async () => {
      const asked = await exchange();
      const { id, totals } = await ok('oms', 'POST', asked.path, asked.body);
      return { ...asked, path: `/orders/${id}/confirm`, body: {}, end: ['exchanged', 2 * MUG - totals.total.amount] };
    },
    'Cancel Order of an exchange': async () => {
      const asked = await exchange();
      const { id } = await ok('oms', 'POST', asked.path, asked.body);
      await ok('oms', 'POST', `/orders/${id}/confirm`);
      await estate.settle();
      return { ...asked, path: `/orders/${id}/cancel`, body: {}, end: ['exchanged', 2 * MUG] };
    },
  };

  return {
    prepare: (name: string): Promise<Request> => requests[name]?.() ?? Promise.reject(new Error(`${name} is a request.`)),
    async ends({ orderId, end }: Request, insists: boolean): Promise<void> {
      await comeToRest(estate);
      if (insists) {
        const { state, returns, payments } = await ok('oms', 'GET', `/orders/${orderId}`);
        const refunds: number[] = payments.map(({ refundedAmount }: { refundedAmount: { amount: number } }) => refundedAmount.amount);
        expect([returns.map((one: { state: string }) => one.state), refunds.reduce((sum, one) => sum + one, 0)]).toEqual([
          [end[0]],
          end[1],
        ]);
        expect(state).toBe(['requested', 'inspected'].includes(end[0]) ? 'return-in-progress' : 'completed');
      }
      // Interrupted work completes without a client.
      for (let week = 0; week < 2; week++) await estate.advance(7 * DAY);
      await comeToRest(estate);
    },
  };
}

describe.each([
  ['is repeated', true],
  ['is not repeated', false],
])('Requests about returns whose process dies at any commit, when the request %s', (how, insists) => {
  test.each<[string, readonly Application[]]>([
    ['Create Return', ['fms', 'oms']],
    ['an inspection', ['fms', 'oms', 'payment-hub', 'inventory-service']],
    ['a rejection', ['fms', 'oms', 'inventory-service']],
    ['a rejection of units that were partly sold', ['fms', 'inventory-service']],
    ['Create Order for a return', ['oms', 'payment-hub']],
    ['Confirm Order of an exchange', ['oms', 'fms', 'payment-hub']],
    ['Cancel Order of an exchange', ['oms', 'payment-hub']],
  ])(
    `The process of %s dies, the request ${how}, and units and cents move once`,
    async (name, killed) => {
      await eachCrash<Request>({
        begin: (estate) => returning(estate).prepare(name),
        steps: [requested(insists)],
        killed,
        end: (estate, request) => returning(estate).ends(request, insists),
      });
    },
    180_000,
  );
});
