// The basket and its checkout.
import { storeChoice, storeOf, whenInWords } from './collect.js';
import { call, remember, remembered } from './estate.js';
import { bodyOf, byId, element, field, link, notice, price, show, time, words } from './page.js';
import { act, currentBasket, forgetBasket, keepBasket, linesOf, totalsOf, undefinedIfGone } from './parts.js';

const COUNTRIES = ['AT', 'BE', 'DE', 'ES', 'FR', 'IE', 'IT', 'NL', 'PL', 'PT'];
const countryName = new Intl.DisplayNames('en', { type: 'region' });
const VOUCHER_REASONS = {
  not_found: 'it is unknown',
  voucher_expired: 'it is not valid today',
  voucher_disabled: 'it was withdrawn',
  quantity_exceeded: 'it is used up',
  order_rules_violated: 'this basket is too small for it, or has nothing that it applies to',
  customer_rules_violated: 'it is for other customers',
};

/** Opens a basket with the same lines. It first releases the reservation of the old basket. */
async function copyBasket({ lines, reservationId, state }, here) {
  if (reservationId && state === 'locked') await call('DELETE', `/inventory/reservations/${reservationId}`).catch(undefinedIfGone);
  keepBasket(await call('POST', '/baskets', { channel: 'web', lines: lines.map(({ sku, qty }) => ({ sku, qty })) }));
  await here(showBasket);
}

export async function showBasket() {
  const basket = await currentBasket();
  if (['open', 'locked', 'abandoned'].includes(basket?.state)) keepBasket(basket);
  else forgetBasket();
  if (remembered().units === 0) return show('Your basket is empty', element('p', {}, link('#/', 'Look at the products')));
  const copy = (text) => element('button', { click: () => act((here) => copyBasket(basket, here)) }, text);
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
    act(async (here) => {
      const path = `/baskets/${basket.id}/lines/${line.lineId}`;
      try {
        keepBasket(await (qty > 0 ? call('PATCH', path, { qty }) : call('DELETE', path)));
      } finally {
        await here(showBasket);
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
    return act(async (here) => {
      const code = form.elements['/code'].value.trim().toUpperCase();
      if (code === '') return;
      if (codes.includes(code)) throw new Error(`The voucher ${code} is already in your basket.`);
      const { valid, reason } = await call('POST', `/vouchers/${encodeURIComponent(code)}/validate`, { basketId: id });
      if (!valid) throw new Error(`The voucher ${code} cannot be used: ${VOUCHER_REASONS[reason] ?? words(reason)}.`);
      remember({ codes: [...codes, code] });
      form.elements['/code'].value = '';
      await here(showBasket);
      notice(`The checkout will take off the voucher ${code}.`);
    }, form);
  };
  const drop = (code) => () =>
    act(() => {
      remember({ codes: remembered().codes.filter((one) => one !== code) });
      return showBasket();
    });
  const list = codes.map((code) =>
    element('li', {}, code, element('button', { class: 'quiet', 'aria-label': `Remove the voucher ${code}`, click: drop(code) }, 'Remove')),
  );
  // A change of a quantity shows the basket again, perhaps while somebody types a code.
  const code = field('Voucher code', '/code', { autocomplete: 'off', maxlength: 64, value: byId('/code')?.value });
  return element('form', { class: 'voucher', submit }, code, element('button', {}, 'Use it'), element('ul', {}, list));
}

export async function showCheckout() {
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
  const chosen = basket.collection ?? (basket.shippingAddress ? undefined : customer.collection);
  const stores = await storeChoice(basket, chosen).catch((error) => {
    if (error.name === 'AbortError') throw error;
    return [element('p', {}, `The stores cannot be listed: ${error.message}`)];
  });
  const isCollected = { value: chosen !== undefined && stores !== undefined };
  const submit = (event) => {
    event.preventDefault();
    const form = event.target;
    return act(async (here) => {
      const details = bodyOf(form);
      remember({ customer: { ...customer, collection: undefined, ...details } });
      const place = isCollected.value ? 'collection' : 'shippingAddress';
      // An order to an address is paid before it is sent.
      const payAt = basket.payAt && !isCollected.value ? { payAt: 'checkout' } : {};
      await call('POST', `/baskets/${basket.id}/checkout`, { [place]: {}, ...payAt, ...details, voucherCodes: codes });
      await here(async () => {
        await showCheckout();
        byId('place-order')?.focus();
      });
    }, form);
  };
  const form = element(
    'form',
    { class: 'stack', novalidate: true, submit },
    field('E-mail', '/contact/email', { type: 'email', autocomplete: 'email', value: customer.contact?.email ?? '' }),
    ...deliveryChoice(isCollected, {
      address: [
        text('Name', 'name', 'name'),
        text('Street and number', 'line1', 'address-line1'),
        element('div', { class: 'pair' }, text('Postal code', 'postalCode', 'postal-code'), text('City', 'city', 'address-level2')),
        field('Country', '/shippingAddress/country', {}, country),
        element('fieldset', {}, element('legend', {}, 'Shipping'), method('STANDARD', 'Standard'), method('EXPRESS', 'Express')),
      ],
      stores,
    }),
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
  if (basket.state === 'locked') side.append(...(await review(basket)));
  show(
    'Checkout',
    element('div', { class: 'columns' }, form, side),
    element('p', { class: 'actions' }, link('#/basket', 'Back to the basket')),
  );
}

/** Delivery or collection, and the part of the form that belongs to the choice. The fields of the other part are not sent. */
function deliveryChoice(isCollected, { address, stores }) {
  const parts = {
    address: element('fieldset', { class: 'part', 'aria-label': 'Your address' }, address),
    store: element('fieldset', { class: 'part', 'aria-label': 'Store and person' }, stores ?? []),
  };
  const choose = (isStore) => {
    isCollected.value = isStore;
    for (const [name, part] of Object.entries(parts)) part.disabled = part.hidden = (name === 'store') !== isStore;
  };
  choose(isCollected.value);
  const choice = (isStore, label, disabled) => {
    const checked = isStore === isCollected.value;
    const input = element('input', { type: 'radio', name: 'delivery', checked, disabled, change: () => choose(isStore) });
    return element('label', { class: 'choice' }, input, label);
  };
  const none = stores === undefined;
  return [
    element(
      'fieldset',
      {},
      element('legend', {}, 'How do you get it?'),
      choice(false, 'Deliver to my address'),
      choice(true, none ? 'Collect in a store: no store has all products' : 'Collect in a store', none),
    ),
    parts.address,
    parts.store,
  ];
}

/** What a customer checks before ordering: vouchers, the time limit, and the button with the price. */
async function review(basket) {
  const { collection } = basket;
  const store = collection && (await storeOf(collection.locationId));
  const place = async (here) => {
    const order = await call('POST', '/orders', { basketId: basket.id }).catch(async (error) => {
      if (error.code !== 'invalid_state_transition') throw error;
      await here(showCheckout);
      throw new Error('The time for this checkout has run out. Show the total again: that reserves the products again.');
    });
    const entry = { id: order.id, number: order.orderNumber, total: order.totals.total };
    remember({ orders: [entry, ...remembered().orders] });
    forgetBasket();
    // The way back leads to the shop, not to a checkout that has ended.
    location.replace(`#/order/${order.id}`);
  };
  const vouchers = basket.vouchers.map(({ code, status, reason, discount }) =>
    element('p', {}, `Voucher ${code}: ${status === 'applied' ? `${price(discount)} off` : (VOUCHER_REASONS[reason] ?? words(reason))}`),
  );
  const until = element('p', { class: 'muted' }, `Reserved for you until ${time(basket.expiresAt)}.`);
  const ready = store && element('p', {}, `Ready in ${store.name} ${whenInWords(collection.readyBy, store.timeZone)}.`);
  const later = basket.payAt && element('p', {}, 'You pay at a till of the store, before you get it.');
  return [
    ...vouchers,
    ready ?? '',
    later ?? '',
    until,
    element('button', { id: 'place-order', class: 'primary', click: () => act(place) }, `Order for ${price(basket.totals.total)}`),
  ];
}
