import { expect } from '@jest/globals';
import { type ApiId, apis } from '../../shared/catalog/apis.ts';
import { ADDRESS, newRehearsal } from '../support/estate.ts';
import { CASH, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const NONE = 'none_such';

/** A valid body for each API that needs one. */
const bodies: Partial<Record<ApiId, object>> = {
  'add-line-to-basket-api': { sku: 'mug-blue', qty: 1 },
  'change-basket-line-api': { qty: 1 },
  'checkout-basket-api': { shippingAddress: ADDRESS },
  'update-picking-status-api': { status: 'started' },
  'earn-points-api': { orderId: NONE, amount: eur(100) },
  'redeem-points-api': { points: 1, orderId: NONE },
  'issue-loyalty-points-api': { points: 1, reason: 'goodwill' },
  'redeem-loyalty-points-api': { points: 1 },
  'refund-payment-api': { amount: eur(100) },
  'add-payment-api': { tender: CASH, amount: eur(100) },
};

/** An unknown code is a valid question: Validate Voucher answers that the code is not valid. */
const named = Object.values(apis).filter(({ path }) => /\{(id|sku)\}/.test(path));

test.each(named.map((api) => [api.name, api] as const))(
  '%s answers 404 for an object that does not exist',
  async (rehearsal, _, { id, path }) => {
    const { status, body } = await rehearsal.call(id, { params: { id: NONE, sku: NONE, lineId: NONE }, body: bodies[id] });
    expect([path, status, body]).toMatchObject([path, 404, { code: 'not_found', objectType: expect.any(String), id: NONE }]);
    expect(await rehearsal.events({ ext: true })).toEqual([]);
  },
);
