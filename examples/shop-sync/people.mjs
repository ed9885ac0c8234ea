// Plays the people of the shop. Usage: node people.mjs buy <sku>=<units>… [coupon] | cancel <order> [<sku>=<units>…] | show <order>
import { REFUSED, session, staff } from './vendure.mjs';

const [action, ...words] = process.argv.slice(2);
const goods = words.filter((word) => word.includes('=')).map((word) => word.split('='));
const [name] = words.filter((word) => !word.includes('='));
const price = (cents, currency) => `${(cents / 100).toFixed(2)} ${currency}`;

/** A guest orders goods, with the coupon if it is named. */
async function buy() {
  const call = session('shop-api');
  const { items } = await call('{ products { items { variants { id sku } } } }');
  const ids = new Map(items.flatMap(({ variants }) => variants.map(({ id, sku }) => [sku, id])));
  for (const [sku, units] of goods) {
    if (!ids.has(sku)) throw new Error(`The shop does not sell ${sku}. It sells ${[...ids.keys()].join(', ')}.`);
    await call(`mutation { addItemToOrder(productVariantId: "${ids.get(sku)}", quantity: ${Number(units)}) { __typename ${REFUSED} } }`);
  }
  if (name) await call(`mutation ($name: String!) { applyCouponCode(couponCode: $name) { __typename ${REFUSED} } }`, { name });
  await call(`mutation { setCustomerForOrder(input: { emailAddress: "nora@people.example", firstName: "Nora", lastName: "Quinn" })
    { __typename ${REFUSED} } }`);
  await call(`mutation { setOrderShippingAddress(input: { fullName: "Nora Quinn", streetLine1: "4 Harbour Row", city: "Galway",
    postalCode: "H91", countryCode: "IE" }) { __typename ${REFUSED} } }`);
  const [method] = await call('{ eligibleShippingMethods { id } }');
  await call(`mutation { setOrderShippingMethod(shippingMethodId: ["${method.id}"]) { __typename ${REFUSED} } }`);
  await call(`mutation { transitionOrderToState(state: "ArrangingPayment") { __typename ${REFUSED} } }`);
  const order = await call(`mutation { addPaymentToOrder(input: { method: "card", metadata: {} })
    { ... on Order { code totalWithTax currencyCode } ${REFUSED} } }`);
  process.stderr.write(`ordered for ${price(order.totalWithTax, order.currencyCode)}\n`);
  process.stdout.write(`${order.code}\n`);
}

async function ordered(people) {
  const order = await people.order(name);
  if (!order) throw new Error(`The shop has no order ${name}. Give the code that buy printed.`);
  return order;
}

/** The staff cancels an order, or the units that are named. */
async function cancel() {
  const people = await staff();
  const order = await ordered(people);
  const idOf = (sku) => order.lines.find(({ productVariant }) => productVariant.sku === sku)?.id;
  const lines = goods.map(([sku, units]) => ({ orderLineId: idOf(sku), quantity: Number(units) }));
  const { state } = await people.cancel(order, lines.length > 0 ? lines : undefined);
  process.stdout.write(`${state}\n`);
}

async function show() {
  const order = await ordered(await staff());
  const each = (rows, text) => rows.map((row) => `${text(row)}\n`).join('');
  const amount = (cents) => price(cents, order.currencyCode);
  process.stdout.write(
    `${order.state}, ${amount(order.totalWithTax)}\n` +
      each(order.discounts, ({ description, amountWithTax }) => `discount ${amount(amountWithTax)}: ${description}`) +
      each(order.fulfillments, ({ state, trackingCode }) => `parcel ${trackingCode}: ${state}`) +
      each(order.payments, (payment) => `payment ${amount(payment.amount)}: ${payment.state}`) +
      each(
        order.payments.flatMap(({ refunds }) => refunds),
        ({ state, total }) => `refund ${amount(total)}: ${state}`,
      ),
  );
}

const ACTIONS = { buy, cancel, show };
try {
  if (!ACTIONS[action] || words.length === 0)
    throw new Error('Usage: node people.mjs buy mug-blue=2 [coupon] | cancel <order> | show <order>');
  await ACTIONS[action]();
} catch ({ message }) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
