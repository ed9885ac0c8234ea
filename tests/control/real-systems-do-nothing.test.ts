import { expect, test } from '@jest/globals';
import type { SwappableApplication } from '../../shared/catalog/swap.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startPaymentHub } from '../support/real-payment-hub.ts';
import { card } from '../support/steps/tender.ts';

type Body = Readonly<Record<string, unknown>>;
interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly body: object;
}
/** Prepares a call in a rehearsal where our application answers. @returns the call, as the client sends it */
type Prepare = (rehearsal: TestRehearsal) => Promise<Call> | Call;

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const withAccount = (change: Body) => (body: Body) => ({ ...body, account: { ...(body['account'] as Body), ...change } });
const showing = (change: Body) => (body: Body) => ({ ...body, ...change });

const aBasket = async ({ call }: TestRehearsal) => (await call('create-basket-api', { body: { channel: 'web' } })).body.id;
const aFilled = async (rehearsal: TestRehearsal) => {
  const id = await aBasket(rehearsal);
  const { body } = await rehearsal.call('add-line-to-basket-api', { params: { id }, body: { sku: 'mug-blue', qty: 2 } });
  return { id, lineId: body.lines[0]?.lineId ?? '' };
};
const aSale = async ({ call }: TestRehearsal) => {
  const lines = [{ sku: 'mug-blue', qty: 1 }];
  return (await call('create-transaction-api', { body: { storeId: 'store-01', laneId: 'lane-1', lines } })).body;
};
const address = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const earning: Prepare = async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'time' });
  const { id } = await rehearsal.confirmed();
  await rehearsal.advance('P5D');
  const { earningAmount } = await rehearsal.order(id);
  return { params: { id: 'loy_ada' }, body: { orderId: id, amount: earningAmount as object } };
};
const shipping: Prepare = async (rehearsal) => {
  const { id } = await aFilled(rehearsal);
  return { params: { id }, body: { shippingAddress: address } };
};
const person = { firstName: 'Zoe', email: 'zoe@people.example' };

test.each<[application: SwappableApplication, api: string, what: string, prepare: Prepare, lie: (honest: Body) => Body]>([
  [
    'loyalty-platform',
    'redeem-points-api',
    'the same entries',
    () => ({ params: { id: 'loy_ada' }, body: { points: 10, orderId: 'ord_1' } }),
    withAccount({ entries: [] }),
  ],
  [
    'loyalty-platform',
    'redeem-points-api',
    'a redemption without value',
    () => ({ params: { id: 'loy_ada' }, body: { points: 10, orderId: 'ord_1' } }),
    (body) => ({ ...body, redemption: { ...(body['redemption'] as Body), value: eur(0) } }),
  ],
  [
    'loyalty-platform',
    'redeem-points-api',
    'the same balance',
    () => ({ params: { id: 'loy_ada' }, body: { points: 10, orderId: 'ord_1' } }),
    (body) => withAccount({ pointsBalance: (body['account'] as { pointsBalance: number }).pointsBalance + 10 })(body),
  ],
  ['loyalty-platform', 'earn-points-api', 'no points', earning, showing({ entries: [] })],
  [
    'crm',
    'issue-loyalty-points-api',
    'the same entries',
    () => ({ params: { id: 'loy_ada' }, body: { points: 10, reason: 'sorry' } }),
    showing({ entries: [] }),
  ],
  [
    'crm',
    'redeem-loyalty-points-api',
    'the same entries',
    () => ({ params: { id: 'loy_ada' }, body: { points: 10, orderId: 'ord_1' } }),
    withAccount({ entries: [] }),
  ],
  ['crm', 'create-customer-api', 'an identified party', () => ({ body: person }), showing({ state: 'identified' })],
  ['crm', 'create-customer-api', 'another name', () => ({ body: person }), showing({ firstName: 'Mia' })],
  [
    'clienteling-app',
    'log-interaction-api',
    'no interaction',
    () => ({ body: { customerId: 'cus_ada', type: 'visit', note: 'hats' } }),
    showing({ interactions: [] }),
  ],
  [
    'ecommerce-platform',
    'create-basket-api',
    'no lines',
    () => ({ body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 2 }] } }),
    showing({ lines: [] }),
  ],
  ['ecommerce-platform', 'create-basket-api', 'a merged basket', () => ({ body: { channel: 'web' } }), showing({ state: 'merged' })],
  [
    'ecommerce-platform',
    'add-line-to-basket-api',
    'no lines',
    async (rehearsal) => ({ params: { id: await aBasket(rehearsal) }, body: { sku: 'mug-blue', qty: 2 } }),
    showing({ lines: [] }),
  ],
  [
    'ecommerce-platform',
    'change-basket-line-api',
    'another quantity',
    async (rehearsal) => ({ params: await aFilled(rehearsal), body: { qty: 3 } }),
    (body) => ({ ...body, lines: (body['lines'] as Body[]).map((line) => ({ ...line, qty: 2 })) }),
  ],
  ['ecommerce-platform', 'checkout-basket-api', 'an open basket', shipping, showing({ state: 'open' })],
  ['ecommerce-platform', 'checkout-basket-api', 'no reservation', shipping, showing({ reservationId: undefined })],
  [
    'pos',
    'void-transaction-api',
    'a draft',
    async (rehearsal) => ({ params: { id: (await aSale(rehearsal)).id }, body: {} }),
    showing({ state: 'draft' }),
  ],
  [
    'pos',
    'add-payment-api',
    'another amount',
    async (rehearsal) => {
      const { id, totals } = await aSale(rehearsal);
      return { params: { id }, body: { tender: card(), amount: totals.total } };
    },
    showing({ amount: eur(1), authorizedAmount: eur(1) }),
  ],
  [
    'wms',
    'update-picking-status-api',
    'the same status',
    async (rehearsal) => {
      const { fulfillmentOrders } = await rehearsal.confirmed();
      const { body } = await rehearsal.call('create-picking-order-api', { body: { fulfillmentOrderId: fulfillmentOrders?.[0]?.id ?? '' } });
      return { params: { id: body.id }, body: { status: 'started' } };
    },
    showing({ status: 'open' }),
  ],
])('A real %s that answers %s with success and %s is refused', async (application, api, _what, prepare, lie) => {
  await using ours = await newRehearsal({ warehouse: 'manual' });
  const call = await prepare(ours);
  const answered = await ours.call(api as 'get-customer-api', call as never);
  expect([api, answered.status < 300]).toEqual([api, true]);
  const honest = answered.body as unknown as Body;
  await using system = await startPaymentHub();
  await using rehearsal = await newRehearsal(undefined, undefined, { [application]: { url: system.url } });
  for (const [body, violations] of [
    [lie(honest), [expect.stringMatching(/^(?:no_effect|money)$/)]],
    [honest, []],
  ] as const) {
    system.behave(() => ({ status: answered.status, body }));
    const answer = await rehearsal.call(api as 'get-customer-api', call as never);
    expect([answer.status < 300, [answer.body['violation']].filter((one) => one !== undefined)]).toEqual([
      violations.length === 0,
      violations,
    ]);
  }
});
