import { expect } from '@jest/globals';
import type { Application } from '../../shared/catalog/applications.ts';
import type { TestRehearsal } from '../support/estate.ts';
import type { PlainReply as Reply } from '../support/plain-client.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { TTL } from '../support/steps/order.ts';
import { CASH, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

type Headers = Record<string, string>;
type Prepare = (rehearsal: TestRehearsal) => Promise<(headers: Headers) => Promise<Reply>>;

const MUG = { sku: 'mug-blue', qty: 1 };

const createOrder: Prepare = async ({ call, checkedOut }) => {
  const { id: basketId } = await checkedOut();
  return (headers) => call('create-order-api', { body: { basketId }, headers });
};
const orderOfSale: Prepare = async ({ call, sale }) => {
  const { id: transactionId } = await sale();
  return (headers) => call('create-order-api', { body: { transactionId }, headers });
};
const confirmOrder: Prepare = async ({ authorised, confirm }) => {
  const { id } = await authorised();
  return (headers) => confirm(id, headers);
};
const confirmOrderTooLate: Prepare = async (rehearsal) => {
  const send = await confirmOrder(rehearsal);
  await rehearsal.advance(TTL);
  return send;
};
const cancelOrder: Prepare = async ({ cancel, confirmed }) => {
  const { id } = await confirmed();
  return (headers) => cancel(id, {}, headers);
};
const pick: Prepare = async ({ call, pickedOrder }) => {
  const { id } = (await pickedOrder({}, 'started')).pickingOrder;
  return (headers) => call('update-picking-status-api', { params: { id }, body: { status: 'picked' }, headers });
};
const confirmReservation: Prepare = async ({ call, draft, api }) => {
  const { id: orderId } = await draft();
  const { id } = await api('reserve-inventory-api', { body: { items: [MUG] } });
  return (headers) => call('confirm-reservation-api', { params: { id }, body: { orderId }, headers });
};
const confirmReservationOfBasket: Prepare = async ({ call, draft }) => {
  const { id: orderId, lines } = await draft();
  return (headers) => call('confirm-reservation-api', { params: { id: lines[0].reservationId }, body: { orderId }, headers });
};
const allocate: Prepare = async ({ call, draft }) => {
  const { id: orderId, lines } = await draft({ qty: 1 });
  return (headers) => call('allocate-inventory-api', { body: { orderId, orderLineId: lines[0].lineId, ...MUG }, headers });
};
/** The Loyalty Platform has not received the event of the sale, so that it reads the order. */
const earn: Prepare = async ({ call, fault, sale, pay, settle }) => {
  await fault('silence', { match: { event: 'ext.order-changed' }, fault: { kind: 'withhold' } });
  const { id: orderId } = await sale();
  await pay(orderId, CASH, 2598);
  await settle();
  return (headers) => call('earn-points-api', { params: { id: 'loy_ada' }, body: { orderId, amount: eur(2598) }, headers });
};

test.each<[string, Application, string | undefined, Prepare]>([
  [
    'Create Basket',
    'crm',
    undefined,
    async ({ call }) =>
      (headers) =>
        call('create-basket-api', { body: { channel: 'web' }, headers }),
  ],
  ['Create Order', 'crm', undefined, createOrder],
  ['Create Order', 'ecommerce-platform', 'convert-basket', createOrder],
  ['Create Order of a transaction', 'pos', undefined, orderOfSale],
  ['Confirm Order', 'payment-hub', undefined, confirmOrder],
  ['Confirm Order', 'sim', undefined, confirmOrder],
  ['Confirm Order', 'crm', undefined, confirmOrder],
  ['Confirm Order with an expired reservation', 'inventory-service', undefined, confirmOrderTooLate],
  ['Cancel Order', 'fms', undefined, cancelOrder],
  ['Update Picking Status', 'fms', undefined, pick],
  ['Confirm Reservation for an order', 'oms', undefined, confirmReservation],
  ['Confirm Reservation of a basket', 'ecommerce-platform', 'get-basket', confirmReservationOfBasket],
  ['Allocate Inventory', 'oms', 'get-order-stock', allocate],
  ['Earn Points', 'oms', undefined, earn],
  [
    'Get Inventory',
    'inventory-service',
    undefined,
    async ({ call }) =>
      () =>
        call('get-inventory-api', { params: { sku: 'mug-blue' } }),
  ],
  [
    'Get Stock Locations',
    'inventory-service',
    undefined,
    async ({ call }) =>
      () =>
        call('get-stock-locations-api', { params: { sku: 'mug-blue' } }),
  ],
])(
  '%s is refused while the %s is down (%s), changes no state, and succeeds with the same key afterwards',
  async (rehearsal, _, dependency, api, prepare) => {
    const send = await prepare(rehearsal);
    await rehearsal.settle();
    const key = { 'idempotency-key': 'again' };
    const states = async () => (await rehearsal.control('list-object-types')).items.map(({ type, states: counts }) => [type, counts]);
    const before = await states();
    await rehearsal.down(api === undefined ? dependency : { api });
    const unavailable = { code: 'dependency_unavailable', dependency, retryable: true };
    expect(await send(key)).toMatchObject({ status: 503, body: unavailable });
    expect(await states()).toEqual(before);
    await rehearsal.noFaults();
    await rehearsal.verify();
    expect((await send(key)).status).toBeLessThan(300);
  },
);
