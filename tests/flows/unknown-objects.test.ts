import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** What a request does whose member names an object that does not exist. */
interface Row {
  readonly path: string | ((rehearsal: TestRehearsal) => Promise<string>);
  readonly body: object | ((rehearsal: TestRehearsal) => Promise<object>);
  readonly method?: string;
  /** Status, and the type of the missing object, the code of the error, or nothing. */
  readonly answer: readonly [status: number, about?: string];
}

const NONE = 'none_such';
const MUG = { sku: 'mug-blue', qty: 1 };
const EUR = { amount: 100, currency: 'EUR' };
const CARD = { type: 'card', token: 'tok_visa' } as const;

const basket = async (rehearsal: TestRehearsal): Promise<string> =>
  (await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [MUG] } })).id;
const locked = async (rehearsal: TestRehearsal): Promise<string> => {
  const id = await basket(rehearsal);
  await rehearsal.checkedOut(id);
  return id;
};
const draft = async (rehearsal: TestRehearsal) => rehearsal.draft(await locked(rehearsal));
const sold = async (rehearsal: TestRehearsal) => {
  const { id, totals } = await rehearsal.sale();
  await rehearsal.api('add-payment-api', { params: { id }, body: { tender: { type: 'cash' }, amount: totals.total } });
  return rehearsal.order(id);
};
const picking = async (rehearsal: TestRehearsal): Promise<string> => {
  const { id } = await draft(rehearsal);
  await rehearsal.authorisation(id);
  await rehearsal.confirmed(id);
  await rehearsal.settle();
  const { fulfillmentOrders } = await rehearsal.order(id);
  const order = await rehearsal.picked(fulfillmentOrders[0].id);
  await rehearsal.api('update-picking-status-api', { params: { id: order.id }, body: { status: 'started' } });
  return `/picking-orders/${order.id}/status`;
};
const checkout = (more: object): Pick<Row, 'path' | 'body'> => ({
  path: async (rehearsal) => `/baskets/${await basket(rehearsal)}/checkout`,
  body: { shippingAddress: ADDRESS, ...more },
});
const allocate = (more: object): Pick<Row, 'path' | 'body'> => ({
  path: '/inventory/allocate',
  body: async (rehearsal) => {
    const { id, lines } = await draft(rehearsal);
    await rehearsal.api('release-reservation-api', { params: { id: lines[0].reservationId } });
    return { orderId: id, orderLineId: lines[0].lineId, ...MUG, ...more };
  },
});
const returned = (more: object): Pick<Row, 'path' | 'body'> => ({
  path: '/returns',
  body: async (rehearsal) => {
    const { id, lines } = await sold(rehearsal);
    return { orderId: id, lines: [{ orderLineId: lines[0].lineId, qty: 1, reason: 'blue' }], ...more };
  },
});
const TILL = { storeId: 'store-01', laneId: 'lane-1', lines: [MUG] };

/** Every member of a request that names an object of an application, by API and member. */
const rows: Readonly<Record<string, Row>> = {
  'create-basket-api customerId': { path: '/baskets', body: { channel: 'web', customerId: NONE }, answer: [404, 'customer'] },
  'create-basket-api lines.sku': { path: '/baskets', body: { channel: 'web', lines: [{ sku: NONE, qty: 1 }] }, answer: [404, 'product'] },
  'create-basket-api mergeBasketIds': { path: '/baskets', body: { channel: 'web', mergeBasketIds: [NONE] }, answer: [404, 'basket'] },
  'add-line-to-basket-api sku': {
    path: async (rehearsal) => `/baskets/${await basket(rehearsal)}/lines`,
    body: { sku: NONE, qty: 1 },
    answer: [404, 'product'],
  },
  'checkout-basket-api customerId': { ...checkout({ customerId: NONE }), answer: [404, 'customer'] },
  // An unknown card identifies nobody.
  'checkout-basket-api contact.loyaltyCard': { ...checkout({ contact: { loyaltyCard: NONE } }), answer: [200] },
  // The basket lists the code as rejected.
  'checkout-basket-api voucherCodes': { ...checkout({ voucherCodes: [NONE] }), answer: [200] },
  'create-transaction-api storeId': { path: '/transactions', body: { ...TILL, storeId: NONE }, answer: [422, 'unknown_store'] },
  // A lane is a name, and every store may have any.
  'create-transaction-api laneId': { path: '/transactions', body: { ...TILL, laneId: NONE }, answer: [201] },
  'create-transaction-api lines.sku': {
    path: '/transactions',
    body: { ...TILL, lines: [{ sku: NONE, qty: 1 }] },
    answer: [404, 'product'],
  },
  'create-transaction-api basketId': {
    path: '/transactions',
    body: { storeId: 'store-01', laneId: 'lane-1', basketId: NONE },
    answer: [404, 'basket'],
  },
  'create-transaction-api loyaltyId': { path: '/transactions', body: { ...TILL, loyaltyId: NONE }, answer: [404, 'loyalty-account'] },
  'reserve-inventory-api basketId': { path: '/inventory/reservations', body: { basketId: NONE }, answer: [404, 'basket'] },
  'reserve-inventory-api items.sku': {
    path: '/inventory/reservations',
    body: { items: [{ sku: NONE, qty: 1 }] },
    answer: [404, 'product'],
  },
  // The reservation ends with its time. Confirm Reservation refuses the order.
  'reserve-inventory-api orderId': { path: '/inventory/reservations', body: { items: [MUG], orderId: NONE }, answer: [201] },
  'reserve-inventory-api locationId': {
    path: '/inventory/reservations',
    body: { items: [MUG], locationId: NONE },
    answer: [404, 'location'],
  },
  'confirm-reservation-api orderId': {
    path: async (rehearsal) =>
      `/inventory/reservations/${(await rehearsal.api('reserve-inventory-api', { body: { items: [MUG] } })).id}/confirm`,
    body: { orderId: NONE },
    answer: [404, 'order'],
  },
  'allocate-inventory-api orderId': { ...allocate({ orderId: NONE }), answer: [404, 'order'] },
  'allocate-inventory-api orderLineId': { ...allocate({ orderLineId: NONE }), answer: [422, 'unknown_line'] },
  'allocate-inventory-api sku': { ...allocate({ sku: NONE }), answer: [404, 'product'] },
  'allocate-inventory-api reservationId': { ...allocate({ reservationId: NONE }), answer: [404, 'reservation'] },
  'allocate-inventory-api preferredLocations': { ...allocate({ preferredLocations: [NONE] }), answer: [404, 'location'] },
  'check-availability-api locationId': {
    method: 'GET',
    path: `/inventory/mug-blue/availability?locationId=${NONE}`,
    body: {},
    answer: [404, 'location'],
  },
  'authorize-payment-api orderId': { path: '/payments/authorizations', body: { orderId: NONE, tender: CARD }, answer: [404, 'order'] },
  // Tokens that are not listed are approved.
  'authorize-payment-api tender.token': {
    path: '/payments/authorizations',
    body: async (rehearsal) => ({ orderId: (await draft(rehearsal)).id, tender: { type: 'card', token: NONE } }),
    answer: [201],
  },
  'refund-payment-api returnId': {
    path: async (rehearsal) => `/payments/${(await sold(rehearsal)).payments[0].id}/refunds`,
    body: { amount: EUR, returnId: NONE },
    answer: [404, 'return'],
  },
  'add-payment-api tender.token': {
    path: async (rehearsal) => `/transactions/${(await rehearsal.sale()).id}/payment`,
    body: { tender: { type: 'card', token: NONE }, amount: EUR },
    answer: [201],
  },
  'create-order-api basketId': { path: '/orders', body: { basketId: NONE }, answer: [404, 'basket'] },
  'create-order-api transactionId': { path: '/orders', body: { transactionId: NONE }, answer: [404, 'transaction'] },
  'create-order-api exchangeForReturnId': {
    path: '/orders',
    body: async (rehearsal) => ({ basketId: await locked(rehearsal), exchangeForReturnId: NONE }),
    answer: [404, 'return'],
  },
  'create-picking-order-api fulfillmentOrderId': {
    path: '/picking-orders',
    body: { fulfillmentOrderId: NONE },
    answer: [404, 'fulfillment-order'],
  },
  'update-picking-status-api lines.orderLineId': {
    method: 'PUT',
    path: picking,
    body: { status: 'short', lines: [{ orderLineId: NONE, pickedQty: 0 }] },
    answer: [422],
  },
  'update-picking-status-api lines.sku': {
    method: 'PUT',
    path: picking,
    body: { status: 'short', lines: [{ orderLineId: 'line', sku: NONE, pickedQty: 0 }] },
    answer: [422],
  },
  'create-return-api orderId': { ...returned({ orderId: NONE }), answer: [404, 'order'] },
  'create-return-api lines.orderLineId': {
    ...returned({ lines: [{ orderLineId: NONE, qty: 1, reason: 'blue' }] }),
    answer: [422, 'unknown_line'],
  },
  'create-return-api locationId': { ...returned({ locationId: NONE }), answer: [404, 'location'] },
  'log-interaction-api customerId': { path: '/interactions', body: { customerId: NONE, type: 'visit' }, answer: [404, 'customer'] },
  'enroll-loyalty-member-api customerId': { path: '/loyalty/members', body: { customerId: NONE }, answer: [404, 'customer'] },
  'earn-points-api orderId': { path: '/members/loy_ada/earn', body: { orderId: NONE, amount: EUR }, answer: [404, 'order'] },
  // The redemption cannot pay for anything, and its points return after 15 minutes.
  'redeem-points-api basketId': { path: '/members/loy_ada/redeem', body: { points: 10, basketId: NONE }, answer: [201] },
  'redeem-points-api orderId': { path: '/members/loy_ada/redeem', body: { points: 10, orderId: NONE }, answer: [201] },
  'redeem-loyalty-points-api orderId': {
    path: '/loyalty/accounts/loy_ada/redemptions',
    body: { points: 10, orderId: NONE },
    answer: [201],
  },
  'evaluate-promotions-api basketId': { path: '/promotions/evaluate', body: { basketId: NONE }, answer: [404, 'basket'] },
  // The caller names prices for its lines. Nothing is stored, and a customer without an account has no tier.
  'evaluate-promotions-api lines.sku': {
    path: '/promotions/evaluate',
    body: { lines: [{ sku: NONE, qty: 1, unitPrice: EUR }] },
    answer: [200],
  },
  'evaluate-promotions-api customerId': {
    path: '/promotions/evaluate',
    body: { lines: [{ ...MUG, unitPrice: EUR }], customerId: NONE },
    answer: [200],
  },
  'evaluate-promotions-api voucherCodes': {
    path: '/promotions/evaluate',
    body: { lines: [{ ...MUG, unitPrice: EUR }], voucherCodes: [NONE] },
    answer: [200],
  },
  'validate-voucher-api basketId': { path: '/vouchers/WELCOME10/validate', body: { basketId: NONE }, answer: [404, 'basket'] },
  'validate-voucher-api customerId': { path: '/vouchers/WELCOME10/validate', body: { amount: EUR, customerId: NONE }, answer: [200] },
};

/** Members that name an object and have tests of their own: they need a signature. */
const ELSEWHERE = new Set(['carrier-webhook data.shipmentId', 'carrier-webhook data.trackingNumber']);

/** Members that are texts, or names which the request itself introduces: any carrier is simulated. */
const TEXTS = new Set([
  ...['name', 'line1', 'city', 'postalCode', 'country', 'currency', 'reason', 'note', 'firstName', 'lastName', 'email', 'phone'],
  ...[
    'occurredAt',
    'timestamp',
    'from',
    'to',
    'statusCode',
    'location',
    'message',
    'q',
    'cursor',
    'rehearsal',
    'reference',
    'cardNumber',
    'carrier',
  ],
]);

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Paths of all members that are free strings, such as `lines.sku`. */
function stringMembers(schema: Schema, defs: Readonly<Record<string, Schema>>, path = ''): string[] {
  if (schema.$ref !== undefined) return stringMembers(defs[schema.$ref.split('/').at(-1) ?? ''] ?? {}, defs, path);
  if (schema.items) return stringMembers(schema.items, defs, path);
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    stringMembers(member, defs, path === '' ? name : `${path}.${name}`),
  );
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one) => stringMembers(one, defs, path));
  const isText = schema.type === 'string' && schema.enum === undefined && schema.const === undefined;
  return [...members, ...alternatives, ...(isText && path !== '' ? [path] : [])];
}

const declared = (Object.values(apis) as readonly ApiDefinition[]).flatMap((api) =>
  [api.request, api.query].flatMap((schema) => {
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
    return [...new Set(stringMembers(json, json.$defs ?? {}))].map((member) => `${api.id} ${member}`);
  }),
);

describe('A member of a request that names an object', () => {
  test('every member of the catalog that holds a string is in the table, or is known to be a text', () => {
    const isText = (member: string): boolean => TEXTS.has(member.split(/[ .]/).at(-1) ?? '');
    const named = declared.filter((member) => !isText(member) && !ELSEWHERE.has(member));
    expect(named.toSorted()).toEqual(Object.keys(rows).toSorted());
  });

  test.each(Object.entries(rows))('%s is answered as the table says when the object does not exist', async (_member, row) => {
    await using rehearsal = await newRehearsal();
    const path = typeof row.path === 'string' ? row.path : await row.path(rehearsal);
    const body = typeof row.body === 'function' ? await row.body(rehearsal) : row.body;
    const { method = 'POST', answer } = row;
    const reply = await rehearsal.call(method, path, method === 'GET' ? undefined : body);
    const about = reply.status === 404 ? reply.body.objectType : reply.body.errors?.[0]?.code;
    expect([reply.status, answer[1] === undefined ? undefined : about]).toEqual([answer[0], answer[1]]);
    if (reply.status >= 400) await rehearsal.verify();
  });
});
