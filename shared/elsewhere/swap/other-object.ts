import type { ApiDefinition } from '../../catalog/define.ts';
import { unacceptable } from './read-answer.ts';
import { businessObjects, objectsIn } from './seen.ts';

type Members = Readonly<Record<string, unknown>>;

/** What `{id}` names, by the segment of the path before it. */
export const NAMED_BY_SEGMENT: Readonly<Record<string, string>> = {
  payments: 'paymentId',
  authorizations: 'paymentId',
  members: 'accountId',
  accounts: 'accountId',
  shipments: 'shipmentId',
  customers: 'customerId',
  baskets: 'basketId',
  products: 'productId',
  'picking-orders': 'pickingOrderId',
  transactions: 'transactionId',
  'gift-cards': 'token',
  'payment-tokens': 'token',
  promotions: 'promotionId',
  vouchers: 'voucherCode',
  'collection-points': 'locationId',
  'collection-units': 'shipmentId',
};

/**
 * For each name in a request, the members of the answered object to compare it with. One of them must be equal: a request may name a loyalty
 * account by its id or its card number.
 */
type Shown = Readonly<Record<string, readonly string[]>>;

/** By the type of the answered object. */
const SHOWN_BY: Readonly<Record<string, Shown>> = {
  payment: { paymentId: ['id'], orderId: ['orderId'], tender: ['tender'] },
  'loyalty-account': { accountId: ['id', 'cardNumber'], customerId: ['customerId'], cardNumber: ['cardNumber'] },
  shipment: { shipmentId: ['id'], fulfillmentOrderId: ['fulfillmentOrderId'] },
  customer: { customerId: ['id'] },
  basket: { basketId: ['id'], transactionId: ['transactionId'], customerId: ['customerId'] },
  product: { productId: ['id', 'sku'] },
  order: { customerId: ['customerId'] },
  return: { customerId: ['customerId'] },
  reservation: { orderId: ['orderId'] },
};

/** In an answer without the members of a business object, and in its parts. */
const SHOWN_BY_OTHERS: Shown = {
  sku: ['sku'],
  basketId: ['basketId'],
  fulfillmentOrderId: ['fulfillmentOrderId'],
  pickingOrderId: ['id'],
  transactionId: ['id'],
  redemptionId: ['id'],
  token: ['token'],
  promotionId: ['id'],
  voucherCode: ['code'],
};
const PARTS = ['redemption', 'rule'];

interface Input {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: unknown;
  readonly body: unknown;
}

/** An answer must be about what the request names. @throws Violation `other_object` */
export function refuseOtherObject(api: ApiDefinition, input: Input, output: unknown): void {
  const named = namedIn(api, input);
  const found = [...objectsIn(api.response, output, businessObjects)];
  for (const { collection, object } of found) {
    const { type } = collection.definition;
    refuse(api, named, { what: type, object, shown: SHOWN_BY[type] ?? {} });
  }
  if (found.some(({ object }) => object === output)) return;
  for (const object of [output, ...PARTS.map((part) => (output as Members | null)?.[part])]) {
    refuse(api, named, { what: 'body', object: object as Members | undefined, shown: SHOWN_BY_OTHERS });
  }
}

/** The names in a request. */
function namedIn({ id: api, path }: ApiDefinition, { params, query, body }: Input): Members {
  const { id, ...others } = params;
  const [, segment = ''] = /([^/]+)\/\{id\}/.exec(path) ?? [];
  // The till has the id of its transaction only.
  const name = api === 'abandon-basket' ? 'transactionId' : NAMED_BY_SEGMENT[segment];
  const { tender, ...members } = (body ?? {}) as Members & { readonly tender?: { readonly type?: unknown } };
  return { ...(query as object), ...members, ...others, tender: tender?.type, ...(name !== undefined && { [name]: id }) };
}

/** An absent member shows nothing else. */
function refuse(
  api: ApiDefinition,
  named: Members,
  { what, object, shown }: { readonly what: string; readonly object: Members | undefined; readonly shown: Shown },
): void {
  for (const [name, members] of Object.entries(shown)) {
    const asked = named[name];
    const answered = members.map((member) => textOf(object?.[member])).filter((value) => value !== undefined);
    if (asked === undefined || answered.length === 0 || answered.includes(asked)) continue;
    const detail = `answered ${api.id} about the ${name} ${asked} with a ${what} of the ${members.join(' or ')} ${answered.join(' or ')}.`;
    throw unacceptable('other_object', api, detail);
  }
}

/** A tender shows its type. */
const textOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as { readonly type?: unknown }).type : value;
