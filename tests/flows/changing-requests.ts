import type { ApiId } from '../../shared/catalog/apis.ts';
import { ADDRESS, type TestRehearsal } from '../support/estate.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

/** A request to an API that changes state, sent after other calls have prepared the state. */
export interface Request {
  /** The id in the path. */
  readonly id?: string;
  readonly lineId?: string;
  readonly refundId?: string;
  readonly body: Record<string, unknown>;
  /** Differs from the body, and fits the schema as well. */
  readonly other: Record<string, unknown>;
}
export type Prepare = (rehearsal: TestRehearsal) => Promise<Request>;

const MUG = { sku: 'mug-blue', qty: 2 };

const payment = async (rehearsal: TestRehearsal) => rehearsal.authorisation((await rehearsal.draft()).id);
const reservation = (rehearsal: TestRehearsal) => rehearsal.api('reserve-inventory-api', { body: { items: [MUG] } });
const fulfillmentOrder = async (rehearsal: TestRehearsal) => rehearsal.onlyFulfilment((await rehearsal.confirmed()).id);
const lineOfBasket = async (rehearsal: TestRehearsal) => {
  const { id, lines } = await rehearsal.basket();
  return { id, lineId: lines[0]?.lineId };
};
const packed = async (rehearsal: TestRehearsal) => {
  const id = await fulfillmentOrder(rehearsal);
  await rehearsal.packed(id);
  return id;
};

/** The goods of an order at the counter of the store where the customer collects them. */
export const atCounter = async (rehearsal: TestRehearsal) => {
  const { id: basketId } = await rehearsal.basket();
  const body = { collection: { locationId: 'store-01' }, placeOrder: true };
  const { orderId = '' } = await rehearsal.api('checkout-basket-api', { params: { id: basketId }, body });
  await rehearsal.authorisation(orderId);
  await rehearsal.confirmed(orderId);
  await rehearsal.settle();
  const id = await rehearsal.onlyFulfilment(orderId);
  await rehearsal.packed(id);
  const { collection } = await rehearsal.api('dispatch-fulfillment-order-api', { params: { id } });
  return { id, code: collection?.code ?? '' };
};

/** A valid request to each public API that is sent by POST, PUT or DELETE, except webhooks. */
export const requests: Readonly<Record<string, Prepare>> = {
  'create-transaction-api': async () => {
    const body = { storeId: 'store-01', laneId: 'lane-1', lines: [MUG] };
    return { body, other: { ...body, laneId: 'lane-2' } };
  },
  'void-transaction-api': async (rehearsal) => ({ id: (await rehearsal.sale()).id, body: { reason: 'forgot the purse' }, other: {} }),
  'add-payment-api': async (rehearsal) => {
    const { id } = await rehearsal.sale();
    return { id, body: { tender: CASH, amount: eur(500) }, other: { tender: CASH, amount: eur(501) } };
  },
  'create-basket-api': async () => ({ body: { channel: 'web' }, other: { channel: 'app' } }),
  'add-line-to-basket-api': async (rehearsal) => ({ id: (await rehearsal.basket()).id, body: MUG, other: { ...MUG, qty: 1 } }),
  'change-basket-line-api': async (rehearsal) => ({ ...(await lineOfBasket(rehearsal)), body: { qty: 5 }, other: { qty: 6 } }),
  'remove-basket-line-api': async (rehearsal) => ({ ...(await lineOfBasket(rehearsal)), body: {}, other: {} }),
  'checkout-basket-api': async (rehearsal) => {
    const { id } = await rehearsal.basket();
    return { id, body: { shippingAddress: ADDRESS }, other: { shippingAddress: ADDRESS, shippingMethod: 'EXPRESS' } };
  },
  'change-order-api': async (rehearsal) => {
    const { id, lines } = await rehearsal.confirmed();
    const [{ lineId }] = lines;
    return { id, body: { lines: [{ lineId, qty: 1 }] }, other: { shippingAddress: { ...ADDRESS, line1: '7 Shop Street' } } };
  },
  'create-customer-api': async () => {
    const body = { email: 'uma@people.example', firstName: 'Uma', lastName: 'Reed' };
    return { body, other: { ...body, firstName: 'Una' } };
  },
  'log-interaction-api': async () => {
    const body = { customerId: 'cus_ada', type: 'visit' };
    return { body, other: { ...body, type: 'callback' } };
  },
  'dispatch-fulfillment-order-api': async (rehearsal) => ({ id: await packed(rehearsal), body: {}, other: { service: 'EXPRESS' } }),
  'hand-over-collection-api': async (rehearsal) => {
    const { id, code } = await atCounter(rehearsal);
    return { id, body: { code }, other: { code: code === '000000' ? '111111' : '000000' } };
  },
  'extend-collection-api': async (rehearsal) => ({ id: (await atCounter(rehearsal)).id, body: {}, other: {} }),
  'create-return-api': async (rehearsal) => {
    const { id: orderId, lines } = await rehearsal.completed();
    const body = { orderId, lines: [{ orderLineId: lines[0].lineId, qty: 1, reason: 'too blue' }], locationId: 'store-01' };
    return { body, other: { ...body, dropOff: 'carrier' } };
  },
  'create-picking-order-api': async (rehearsal) => ({
    body: { fulfillmentOrderId: await fulfillmentOrder(rehearsal) },
    other: { fulfillmentOrderId: 'ful_another' },
  }),
  'update-picking-status-api': async (rehearsal) => {
    const { id } = await rehearsal.picked(await fulfillmentOrder(rehearsal));
    return { id, body: { status: 'started' }, other: { status: 'picked' } };
  },
  'generate-label-api': async (rehearsal) => {
    await rehearsal.progress({ label: 'manual' });
    const { shipmentId } = await rehearsal.dispatchedOrder();
    await rehearsal.settle();
    return { id: shipmentId, body: {}, other: { format: 'PDF' } };
  },
  'reserve-inventory-api': async () => ({ body: { items: [MUG] }, other: { items: [{ ...MUG, qty: 3 }] } }),
  'confirm-reservation-api': async (rehearsal) => ({ id: (await reservation(rehearsal)).id, body: {}, other: { orderId: 'ord_other' } }),
  'release-reservation-api': async (rehearsal) => ({ id: (await reservation(rehearsal)).id, body: {}, other: {} }),
  'allocate-inventory-api': async (rehearsal) => {
    const { id: orderId, lines } = await rehearsal.draft();
    const [{ lineId: orderLineId, reservationId }] = lines;
    await rehearsal.api('release-reservation-api', { params: { id: reservationId } });
    const body = { orderId, orderLineId, sku: 'mug-blue', qty: 1 };
    return { body, other: { ...body, qty: 2 } };
  },
  'enroll-loyalty-member-api': async () => {
    const body = { customerId: 'cus_ben' };
    return { body, other: { ...body, cardNumber: 'CARD-77' } };
  },
  'issue-loyalty-points-api': async () => {
    const body = { points: 10, reason: 'goodwill' };
    return { id: 'loy_ada', body, other: { ...body, points: 11 } };
  },
  'redeem-loyalty-points-api': async () => ({ id: 'loy_ada', body: { points: 10 }, other: { points: 11 } }),
  'earn-points-api': async (rehearsal) => {
    const { id: orderId, totals } = await rehearsal.sale();
    await rehearsal.pay(orderId, CASH, totals.total.amount);
    const body = { orderId, amount: totals.total };
    return { id: 'loy_ada', body, other: { ...body, orderId: 'ord_two' } };
  },
  'redeem-points-api': async () => {
    const body = { points: 10, orderId: 'ord_one' };
    return { id: 'loy_ada', body, other: { ...body, orderId: 'ord_two' } };
  },
  'create-order-api': async (rehearsal) => ({ body: { basketId: (await rehearsal.checkedOut()).id }, other: { basketId: 'bsk_another' } }),
  'cancel-order-api': async (rehearsal) => ({ id: (await rehearsal.draft()).id, body: { reason: 'changed my mind' }, other: {} }),
  'confirm-order-api': async (rehearsal) => ({ id: (await rehearsal.authorised()).id, body: {}, other: {} }),
  'create-replacement-api': async (rehearsal) => {
    const { id, lines } = await rehearsal.completed();
    const body = { lines: [{ orderLineId: lines[0].lineId, qty: 1 }], reason: 'damaged' };
    return { id, body, other: { ...body, reason: 'wrong' } };
  },
  'route-order-api': async (rehearsal) => {
    await rehearsal.progress({ route: 'manual' });
    return { id: (await rehearsal.confirmed()).id, body: {}, other: { strategy: 'most-stock' } };
  },
  'authorize-payment-api': async (rehearsal) => {
    const body = { orderId: (await rehearsal.draft()).id, tender: card(), amount: eur(100) };
    return { body, other: { ...body, orderId: 'ord_other' } };
  },
  'capture-payment-api': async (rehearsal) => ({ id: (await payment(rehearsal)).id, body: {}, other: { amount: eur(1) } }),
  'void-payment-api': async (rehearsal) => ({ id: (await payment(rehearsal)).id, body: {}, other: {} }),
  'refund-payment-api': async (rehearsal) => {
    const { id } = await payment(rehearsal);
    await rehearsal.api('capture-payment-api', { params: { id } });
    return { id, body: { amount: eur(100) }, other: { amount: eur(101) } };
  },
  'note-refund-result-api': async (rehearsal) => {
    await rehearsal.progress({ external: 'manual' });
    const { id, refundId } = await rehearsal.awaitedRefund();
    return { id, refundId, body: { state: 'succeeded' }, other: { state: 'failed', failureReason: 'account_closed' } };
  },
  'evaluate-promotions-api': async () => {
    const line = { sku: 'mug-blue', qty: 1, unitPrice: eur(1299) };
    return { body: { lines: [line] }, other: { lines: [{ ...line, qty: 2 }] } };
  },
};

/** Sends a request, which some other calls have prepared. */
export const sendRequest = (
  rehearsal: TestRehearsal,
  api: string,
  { id = '', lineId = '', refundId = '', body }: Omit<Request, 'other'>,
  how: { readonly headers?: Record<string, string>; readonly query?: Record<string, string> } = {},
) => rehearsal.call(api as ApiId, { params: { id, lineId, refundId }, body, ...how });
