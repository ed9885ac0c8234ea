// Carries the orders of a shop of Vendure to the estate, and what happens to them back. A repeat changes nothing. Usage: node sync.mjs [order…]
import { estate } from './estate.mjs';
import { staff } from './vendure.mjs';

const SOURCE = 'vendure';
const SENT = ['collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'held-at-depot', 'delivered'];
const shop = await staff();
const written = ({ amount, currency }) => `${(amount / 100).toFixed(2)} ${currency}`;

/**
 * A line with its price after all discounts. Vendure rounds a line, not its units: three at 13.49 and 23 % tax are 49.78, and each is 16.59. The
 * unit then costs a cent more, because a discount is not negative.
 */
function givenLine(
  { quantity: qty, unitPriceWithTax, proratedLinePrice, proratedLinePriceWithTax: lineTotal, productVariant: { sku } },
  money,
) {
  const unitPrice = Math.max(unitPriceWithTax, Math.ceil(lineTotal / qty));
  const discount = money(qty * unitPrice - lineTotal);
  return { sku, qty, unitPrice: money(unitPrice), discount, tax: money(lineTotal - proratedLinePrice), lineTotal: money(lineTotal) };
}

/** An order as Create Order takes it. Vendure spreads discounts on the whole order over the lines: a prorated price has all discounts. */
function given({ code, currencyCode: currency, lines, shippingWithTax, total, totalWithTax, customer, shippingAddress: to }) {
  const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  if (maximumFractionDigits !== 2)
    throw new Error(`Vendure counts hundredths of ${currency}, the estate its minor units. Convert each amount.`);
  const money = (amount) => ({ amount, currency });
  return {
    priceSource: 'given',
    reference: { source: SOURCE, id: code },
    contact: { email: customer.emailAddress },
    lines: lines.filter(({ quantity }) => quantity > 0).map((line) => givenLine(line, money)),
    shipping: money(shippingWithTax),
    tax: money(totalWithTax - total),
    total: money(totalWithTax),
    shippingAddress: {
      name: to.fullName,
      line1: to.streetLine1,
      line2: to.streetLine2 || undefined,
      city: to.city,
      postalCode: to.postalCode || undefined,
      country: to.countryCode,
    },
  };
}

/** @returns the id of the order at the estate; undefined if it was cancelled before the estate had it */
async function place(order, say) {
  const query = new URLSearchParams({ referenceSource: SOURCE, referenceId: order.code });
  const [known] = (await estate('GET', `/orders?${query}`)).items;
  if (known || order.state === 'Cancelled') return known?.id;
  const { id, totals } = await estate('POST', '/orders', given(order));
  say(`created as ${id} for ${written(totals.total)}`);
  return id;
}

/** Notes the payments of the shop, and confirms an order that they cover. */
async function pay(order, { id, state, payments }, say) {
  for (const { state: paid, amount, transactionId: reference } of order.payments) {
    if (!['Authorized', 'Settled'].includes(paid)) continue;
    let payment = payments.find(({ tender }) => tender.reference === reference);
    if (!payment) {
      const tender = { type: 'external', provider: SOURCE, reference };
      payment = await estate('POST', '/payments/authorizations', { orderId: id, tender, amount: { amount, currency: order.currencyCode } });
      say(`${written(payment.amount)} authorised`);
    }
    if (paid !== 'Settled' || payment.state !== 'authorised') continue;
    const { capturedAmount } = await estate('POST', `/payments/authorizations/${payment.id}/capture`);
    say(`${written(capturedAmount)} captured`);
  }
  if (state === 'draft' && order.state !== 'Cancelled') say((await estate('POST', `/orders/${id}/confirm`)).state);
}

const qtyIn = (order, { sku }) => order.lines.find(({ productVariant }) => productVariant.sku === sku).quantity;
const unitsIn = (lines) => lines.map(({ sku, qty }) => `${qty} × ${sku}`).join(', ');

/** What the shop has cancelled is cancelled at the estate. */
async function cancel(order, { id, state, lines }, say) {
  if (state === 'cancelled') return;
  if (order.state === 'Cancelled') return say((await estate('POST', `/orders/${id}/cancel`, { reason: 'cancelled in the shop' })).state);
  const fewer = lines
    .filter((line) => qtyIn(order, line) < line.qty - line.cancelledQty)
    .map((line) => ({ ...line, qty: qtyIn(order, line) }));
  if (fewer.length === 0) return;
  await estate('POST', `/orders/${id}/changes`, { lines: fewer.map(({ lineId, qty }) => ({ lineId, qty })) });
  say(`changed to ${unitsIn(fewer)}`);
}

/** What the estate could not deliver is cancelled in the shop. */
async function cancelInShop(order, { state, lines }, say) {
  const left = ({ qty, cancelledQty }) => (state === 'cancelled' ? 0 : qty - cancelledQty);
  const missing = lines.map((line) => ({ ...line, qty: qtyIn(order, line) - left(line) })).filter(({ qty }) => qty > 0);
  if (missing.length === 0) return;
  await shop.cancel(order, state === 'cancelled' ? undefined : shopLines(order, missing), 'cancelled by the retailer');
  say(`cancelled in the shop: ${unitsIn(missing)}`);
}

const shopLines = (order, lines) =>
  lines.map(({ sku, qty }) => ({ orderLineId: order.lines.find(({ productVariant }) => productVariant.sku === sku).id, quantity: qty }));

/** A parcel that the carrier has is a fulfilment of the shop. */
async function ship(order, { fulfillmentOrders = [] }, say) {
  for (const { id, shipments, replacementId } of fulfillmentOrders) {
    for (const { state, trackingNumber } of replacementId ? [] : shipments.filter((parcel) => SENT.includes(parcel.state))) {
      let parcel = order.fulfillments.find(({ trackingCode }) => trackingCode === trackingNumber);
      if (!parcel) {
        const { lines } = await estate('GET', `/fulfillment/orders/${id}`);
        const picked = lines.filter(({ pickedQty }) => pickedQty > 0).map(({ sku, pickedQty: qty }) => ({ sku, qty }));
        parcel = await shop.fulfil(shopLines(order, picked), 'estate', trackingNumber);
      }
      const steps = { Pending: 'Shipped', ...(state === 'delivered' && { Shipped: 'Delivered' }) };
      for (let now = parcel.state; steps[now]; now = steps[now]) {
        await shop.move(parcel, steps[now]);
        say(`parcel ${trackingNumber} ${steps[now].toLowerCase()}`);
      }
    }
  }
}

/** A refund that the estate has decided is made in the shop, unless its staff has already made it, and its result is noted. */
async function refund(order, { payments, refunds = [] }, say) {
  for (const payment of order.payments) {
    const noted = payments.find(({ tender }) => tender.reference === payment.transactionId);
    const decided = refunds.filter(({ paymentId }) => paymentId === noted?.id);
    // Refunds of the shop whose result is not noted yet: each refund that has succeeded takes one of its amount away.
    const made = payment.refunds.filter(({ state }) => state !== 'Failed');
    const take = (amount) => made.find((one, index) => one.total === amount && made.splice(index, 1));
    for (const { state, amount } of decided) if (state === 'succeeded') take(amount.amount);
    for (const { id, amount } of decided.filter(({ state }) => state === 'pending')) {
      const { id: providerReference, state } = take(amount.amount) ?? (await shop.refund(payment, amount.amount, id));
      if (state === 'Pending') continue;
      const result =
        state === 'Settled' ? { state: 'succeeded', providerReference } : { state: 'failed', failureReason: 'refused by the shop' };
      await estate('POST', `/payments/${noted.id}/refunds/${id}/result`, result);
      say(`refund of ${written(amount)} ${result.state}`);
    }
  }
}

const chosen = process.argv.slice(2);
let changes = 0;
for await (let order of shop.orders()) {
  const { code } = order;
  if (chosen.length > 0 && !chosen.includes(code)) continue;
  const say = (text) => {
    changes += 1;
    process.stdout.write(`${code} ${text}\n`);
  };
  try {
    if (order.modifications.length > 0)
      throw new Error('The shop has modified this order after its payment. Correct it by hand on both sides.');
    const id = await place(order, say);
    let mine = id && (await estate('GET', `/orders/${id}`));
    let seen = changes;
    for (const step of id ? [pay, cancel, cancelInShop, ship, refund] : []) {
      if (seen !== changes) [order, mine, seen] = [await shop.order(code), await estate('GET', `/orders/${id}`), changes];
      await step(order, mine, say);
    }
  } catch ({ message }) {
    process.stderr.write(`${code} ${message}\n`);
    process.exitCode = 1;
  }
}
process.stdout.write(`${changes} changes\n`);
