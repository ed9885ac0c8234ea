// Calls of the GraphQL APIs of Vendure.
const { SHOP_URL = 'http://127.0.0.1:3100', SHOP_USER = 'superadmin', SHOP_PASSWORD = 'demo-shop-password' } = process.env;

/** The account of the staff. */
export const STAFF = { username: SHOP_USER, password: SHOP_PASSWORD };
const PAGE = 100;

/** A session at `shop-api` or `admin-api`. A call returns the only member of its answer. @throws what Vendure refuses */
export function session(api) {
  let token;
  return async (query, variables) => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
    const sent = fetch(`${SHOP_URL}/${api}`, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
    const response = await sent.catch(() => {
      throw new Error(`No shop answers at ${SHOP_URL}. Start it with node shop.mjs, or set SHOP_URL to its address.`);
    });
    token = response.headers.get('vendure-auth-token') ?? token;
    const { data, errors } = await response.json();
    if (errors) throw new Error(`The shop refuses: ${errors.map(({ message }) => message).join('; ')}`);
    const [answer] = Object.values(data);
    if (answer?.errorCode) throw new Error(`The shop refuses: ${answer.message} (${answer.errorCode})`);
    return answer;
  };
}

export const REFUSED = '... on ErrorResult { errorCode message }';

const LOGIN = `mutation ($username: String!, $password: String!) { login(username: $username, password: $password) { __typename ${REFUSED} } }`;
const ORDERS = `query ($options: OrderListOptions) { orders(options: $options) { totalItems items {
  id code state currencyCode total totalWithTax shippingWithTax customer { emailAddress } discounts { description amountWithTax }
  shippingAddress { fullName streetLine1 streetLine2 city postalCode countryCode }
  lines { id quantity unitPriceWithTax proratedLinePrice proratedLinePriceWithTax productVariant { sku } }
  payments { id state amount transactionId refunds { id state total } } fulfillments { id state trackingCode }
  modifications { id } } } }`;
const CANCEL = `mutation ($input: CancelOrderInput!) { cancelOrder(input: $input) { ... on Order { state } ${REFUSED} } }`;
const FULFIL = `mutation ($input: FulfillOrderInput!) { addFulfillmentToOrder(input: $input) { ... on Fulfillment { id state } ${REFUSED} } }`;
const MOVE = `mutation ($id: ID!, $state: String!) { transitionFulfillmentToState(id: $id, state: $state) { __typename ${REFUSED} } }`;
const REFUND = `mutation ($input: RefundOrderInput!) { refundOrder(input: $input) { ... on Refund { id state total } ${REFUSED} } }`;

/** What the staff of the shop does at the Admin API. */
export async function staff() {
  const call = session('admin-api');
  await call(LOGIN, STAFF);
  const page = (options) => call(ORDERS, { options: { sort: { orderPlacedAt: 'ASC' }, ...options } });
  return {
    /** All orders that customers have placed, the oldest first. */
    async *orders() {
      for (let skip = 0, total = 1; skip < total; skip += PAGE) {
        const { items, totalItems } = await page({ skip, take: PAGE, filter: { orderPlacedAt: { isNull: false } } });
        total = totalItems;
        yield* items;
      }
    },
    order: async (code) => (await page({ filter: { code: { eq: code } } })).items[0],
    /** @param lines `{ orderLineId, quantity }` of each; without them, all */
    cancel: ({ id }, lines, reason) => call(CANCEL, { input: { orderId: id, lines, cancelShipping: lines === undefined, reason } }),
    fulfil: (lines, method, trackingCode) => call(FULFIL, { input: { lines, handler: handler({ method, trackingCode }) } }),
    move: ({ id }, state) => call(MOVE, { id, state }),
    refund: ({ id: paymentId }, amount, reason) =>
      call(REFUND, { input: { paymentId, amount, reason, lines: [], shipping: 0, adjustment: 0 } }),
  };
}

const handler = (values) => ({
  code: 'manual-fulfillment',
  arguments: Object.entries(values).map(([name, value]) => ({ name, value })),
});
