// The orders of this browser, and one order until it ends.
import { collectionOf } from './collect.js';
import { call, remembered, settings } from './estate.js';
import { clearProblem, element, link, price, show, showProblem, time, words } from './page.js';
import { act, get, linesOf, totalsOf } from './parts.js';

const POLL_MS = 2_000;
const CONSOLE = `${settings.estate}/console/r/${settings.rehearsal || 'default'}`;
const PAYMENTS = [
  ['Card, approved', { type: 'card', token: 'tok_visa' }],
  ['Card, declined: insufficient funds', { type: 'card', token: 'tok_decline_insufficient_funds' }],
  ['Card, approved a minute later', { type: 'card', token: 'tok_async_approve' }],
  ['Card, the provider never answers', { type: 'card', token: 'tok_timeout' }],
  ['Pay later in instalments', { type: 'bnpl' }],
];

export function showOrders() {
  const rows = remembered().orders.map(({ id, number, total }) =>
    element('li', {}, link(`#/order/${id}`, number), element('span', {}, price(total))),
  );
  show('Your orders', rows.length > 0 ? element('ul', { class: 'rows' }, rows) : element('p', {}, 'You have not ordered yet.'));
}

const STEPS = ['Ordered', 'Confirmed', 'Packing', 'Sent', 'Delivered'];
const STEPS_IN_STORE = ['Ordered', 'Confirmed', 'Being prepared', 'Ready', 'Collected'];
const PLACE_OF_STATE = { draft: 0, confirmed: 1, 'in-fulfilment': 2, 'partially-fulfilled': 3, completed: 4, 'return-in-progress': 4 };
const isPending = ({ payments }) => payments.some(({ state }) => state === 'pending');
const stageOf = (order) => `${order.state} ${isPending(order)}`;
const isPaid = ({ paymentStatus }) => ['authorised', 'paid'].includes(paymentStatus);
let chosenTender = 0;
const HEADINGS = { draft: 'waits for its payment', 'in-fulfilment': 'is being fulfilled', completed: 'has been delivered' };
const HEADINGS_IN_STORE = {
  ...HEADINGS,
  'in-fulfilment': 'is being prepared',
  'partially-fulfilled': 'has been collected in part',
  completed: 'has been collected',
};
const isDispatched = ({ state }) => state === 'dispatched';
/** Whether a part of a collection waits at the counter. */
const isReady = (part) => isDispatched(part) && part.collection?.readyAt !== undefined;

const isUncollected = (parts) => parts.some(({ failureReason }) => failureReason === 'not-collected');

/** @param parts the fulfillment orders of a collection */
function headingOf({ state, collection, payAt }, parts) {
  if (payAt && state === 'draft') return 'is being confirmed';
  if (!collection) return HEADINGS[state] ?? `is ${words(state)}`;
  if (isUncollected(parts)) return 'was not collected';
  const left = parts.filter((part) => part.state !== 'delivered');
  if (left.some(isReady)) return left.every(isReady) ? 'is ready to collect' : 'is ready to collect in part';
  return HEADINGS_IN_STORE[state] ?? `is ${words(state)}`;
}

/**
 * An order and its parcels, or the fulfillment orders of its collection: missing units come from another place, as a part with its own code. A
 * parcel whose label is not printed yet cannot be tracked: 409.
 */
async function readOrder(id) {
  const order = await get(`/orders/${encodeURIComponent(id)}`);
  if (order.collection) {
    const parts = await Promise.all((order.fulfillmentOrders ?? []).map(({ id: part }) => get(`/fulfillment/orders/${part}`)));
    const open = parts.filter(({ state }) => state !== 'cancelled');
    return { order, parcels: [], parts: open.length > 0 ? open : parts.slice(0, 1) };
  }
  const shipments = (order.fulfillmentOrders ?? []).flatMap((fulfillment) => fulfillment.shipments);
  const tracking = ({ id: parcel, state }) =>
    get(`/shipments/${parcel}/tracking`).catch((error) => {
      if (error.status !== 409) throw error;
      return { state, events: [] };
    });
  return { order, parcels: await Promise.all(shipments.map(tracking)), parts: [] };
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

async function renderOrder({ order, parcels, parts }, refresh) {
  const { id, state, payments, totals, collection } = order;
  const isDraft = state === 'draft';
  const isOnItsWay = state === 'in-fulfilment' && (collection ? parts.some(isReady) : order.fulfillmentOrders?.some(isDispatched));
  const at = isOnItsWay ? 3 : PLACE_OF_STATE[state];
  const step = (name, index) => element('li', { class: index <= at && 'done', 'aria-current': index === at && 'step' }, name);
  const cancel = () => act(() => call('POST', `/orders/${id}/cancel`, { reason: 'The customer changed their mind.' }).finally(refresh));
  const left = [
    isDraft && isPending(order) && element('p', {}, 'The provider has not decided about the payment yet. This page waits for it.'),
    isDraft && !order.payAt && !isPending(order) && !isPaid(order) && paymentForm(order, refresh),
    order.paymentStatus === 'unknown' && element('p', {}, 'The payments cannot be read at the moment.'),
    collection && !isDraft && [element('h2', {}, 'Collection'), await collectionOf(order, parts)],
    payments.length > 0 && [element('h2', {}, 'Payments'), element('ul', { class: 'rows' }, payments.map(payment))],
    parcels.length > 0 && [element('h2', {}, 'Parcels'), parcels.map(parcel)],
    ['draft', 'confirmed', 'in-fulfilment'].includes(state) &&
      (!isOnItsWay || collection) &&
      element('button', { id: 'cancel', click: cancel }, 'Cancel the order'),
    element('p', { class: 'muted' }, 'Payments and parcels follow the clock of the rehearsal. ', link(CONSOLE, 'Move it in the console')),
  ];
  const goods = [element('h2', {}, 'Products'), await linesOf(order), totalsOf(totals, true)];
  show(
    `Order ${order.orderNumber} ${headingOf(order, parts)}`,
    state !== 'cancelled' && element('ol', { class: 'steps', 'aria-label': 'Progress' }, (collection ? STEPS_IN_STORE : STEPS).map(step)),
    order.cancelReason && !isUncollected(parts) && element('p', {}, `Reason: ${words(order.cancelReason)}`),
    element('div', { class: 'columns' }, element('div', { class: 'stack' }, left.flat(2)), element('div', { class: 'stack' }, goods)),
  );
}

/** Shows an order, and again whenever it has changed, until it ends or the customer leaves. Confirms it once it is paid. */
export async function followOrder(id, _q, signal) {
  let shown;
  let order;
  let isRefused = false;
  let isLost = false;
  let refresh;
  const retry = () => {
    isRefused = false;
    refresh();
  };
  while (!['completed', 'cancelled'].includes(order?.state)) {
    const pause = new Promise((resolve) => {
      refresh = resolve;
      setTimeout(resolve, POLL_MS);
    });
    try {
      const before = order && stageOf(order);
      const current = await readOrder(id);
      order = current.order;
      // A message about an earlier stage would mislead.
      if (isLost || (before && before !== stageOf(order))) clearProblem();
      isLost = false;
      if (shown !== JSON.stringify(current)) await renderOrder(current, retry);
      shown = JSON.stringify(current);
    } catch (error) {
      if (signal.aborted || !order) throw error;
      isLost = true;
      showProblem(error);
    }
    if (order.state === 'draft' && (isPaid(order) || order.payAt) && !isRefused && !isLost) {
      try {
        await call('POST', `/orders/${id}/confirm`);
      } catch (error) {
        if (signal.aborted) return;
        isRefused = true;
        showProblem(error, { retry });
      }
      refresh();
    }
    await pause;
    if (signal.aborted) return;
  }
}
