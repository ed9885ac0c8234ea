import { expect, test } from '@jest/globals';
import { type ApiId, apis } from '../../shared/catalog/apis.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { collectionSteps } from '../support/steps/collection.ts';
import { givenOrder } from '../support/steps/given.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { requestMembers } from './request-members.ts';

/** A request with a member that names an object that does not exist. */
interface Request {
  /** The id in the path. */
  readonly id?: string;
  readonly query?: object;
  readonly body?: object;
}
type Prepare = (rehearsal: TestRehearsal) => Promise<Request>;
/** The request, the status of the reply, and the type of the missing object or the code of the error. */
type Row = readonly [request: Request | Prepare, status: number, about?: string];

const NONE = 'none_such';
const MUG = { sku: 'mug-blue', qty: 1 };
const UNKNOWN = { sku: NONE, qty: 1 };
/** A barcode that no product has. */
const BARCODE = { gtin: '4006381333931', qty: 1 };
const EUR = eur(100);
const TILL = { storeId: 'store-01', laneId: 'lane-1', lines: [MUG] };
const PRICED = { ...MUG, unitPrice: EUR };

const sold = async (rehearsal: TestRehearsal) => {
  const { id, totals } = await rehearsal.sale();
  await rehearsal.pay(id, CASH, totals.total.amount);
  return rehearsal.order(id);
};
const checkout =
  (more: object): Prepare =>
  async (rehearsal) => ({ id: (await rehearsal.basket()).id, body: { shippingAddress: ADDRESS, ...more } });
const allocate =
  (more: object): Prepare =>
  async (rehearsal) => {
    const { id, lines } = await rehearsal.draft();
    await rehearsal.api('release-reservation-api', { params: { id: lines[0].reservationId } });
    return { body: { orderId: id, orderLineId: lines[0].lineId, ...MUG, ...more } };
  };
const returned =
  (more: object): Prepare =>
  async (rehearsal) => {
    const { id, lines } = await sold(rehearsal);
    return { body: { orderId: id, lines: [{ orderLineId: lines[0].lineId, qty: 1, reason: 'blue' }], ...more } };
  };
const replaced =
  (more: object): Prepare =>
  async (rehearsal) => {
    const { id, lines } = await sold(rehearsal);
    return { id, body: { lines: [{ orderLineId: lines[0].lineId, qty: 1 }], reason: 'damaged', ...more } };
  };
const short =
  (line: object): Prepare =>
  async (rehearsal) => {
    const { pickingOrder } = await rehearsal.pickedOrder({}, 'started');
    return { id: pickingOrder.id, body: { status: 'short', lines: [{ orderLineId: 'line', pickedQty: 0, ...line }] } };
  };

const handOver =
  (body: object): Prepare =>
  async (rehearsal) => ({ id: (await collectionSteps(rehearsal).atCounter()).fulfillmentOrderId, body });
/** With the right code. */
const handOverLine =
  (member: 'lines' | 'refused'): Prepare =>
  async (rehearsal) => {
    const { fulfillmentOrderId: id, code } = await collectionSteps(rehearsal).atCounter();
    return { id, body: { code, [member]: [{ orderLineId: NONE, qty: 1, ...(member === 'refused' && { reason: 'blue' }) }] } };
  };

/** A valid body for each API with an id in its path. */
const bodies: Partial<Record<ApiId, object>> = {
  'add-line-to-basket-api': MUG,
  'change-basket-line-api': { qty: 1 },
  'checkout-basket-api': { shippingAddress: ADDRESS },
  'change-order-api': { shippingAddress: ADDRESS },
  'update-picking-status-api': { status: 'started' },
  'hand-over-collection-api': { code: '000000' },
  'earn-points-api': { orderId: NONE, amount: EUR },
  'redeem-points-api': { points: 1, orderId: NONE },
  'issue-loyalty-points-api': { points: 1, reason: 'goodwill' },
  'redeem-loyalty-points-api': { points: 1 },
  'refund-payment-api': { amount: EUR },
  'note-refund-result-api': { state: 'succeeded' },
  'add-payment-api': { tender: CASH, amount: EUR },
  'create-replacement-api': { lines: [{ orderLineId: NONE, qty: 1 }], reason: 'damaged' },
};

/** An unknown code is a valid question: Validate Voucher answers that the code is not valid. */
const named = Object.values(apis).filter(({ path }) => /\{(id|sku)\}/.test(path));

test.each(named)('$name answers 404 for an object that does not exist', async ({ id, path }) => {
  await using rehearsal = await newRehearsal();
  const { status, body } = await rehearsal.call(id, { params: { id: NONE, sku: NONE, lineId: NONE, refundId: NONE }, body: bodies[id] });
  expect([path, status, body]).toMatchObject([path, 404, { code: 'not_found', objectType: expect.any(String), id: NONE }]);
  expect(await rehearsal.events({ ext: true })).toEqual([]);
});

/** No object can have one of these ids. A service that passes the id on in a body must refuse it before the next service does. */
const UNUSABLE = ['a~b', 'x'.repeat(65), '__proto__'];

test.each(named)('$name answers 404 for an id that no object can have', async ({ id, path }) => {
  await using rehearsal = await newRehearsal();
  for (const none of UNUSABLE) {
    const { status, body } = await rehearsal.call(id, { params: { id: none, sku: none, lineId: none, refundId: none }, body: bodies[id] });
    expect([path, status, body]).toMatchObject([path, 404, { code: 'not_found', id: none }]);
  }
});

/** Every member of a request that names an object of an application, by API and member. */
const rows: Readonly<Record<string, Row>> = {
  // Nothing is found.
  'list-products-api collectAt': [{ query: { collectAt: NONE } }, 422, 'no_collection'],
  'list-products-api gtin': [{ query: { gtin: BARCODE.gtin } }, 200],
  'list-orders-api customerId': [{ query: { customerId: NONE } }, 200],
  'create-basket-api customerId': [{ body: { channel: 'web', customerId: NONE } }, 404, 'customer'],
  'create-basket-api lines.sku': [{ body: { channel: 'web', lines: [UNKNOWN] } }, 404, 'product'],
  'create-basket-api lines.gtin': [{ body: { channel: 'web', lines: [BARCODE] } }, 404, 'product'],
  'create-basket-api mergeBasketIds': [{ body: { channel: 'web', mergeBasketIds: [NONE] } }, 404, 'basket'],
  'add-line-to-basket-api sku': [async (rehearsal) => ({ id: (await rehearsal.basket()).id, body: UNKNOWN }), 404, 'product'],
  'add-line-to-basket-api gtin': [async (rehearsal) => ({ id: (await rehearsal.basket()).id, body: BARCODE }), 404, 'product'],
  'checkout-basket-api customerId': [checkout({ customerId: NONE }), 404, 'customer'],
  'checkout-basket-api collection.locationId': [
    async (rehearsal) => ({ id: (await rehearsal.basket()).id, body: { collection: { locationId: NONE } } }),
    422,
    'no_collection',
  ],
  // An unknown card identifies nobody.
  'checkout-basket-api contact.loyaltyCard': [checkout({ contact: { loyaltyCard: NONE } }), 200],
  // The basket lists the code as rejected.
  'checkout-basket-api voucherCodes': [checkout({ voucherCodes: [NONE] }), 200],
  'create-transaction-api storeId': [{ body: { ...TILL, storeId: NONE } }, 422, 'unknown_store'],
  // A lane is a name, and every store may have any.
  'create-transaction-api laneId': [{ body: { ...TILL, laneId: NONE } }, 201],
  'create-transaction-api lines.sku': [{ body: { ...TILL, lines: [UNKNOWN] } }, 404, 'product'],
  'create-transaction-api lines.gtin': [{ body: { ...TILL, lines: [BARCODE] } }, 404, 'product'],
  'create-transaction-api basketId': [{ body: { ...TILL, lines: undefined, basketId: NONE } }, 404, 'basket'],
  'create-transaction-api orderId': [{ body: { ...TILL, lines: undefined, orderId: NONE } }, 404, 'order'],
  'create-transaction-api loyaltyId': [{ body: { ...TILL, loyaltyId: NONE } }, 404, 'loyalty-account'],
  'reserve-inventory-api basketId': [{ body: { basketId: NONE } }, 404, 'basket'],
  'reserve-inventory-api items.sku': [{ body: { items: [UNKNOWN] } }, 404, 'product'],
  // The reservation ends with its time. Confirm Reservation refuses the order.
  'reserve-inventory-api orderId': [{ body: { items: [MUG], orderId: NONE } }, 201],
  'reserve-inventory-api locationId': [{ body: { items: [MUG], locationId: NONE } }, 404, 'location'],
  'confirm-reservation-api orderId': [
    async (rehearsal) => ({ id: (await rehearsal.api('reserve-inventory-api', { body: { items: [MUG] } })).id, body: { orderId: NONE } }),
    404,
    'order',
  ],
  'allocate-inventory-api orderId': [allocate({ orderId: NONE }), 404, 'order'],
  'allocate-inventory-api orderLineId': [allocate({ orderLineId: NONE }), 422, 'unknown_line'],
  'allocate-inventory-api sku': [allocate({ sku: NONE }), 404, 'product'],
  'allocate-inventory-api reservationId': [allocate({ reservationId: NONE }), 404, 'reservation'],
  'allocate-inventory-api preferredLocations': [allocate({ preferredLocations: [NONE] }), 404, 'location'],
  'check-availability-api collectAt': [{ id: 'mug-blue', query: { collectAt: NONE } }, 404, 'location'],
  'list-collection-points-api sku': [{ query: { sku: NONE } }, 404, 'product'],
  'check-availability-api locationId': [{ id: 'mug-blue', query: { locationId: NONE } }, 404, 'location'],
  'authorize-payment-api orderId': [{ body: { orderId: NONE, tender: card() } }, 404, 'order'],
  // Tokens that are not listed are approved.
  'authorize-payment-api tender.token': [
    async (rehearsal) => ({ body: { orderId: (await rehearsal.draft()).id, tender: card(NONE) } }),
    201,
  ],
  'refund-payment-api returnId': [
    async (rehearsal) => ({ id: (await sold(rehearsal)).payments[0].id, body: { amount: EUR, returnId: NONE } }),
    404,
    'return',
  ],
  'refund-payment-api payOutTo.token': [
    async (rehearsal) => ({
      id: (await sold(rehearsal)).payments[0].id,
      body: { amount: EUR, payOutTo: { type: 'gift-card', token: NONE } },
    }),
    422,
    'unknown_gift_card',
  ],
  'add-payment-api tender.token': [
    async (rehearsal) => ({ id: (await rehearsal.sale()).id, body: { tender: card(NONE), amount: EUR } }),
    201,
  ],
  'create-order-api basketId': [{ body: { basketId: NONE } }, 404, 'basket'],
  'create-order-api transactionId': [{ body: { transactionId: NONE } }, 404, 'transaction'],
  'create-order-api lines.sku': [
    { body: givenOrder('#1', { lines: [{ ...PRICED, sku: NONE }], discount: undefined, shipping: undefined, tax: undefined, total: EUR }) },
    422,
    'unknown_sku',
  ],
  'create-order-api customerId': [{ body: givenOrder('#1', { customerId: NONE }) }, 404, 'customer'],
  // An unknown card identifies nobody.
  'create-order-api contact.loyaltyCard': [{ body: givenOrder('#1', { customerId: undefined, contact: { loyaltyCard: NONE } }) }, 201],
  'create-order-api collection.locationId': [
    { body: givenOrder('#1', { shippingAddress: undefined, collection: { locationId: NONE } }) },
    422,
    'no_collection',
  ],
  'create-order-api exchangeForReturnId': [
    async (rehearsal) => ({ body: { basketId: (await rehearsal.checkedOut()).id, exchangeForReturnId: NONE } }),
    404,
    'return',
  ],
  'change-order-api collection.locationId': [
    async (rehearsal) => ({ id: (await rehearsal.confirmed()).id, body: { collection: { locationId: NONE } } }),
    422,
    'no_collection',
  ],
  'change-order-api lines.lineId': [
    async (rehearsal) => ({ id: (await rehearsal.confirmed()).id, body: { lines: [{ lineId: NONE, qty: 1 }] } }),
    422,
    'unknown_line',
  ],
  'create-picking-order-api fulfillmentOrderId': [{ body: { fulfillmentOrderId: NONE } }, 404, 'fulfillment-order'],
  'update-picking-status-api lines.orderLineId': [short({ orderLineId: NONE }), 422, 'unknown_line'],
  'update-picking-status-api lines.sku': [short({ sku: NONE }), 422, 'unknown_line'],
  // No work is there.
  'list-picking-orders-api locationId': [{ query: { locationId: NONE } }, 200],
  'list-collections-api locationId': [{ query: { locationId: NONE } }, 200],
  'list-collections-api customerId': [{ query: { customerId: NONE } }, 200],
  'list-collections-api orderNumber': [{ query: { orderNumber: NONE } }, 200],
  'hand-over-collection-api code': [handOver({ code: '000000' }), 403, 'fulfillment-order'],
  'hand-over-collection-api orderId': [handOver({ orderId: NONE, person: 'Ben Byrne' }), 403, 'fulfillment-order'],
  'hand-over-collection-api lines.orderLineId': [handOverLine('lines'), 422, 'unknown_line'],
  'hand-over-collection-api refused.orderLineId': [handOverLine('refused'), 422, 'unknown_line'],
  'create-return-api orderId': [returned({ orderId: NONE }), 404, 'order'],
  'create-return-api lines.orderLineId': [returned({ lines: [{ orderLineId: NONE, qty: 1, reason: 'blue' }] }), 422, 'unknown_line'],
  'create-return-api locationId': [returned({ locationId: NONE }), 404, 'location'],
  'create-return-api replacementId': [returned({ replacementId: NONE }), 422, 'unknown_replacement'],
  'create-replacement-api lines.orderLineId': [replaced({ lines: [{ orderLineId: NONE, qty: 1 }] }), 422, 'unknown_line'],
  'create-replacement-api storeId': [replaced({ storeId: NONE }), 422, 'unknown_store'],
  'log-interaction-api customerId': [{ body: { customerId: NONE, type: 'visit' } }, 404, 'customer'],
  'enroll-loyalty-member-api customerId': [{ body: { customerId: NONE } }, 404, 'customer'],
  'earn-points-api orderId': [{ id: 'loy_ada', body: { orderId: NONE, amount: EUR } }, 404, 'order'],
  // The redemption cannot pay for anything, and its points return after 15 minutes.
  'redeem-points-api basketId': [{ id: 'loy_ada', body: { points: 10, basketId: NONE } }, 201],
  'redeem-points-api orderId': [{ id: 'loy_ada', body: { points: 10, orderId: NONE } }, 201],
  'redeem-loyalty-points-api orderId': [{ id: 'loy_ada', body: { points: 10, orderId: NONE } }, 201],
  'evaluate-promotions-api basketId': [{ body: { basketId: NONE } }, 404, 'basket'],
  // The caller names prices for its lines. Nothing is stored, and a customer without an account has no tier.
  'evaluate-promotions-api lines.sku': [{ body: { lines: [{ ...PRICED, sku: NONE }] } }, 200],
  'evaluate-promotions-api customerId': [{ body: { lines: [PRICED], customerId: NONE } }, 200],
  'evaluate-promotions-api voucherCodes': [{ body: { lines: [PRICED], voucherCodes: [NONE] } }, 200],
  'validate-voucher-api basketId': [{ id: 'WELCOME10', body: { basketId: NONE } }, 404, 'basket'],
  'validate-voucher-api customerId': [{ id: 'WELCOME10', body: { amount: EUR, customerId: NONE } }, 200],
};

/** Members that the tests of the FMS cover, because the requests need a signature. */
const ELSEWHERE = new Set(['authorize-payment-api returnUrl', 'carrier-webhook data.shipmentId', 'carrier-webhook data.trackingNumber']);

/** Members that are texts, or names that the request itself introduces. */
const TEXTS = new Set([
  ...['name', 'firstName', 'lastName', 'email', 'phone', 'line1', 'line2', 'city', 'region', 'postalCode', 'country', 'currency'],
  ...['reason', 'note'],
  ...['occurredAt', 'timestamp', 'from', 'to', 'statusCode', 'location', 'message', 'q', 'cursor', 'rehearsal', 'reference'],
  ...['cardNumber', 'carrier', 'person', 'near', 'qty', 'provider', 'providerReference', 'failureReason'],
  ...['reference/source', 'reference/id', 'referenceSource', 'referenceId', 'placedAfter', 'placedBefore'],
]);

const textOf = (pointer: string): boolean =>
  TEXTS.has(pointer.split('/').at(-1) ?? '') || TEXTS.has(pointer.split('/').slice(-2).join('/'));

test('The table has every string in a request of the catalog that is not a text', () => {
  const strings = requestMembers.filter(({ pointer, isText }) => isText && !textOf(pointer));
  const named = new Set(strings.map(({ api, pointer }) => `${api.id} ${pointer.replaceAll('/0', '').replaceAll('/', '.')}`));
  expect([...named].filter((member) => !ELSEWHERE.has(member)).toSorted()).toEqual(Object.keys(rows).toSorted());
});

test.each(Object.entries(rows))('A missing object in %s has the reply of the table', async (member, [request, status, about]) => {
  await using rehearsal = await newRehearsal();
  const { id = '', query, body } = typeof request === 'function' ? await request(rehearsal) : request;
  const reply = await rehearsal.call(member.split(' ')[0] as ApiId, { params: { id, sku: id, code: id }, query: { ...query }, body });
  expect([reply.status, reply.body.objectType ?? reply.body.errors?.[0]?.code]).toEqual([status, about]);
  if (reply.status >= 400) await rehearsal.verify();
});
