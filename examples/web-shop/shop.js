// The views of the shop. The part of the address behind # chooses one.
import { call, remember, remembered, saveSettings, settings } from './estate.js';
import { bodyOf, byId, clearProblem, element, field, link, notice, picture, price, show, showProblem, time, words } from './page.js';

const POLL_MS = 2_000;
const CONSOLE = `${settings.estate}/console/r/${settings.rehearsal || 'default'}`;
const COUNTRIES = ['AT', 'BE', 'DE', 'ES', 'FR', 'IE', 'IT', 'NL', 'PL', 'PT'];
const countryName = new Intl.DisplayNames('en', { type: 'region' });
const PAYMENTS = [
  ['Card, approved', { type: 'card', token: 'tok_visa' }],
  ['Card, declined: insufficient funds', { type: 'card', token: 'tok_decline_insufficient_funds' }],
  ['Card, approved a minute later', { type: 'card', token: 'tok_async_approve' }],
  ['Card, the provider never answers', { type: 'card', token: 'tok_timeout' }],
  ['Pay later in instalments', { type: 'bnpl' }],
];

let view = new AbortController();
const get = (path) => call('GET', path, undefined, view);

let isBusy = false;
/** Runs the command of a click. A second click has no effect while it runs. */
async function act(work, form) {
  if (isBusy) return;
  isBusy = true;
  byId('main').ariaBusy = 'true';
  clearProblem();
  try {
    await work();
  } catch (error) {
    showProblem(error, { form });
  } finally {
    isBusy = false;
    byId('main').ariaBusy = 'false';
  }
}

const undefinedIfGone = (error) => {
  if (error.status !== 404) throw error;
};
const products = new Map();
/** A product of a line. A product that is not shown any more keeps its SKU as its name. */
async function productOf(sku) {
  const known = products.get(sku) ?? (await get(`/products/${sku}`).catch(undefinedIfGone)) ?? { sku, name: sku, media: [] };
  products.set(sku, known);
  return known;
}

// Products

const unitsOf = ({ lines }) => lines.reduce((sum, { qty }) => sum + qty, 0);

/** Keeps what the header and a reload need of a basket. */
function keepBasket(basket) {
  remember({ basketId: basket.id, units: unitsOf(basket) });
  showCount();
}

async function add({ sku, name }) {
  const basket = await currentBasket();
  if (basket?.state === 'locked') throw new Error('Your basket is in checkout. Open it, and choose "Change the basket" first.');
  const { id } = basket?.state === 'open' ? basket : await call('POST', '/baskets', { channel: 'web' });
  remember({ basketId: id });
  keepBasket(await call('POST', `/baskets/${id}/lines`, { sku, qty: 1 }));
  notice(`${name} is in your basket.`);
}

const hidden = (text) => element('span', { class: 'hidden' }, text);

function addButton(product) {
  if (product.state !== 'active') return element('p', { class: 'muted' }, 'Not sold at the moment');
  if (product.availability?.status === 'out-of-stock') return element('p', { class: 'muted' }, 'Sold out');
  return element('button', { class: 'primary', click: () => act(() => add(product)) }, 'Add ', hidden(product.name), ' to basket');
}

const priceOf = (product) =>
  element(
    'p',
    { class: 'price' },
    price(product.price),
    product.compareAtPrice && element('s', {}, hidden(' formerly '), price(product.compareAtPrice)),
    product.minAge && element('span', { class: 'badge' }, `${product.minAge}+`),
  );

const card = (product) =>
  element(
    'li',
    { class: 'card' },
    link(`#/product/${product.sku}`, picture(product), element('h2', {}, product.name)),
    element('p', { class: 'muted' }, product.brand),
    priceOf(product),
    addButton(product),
  );

async function showProducts(_id, q = '') {
  const page = (cursor) => get(`/products?${new URLSearchParams({ limit: 24, ...(q && { q }), ...(cursor && { cursor }) })}`);
  const grid = element('ul', { class: 'grid' });
  const more = element('button', { class: 'more' }, 'More products');
  let next;
  const append = async () => {
    const { items, nextCursor } = await page(next);
    const cards = items.map(card);
    grid.append(...cards);
    more.hidden = nextCursor === undefined;
    if (next) cards[0]?.querySelector('a').focus();
    next = nextCursor;
    return items.length;
  };
  more.addEventListener('click', () => act(append));
  const found = await append();
  show(q ? `Products with “${q}”` : 'Everything for the table', found > 0 ? grid : element('p', {}, 'No product has these words.'), more);
}

async function showProduct(sku) {
  const product = await get(`/products/${encodeURIComponent(sku)}`);
  const { status, atp } = product.availability;
  const stock = { 'in-stock': 'In stock', low: `Only ${atp} left`, 'out-of-stock': 'Out of stock', unknown: 'Stock unknown' }[status];
  const facts = Object.entries(product.attributes).map(([name, value]) => [
    element(
      'dt',
      {},
      name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    ),
    element('dd', {}, { true: 'yes', false: 'no' }[value] ?? String(value)),
  ]);
  const text = [product.description, `${product.brand} · ${stock}`].map((line) => element('p', {}, line));
  const side = element('div', { class: 'stack' }, priceOf(product), text, addButton(product), element('dl', {}, facts));
  show(product.name, element('div', { class: 'columns' }, picture(product), side));
}

// Basket

async function currentBasket() {
  const { basketId } = remembered();
  return basketId && call('GET', `/baskets/${basketId}`).catch(undefinedIfGone);
}

/** Opens a basket with the same lines. It first releases the reservation of the old basket. */
async function copyBasket({ lines, reservationId, state }) {
  if (reservationId && state === 'locked') await call('DELETE', `/inventory/reservations/${reservationId}`).catch(undefinedIfGone);
  keepBasket(await call('POST', '/baskets', { channel: 'web', lines: lines.map(({ sku, qty }) => ({ sku, qty })) }));
  await showBasket();
}

const totalsOf = ({ subtotal, discount, shipping, total }, hasShipping) =>
  element(
    'dl',
    { class: 'totals' },
    [
      ['Goods', subtotal],
      discount.amount > 0 && ['Discount', { ...discount, amount: -discount.amount }],
      hasShipping && ['Shipping', shipping],
      [hasShipping ? 'Total, tax included' : 'Total without shipping', total],
    ]
      .filter(Boolean)
      .map(([name, amount]) => [element('dt', {}, name), element('dd', {}, price(amount))]),
  );

/** The lines of a basket or an order. @param controls makes what stands at the end of a line */
async function linesOf({ lines }, controls = ({ qty }) => element('span', {}, `× ${qty}`)) {
  const sold = await Promise.all(lines.map(({ sku }) => productOf(sku)));
  const rows = lines.map((line, index) =>
    element(
      'li',
      {},
      picture(sold[index]),
      element(
        'span',
        { class: 'name' },
        link(`#/product/${line.sku}`, sold[index].name),
        element('small', {}, `${price(line.unitPrice)} each`),
      ),
      controls(line, sold[index]),
      element('strong', {}, price(line.lineTotal)),
    ),
  );
  return element('ul', { class: 'lines' }, rows);
}

async function showBasket() {
  const basket = await currentBasket();
  if (basket?.state === 'converted') {
    remember({ basketId: undefined, units: 0, codes: [] });
    showCount();
  }
  const isKept = ['open', 'locked', 'abandoned'].includes(basket?.state) && basket.lines.length > 0;
  if (!isKept) return show('Your basket is empty', element('p', {}, link('#/', 'Look at the products')));
  const copy = (text) => element('button', { click: () => act(() => copyBasket(basket)) }, text);
  if (basket.state === 'abandoned') {
    return show(
      'Your basket has expired',
      await linesOf(basket),
      element('p', { class: 'actions' }, copy('Fill a new basket with these products')),
    );
  }
  if (basket.state === 'locked') {
    const proceed = element('a', { class: 'primary button', href: '#/checkout' }, 'Continue the checkout');
    const until = element('p', {}, `In checkout: prices and stock are yours until ${time(basket.expiresAt)}.`);
    return show(
      'Your basket',
      until,
      await linesOf(basket),
      totalsOf(basket.totals, true),
      element('p', { class: 'actions' }, proceed, copy('Change the basket')),
    );
  }
  const change = (line, qty) =>
    act(async () => {
      const path = `/baskets/${basket.id}/lines/${line.lineId}`;
      try {
        keepBasket(await (qty > 0 ? call('PATCH', path, { qty }) : call('DELETE', path)));
      } finally {
        await showBasket();
      }
    });
  const lines = await linesOf(basket, (line, { name }) => {
    const id = `qty-${line.lineId}`;
    const changed = ({ target }) => (target.checkValidity() ? change(line, Number(target.value)) : target.reportValidity());
    const quantity = {
      id,
      type: 'number',
      min: 0,
      max: 9999,
      required: true,
      value: line.qty,
      'aria-label': `Quantity of ${name}`,
      change: changed,
    };
    const remove = element(
      'button',
      { id: `remove-${line.lineId}`, class: 'quiet', 'aria-label': `Remove ${name}`, click: () => change(line, 0) },
      'Remove',
    );
    return element('span', { class: 'controls' }, element('input', quantity), remove);
  });
  const proceed = element('a', { class: 'primary button', href: '#/checkout' }, 'Checkout');
  show('Your basket', lines, totalsOf(basket.totals), voucherForm(basket), element('p', { class: 'actions' }, proceed));
}

function voucherForm({ id }) {
  const { codes } = remembered();
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    return act(async () => {
      const code = form.elements['/code'].value.trim().toUpperCase();
      if (code === '') return;
      if (codes.includes(code)) throw new Error(`The voucher ${code} is already in your basket.`);
      const { valid, reason } = await call('POST', `/vouchers/${encodeURIComponent(code)}/validate`, { basketId: id });
      if (!valid) throw new Error(`The voucher ${code} cannot be used: ${words(reason)}.`);
      remember({ codes: [...codes, code] });
      await showBasket();
      notice(`The checkout will take off the voucher ${code}.`);
    }, form);
  };
  const drop = (code) => () => act(() => showBasket(remember({ codes: remembered().codes.filter((one) => one !== code) })));
  const list = codes.map((code) =>
    element('li', {}, code, element('button', { class: 'quiet', 'aria-label': `Remove the voucher ${code}`, click: drop(code) }, 'Remove')),
  );
  const code = field('Voucher code', '/code', { autocomplete: 'off', maxlength: 64 });
  return element('form', { class: 'voucher', submit }, code, element('button', {}, 'Use it'), element('ul', {}, list));
}

// Checkout

async function showCheckout() {
  const basket = await currentBasket();
  if (!['open', 'locked'].includes(basket?.state) || basket.lines.length === 0) return showBasket();
  const { customer = {}, codes } = remembered();
  const address = basket.shippingAddress ?? customer.shippingAddress ?? {};
  const text = (label, name, autocomplete) => field(label, `/shippingAddress/${name}`, { autocomplete, value: address[name] ?? '' });
  const option = (code) => element('option', { value: code, selected: code === (address.country ?? 'IE') }, countryName.of(code));
  const country = element(
    'select',
    { id: '/shippingAddress/country', name: '/shippingAddress/country', autocomplete: 'country' },
    COUNTRIES.map(option),
  );
  const method = (value, label) => {
    const checked = value === (basket.shippingMethod ?? 'STANDARD');
    return element('label', { class: 'choice' }, element('input', { type: 'radio', name: '/shippingMethod', value, checked }), label);
  };
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    return act(async () => {
      const details = bodyOf(form);
      remember({ customer: details });
      await call('POST', `/baskets/${basket.id}/checkout`, { shippingAddress: {}, ...details, voucherCodes: codes });
      await showCheckout();
      byId('place-order').focus();
    }, form);
  };
  const form = element(
    'form',
    { class: 'stack', novalidate: true, submit },
    field('E-mail', '/contact/email', { type: 'email', autocomplete: 'email', value: customer.contact?.email ?? '' }),
    text('Name', 'name', 'name'),
    text('Street and number', 'line1', 'address-line1'),
    element('div', { class: 'pair' }, text('Postal code', 'postalCode', 'postal-code'), text('City', 'city', 'address-level2')),
    field('Country', '/shippingAddress/country', {}, country),
    element('fieldset', {}, element('legend', {}, 'Shipping'), method('STANDARD', 'Standard'), method('EXPRESS', 'Express')),
    element(
      'button',
      { id: 'price', class: basket.state === 'open' && 'primary' },
      basket.state === 'open' ? 'Show the total' : 'Update the total',
    ),
  );
  const side = element(
    'section',
    { class: 'stack', 'aria-label': 'Your order' },
    await linesOf(basket),
    totalsOf(basket.totals, basket.state === 'locked'),
  );
  if (basket.state === 'locked') side.append(...review(basket));
  show('Checkout', element('div', { class: 'columns' }, form, side), element('p', {}, link('#/basket', 'Back to the basket')));
}

/** What a customer checks before ordering: vouchers, the time limit, and the button with the price. */
function review(basket) {
  const place = async () => {
    const order = await call('POST', '/orders', { basketId: basket.id });
    const entry = { id: order.id, number: order.orderNumber, total: order.totals.total };
    remember({ basketId: undefined, units: 0, codes: [], orders: [entry, ...remembered().orders] });
    showCount();
    location.hash = `#/order/${order.id}`;
  };
  const vouchers = basket.vouchers.map(({ code, status, reason, discount }) =>
    element('p', {}, `Voucher ${code}: ${status === 'applied' ? `${price(discount)} off` : words(reason)}`),
  );
  const until = element('p', { class: 'muted' }, `Reserved for you until ${time(basket.expiresAt)}.`);
  return [
    ...vouchers,
    until,
    element('button', { id: 'place-order', class: 'primary', click: () => act(place) }, `Order for ${price(basket.totals.total)}`),
  ];
}

// Orders

function showOrders() {
  const rows = remembered().orders.map(({ id, number, total }) =>
    element('li', {}, link(`#/order/${id}`, number), element('span', {}, price(total))),
  );
  show('Your orders', rows.length > 0 ? element('ul', { class: 'rows' }, rows) : element('p', {}, 'You have not ordered yet.'));
}

const STEPS = ['Ordered', 'Confirmed', 'Packing', 'Sent', 'Delivered'];
const PLACE_OF_STATE = { draft: 0, confirmed: 1, 'in-fulfilment': 2, 'partially-fulfilled': 3, completed: 4, 'return-in-progress': 4 };
const isPaid = ({ paymentStatus }) => ['authorised', 'paid'].includes(paymentStatus);
let chosenTender = 0;
const HEADINGS = { draft: 'waits for its payment', 'in-fulfilment': 'is being fulfilled', completed: 'has been delivered' };

/** An order and its parcels. A parcel whose label is not printed yet cannot be tracked: 409. */
async function readOrder(id) {
  const order = await get(`/orders/${encodeURIComponent(id)}`);
  const shipments = (order.fulfillmentOrders ?? []).flatMap((fulfillment) => fulfillment.shipments);
  const tracking = ({ id: parcel, state }) =>
    get(`/shipments/${parcel}/tracking`).catch((error) => {
      if (error.status !== 409) throw error;
      return { state, events: [] };
    });
  return { order, parcels: await Promise.all(shipments.map(tracking)) };
}

function parcel({ state, trackingNumber, estimatedDelivery, events }) {
  const scans = events.map(({ status, occurredAt, location: place }) =>
    element('li', {}, element('time', { datetime: occurredAt }, time(occurredAt)), ` ${words(status)}${place ? `, ${place}` : ''}`),
  );
  const title = element('h3', {}, `Parcel ${trackingNumber ?? ''} `, element('span', { class: 'badge' }, words(state)));
  const expected = estimatedDelivery && state !== 'delivered' && element('p', {}, `Expected by ${time(estimatedDelivery.to)}`);
  return element('article', {}, title, expected, element('ol', { class: 'scans' }, scans));
}

function paymentForm(order, refresh) {
  const select = element(
    'select',
    { id: 'tender' },
    PAYMENTS.map(([label]) => element('option', {}, label)),
  );
  select.selectedIndex = chosenTender;
  const submit = (event) => {
    event.preventDefault();
    chosenTender = select.selectedIndex;
    const tender = PAYMENTS[chosenTender][1];
    return act(() => call('POST', '/payments/authorizations', { orderId: order.id, tender }).finally(refresh));
  };
  const choice = element('div', { class: 'field' }, element('label', { for: 'tender' }, 'Pay with'), select);
  return element(
    'form',
    { class: 'stack', submit },
    choice,
    element('button', { id: 'pay', class: 'primary' }, `Pay ${price(order.totals.total)}`),
  );
}

function payment({ state, tender, amount, refundedAmount }) {
  const card = tender.last4 ? ` ••${tender.last4}` : '';
  const refund = refundedAmount.amount > 0 ? `, ${price(refundedAmount)} refunded` : '';
  return element('li', {}, `${words(tender.type)}${card}: ${words(state)}${refund}`, element('span', {}, price(amount)));
}

async function renderOrder({ order, parcels }, refresh) {
  const { id, state, payments, totals } = order;
  const isDraft = state === 'draft';
  const isPending = payments.some((one) => one.state === 'pending');
  const isOnItsWay = state === 'in-fulfilment' && order.fulfillmentOrders?.some((one) => one.state === 'dispatched');
  const at = isOnItsWay ? 3 : PLACE_OF_STATE[state];
  const step = (name, index) => element('li', { class: index <= at && 'done', 'aria-current': index === at && 'step' }, name);
  const cancel = () => act(() => call('POST', `/orders/${id}/cancel`, { reason: 'The customer changed their mind.' }).finally(refresh));
  const left = [
    isDraft && isPending && element('p', {}, 'The provider has not decided about the payment yet. This page waits for it.'),
    isDraft && !isPending && !isPaid(order) && paymentForm(order, refresh),
    order.paymentStatus === 'unknown' && element('p', {}, 'The payments cannot be read at the moment.'),
    payments.length > 0 && [element('h2', {}, 'Payments'), element('ul', { class: 'rows' }, payments.map(payment))],
    parcels.length > 0 && [element('h2', {}, 'Parcels'), parcels.map(parcel)],
    ['draft', 'confirmed', 'in-fulfilment'].includes(state) &&
      !isOnItsWay &&
      element('button', { id: 'cancel', click: cancel }, 'Cancel the order'),
    element('p', { class: 'muted' }, 'Payments and parcels follow the clock of the rehearsal. ', link(CONSOLE, 'Move it in the console')),
  ];
  const goods = [element('h2', {}, 'Products'), await linesOf(order), totalsOf(totals, true)];
  show(
    `Order ${order.orderNumber} ${HEADINGS[state] ?? `is ${words(state)}`}`,
    state !== 'cancelled' && element('ol', { class: 'steps', 'aria-label': 'Progress' }, STEPS.map(step)),
    order.cancelReason && element('p', {}, `Reason: ${words(order.cancelReason)}`),
    element('div', { class: 'columns' }, element('div', { class: 'stack' }, left.flat(2)), element('div', { class: 'stack' }, goods)),
  );
}

/** Shows an order, and again whenever it has changed, until it ends or the customer leaves. Confirms it once it is paid. */
async function followOrder(id) {
  const { signal } = view;
  let shown;
  let isRefused = false;
  let refresh;
  const retry = () => {
    isRefused = false;
    refresh();
  };
  for (let state; !['completed', 'cancelled'].includes(state); ) {
    const pause = new Promise((resolve) => {
      refresh = resolve;
      setTimeout(resolve, POLL_MS);
    });
    try {
      const current = await readOrder(id);
      if (shown !== JSON.stringify(current)) await renderOrder(current, retry);
      shown = JSON.stringify(current);
      state = current.order.state;
      if (state === 'draft' && isPaid(current.order) && !isRefused) {
        isRefused = true;
        await call('POST', `/orders/${id}/confirm`);
        refresh();
      }
    } catch (error) {
      if (signal.aborted) return;
      showProblem(error, { retry });
      shown = undefined;
    }
    await pause;
    if (signal.aborted) return;
  }
}

// The page

const VIEWS = {
  '': showProducts,
  product: showProduct,
  basket: showBasket,
  checkout: showCheckout,
  orders: showOrders,
  order: followOrder,
};

const showCount = () => (byId('count').textContent = remembered().units || '');

async function route() {
  view.abort();
  view = new AbortController();
  const { signal } = view;
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [name, id] = path.split('/');
  clearProblem();
  byId('main').ariaBusy = 'true';
  try {
    const q = new URLSearchParams(query).get('q') ?? '';
    byId('search').elements.q.value = q;
    await (VIEWS[name] ?? showProducts)(id && decodeURIComponent(id), q);
  } catch (error) {
    if (signal.aborted) return;
    show('This page cannot be shown');
    showProblem(error, { retry: route });
  }
}

byId('search').addEventListener('submit', (event) => {
  event.preventDefault();
  location.hash = `#/?${new URLSearchParams({ q: event.target.elements.q.value.trim() })}`;
});
byId('open-settings').addEventListener('click', () => {
  const { elements } = byId('settings').querySelector('form');
  for (const [name, value] of Object.entries(settings)) elements[name].value = value;
  byId('settings').showModal();
});
byId('settings').addEventListener('close', ({ target }) => {
  if (target.returnValue !== 'save') return;
  saveSettings(Object.fromEntries(new FormData(target.querySelector('form'))));
  location.reload();
});
byId('place').textContent = `${settings.estate}${settings.rehearsal && `, rehearsal ${settings.rehearsal}`}`;
window.addEventListener('hashchange', route);
showCount();
route();
