// Collecting in a store: its choice at the checkout, and what the page of the order shows.
import { settings } from './estate.js';
import { element, field, price } from './page.js';
import { act, get, productOf } from './parts.js';

const DAYS = { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' };
const DAY_MS = 24 * 60 * 60 * 1_000;
/** The most stores in one answer. */
const MOST = 100;

/** `Mon to Fri 09:30-19:00, Sat 10:00-18:00, Sun closed` */
function hoursInWords(openingHours) {
  const spans = [];
  for (const [day, times] of Object.entries(openingHours)) {
    const text = times.length > 0 ? times.join(' and ') : 'closed';
    if (spans.at(-1)?.text === text) spans.at(-1).to = day;
    else spans.push({ from: day, to: day, text });
  }
  return spans.map(({ from, to, text }) => `${DAYS[from]}${from === to ? '' : ` to ${DAYS[to]}`} ${text}`).join(', ');
}

const formatted = (at, timeZone, options) => new Intl.DateTimeFormat('en-IE', { timeZone, ...options }).format(at);

/** A time on the clocks of the store: `today at 12:00`. @param now the time in the rehearsal; without it, the day is written out */
export function whenInWords(instant, timeZone, now) {
  const at = new Date(instant);
  const dayOf = (date) => formatted(date, timeZone, { dateStyle: 'short' });
  const isIn = (days) => now !== undefined && dayOf(at) === dayOf(new Date(Date.parse(now) + days * DAY_MS));
  const date = formatted(at, timeZone, { weekday: 'long', day: 'numeric', month: 'long' }).replace(',', '');
  const day = isIn(0) ? 'today' : isIn(1) ? 'tomorrow' : `on ${date}`;
  return `${day} at ${formatted(at, timeZone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })}`;
}

const addressOf = ({ line1, postalCode, city }) => `${line1}, ${[postalCode, city].filter(Boolean).join(' ')}`;

const listStores = (query) => get(`/collection-points?${new URLSearchParams({ limit: MOST, ...query })}`);

const stores = new Map();
/** A store by its id. A store that hands out no orders any more keeps its id as its name. */
export async function storeOf(id) {
  if (!stores.has(id)) for (const one of (await listStores()).items) stores.set(one.locationId, one);
  return stores.get(id) ?? { locationId: id, name: id, timeZone: 'UTC' };
}

/** The position of the browser, as the estate takes it. */
const positionOf = () =>
  new Promise((resolve, reject) => {
    const refuse = () => reject(new Error('Your browser gives no position. Choose a store from the list.'));
    if (!navigator.geolocation) return refuse();
    const near = ({ coords }) => resolve(`${coords.latitude.toFixed(4)},${coords.longitude.toFixed(4)}`);
    navigator.geolocation.getCurrentPosition(near, refuse, { timeout: 10_000 });
  });

function storeRow(store, { asOf, isChosen }) {
  const { locationId, name, address, distanceKm, openingHours, readyBy, timeZone } = store;
  const input = element('input', { type: 'radio', name: '/collection/locationId', value: locationId, checked: isChosen });
  const facts = [
    readyBy && element('span', {}, `Ready ${whenInWords(readyBy, timeZone, asOf)}`),
    address && element('small', {}, `${addressOf(address)}${distanceKm === undefined ? '' : ` · ${distanceKm} km`}`),
    openingHours && element('small', {}, `Open ${hoursInWords(openingHours)}`),
  ];
  return element('li', {}, element('label', { class: 'store' }, input, element('span', {}, element('strong', {}, name), facts)));
}

const pays = (value, label, chosen) =>
  element('label', { class: 'choice' }, element('input', { type: 'radio', name: '/payAt', value, checked: value === chosen }), label);

/** The part of the checkout that chooses a store and who may collect. @returns undefined if no store has all products */
export async function storeChoice({ lines, collection: held, payAt = 'checkout' }, chosen = {}) {
  const goods = { sku: lines.map(({ sku }) => sku).join(','), qty: lines.map(({ qty }) => qty).join(',') };
  const list = element('ul', { class: 'stores' });
  const fill = async (query) => {
    const { items, asOf } = await listStores({ ...goods, ...query });
    // The store of this checkout has reserved the products, so it may list none that are free.
    const isListed = held === undefined || items.some(({ locationId }) => locationId === held.locationId);
    const found = isListed ? items : [{ ...(await storeOf(held.locationId)), readyBy: held.readyBy }, ...items];
    const wanted = list.querySelector(':checked')?.value ?? chosen.locationId;
    const first = found.find(({ locationId }) => locationId === wanted) ?? found[0];
    list.replaceChildren(...found.map((store) => storeRow(store, { asOf, isChosen: store === first })));
    return found.length;
  };
  if ((await fill()) === 0) return undefined;
  const nearest = () => act(async () => fill({ near: await positionOf() }));
  return [
    element('div', { class: 'field', role: 'radiogroup', 'aria-label': 'Store' }, list),
    element('button', { type: 'button', id: 'nearest', click: nearest }, 'Nearest store first'),
    field('Somebody else who may collect it (name, optional)', '/collection/person', {
      autocomplete: 'off',
      maxlength: 120,
      value: chosen.person ?? '',
    }),
    element(
      'fieldset',
      {},
      element('legend', {}, 'When do you pay?'),
      pays('checkout', 'Now', payAt),
      pays('collection', 'In the store', payAt),
    ),
  ];
}

/** What the customer needs at the counter. */
function pass({ code, qrUrl, until, person }, { timeZone }, toPay) {
  const picture = element('img', { src: new URL(qrUrl, settings.estate), alt: 'QR code for the counter', width: 180, height: 180 });
  const digits = element('p', {}, 'Your code ', element('strong', { class: 'code' }, `${code.slice(0, 3)} ${code.slice(3)}`));
  return element(
    'div',
    { class: 'pass' },
    picture,
    element(
      'div',
      {},
      digits,
      toPay && element('p', {}, `Pay ${price(toPay)} at a till of the store first.`),
      element(
        'p',
        {},
        `Show the picture or the code at the counter. We keep it for you until the store closes ${whenInWords(until, timeZone)}.`,
      ),
      person && element('p', {}, `${person} may collect it too, with the order number and a document.`),
    ),
  );
}

function collected({ refusedReturnId, handedOverTo }) {
  const who = handedOverTo ? `${handedOverTo} has collected it.` : 'You have collected it.';
  return element('p', {}, refusedReturnId ? `${who} The store checks what was not taken, and then the money for it comes back.` : who);
}

/** The state of one part of a collection in words, and its code while it waits. */
function partOf(order, store, { state, failureReason, collection = {} } = {}) {
  // The page of the order shows its cancellation already, unless nobody has collected the goods.
  if (order.state === 'cancelled' && state !== 'returned-to-sender') return undefined;
  const { collection: promised, payAt, paymentStatus, totals, payments } = order;
  const ready = `It should be ready ${whenInWords(promised.readyBy, store.timeZone)}.`;
  const onItsWay = () => element('p', {}, `It is on its way to the store. ${ready}`);
  const toPay = payAt && paymentStatus === 'unpaid' ? totals.total : undefined;
  const back =
    payments.length > 0 ? 'The products are back on the shelf, and your money comes back.' : 'The products are back on the shelf.';
  const texts = {
    dispatched: () => (collection.readyAt ? pass(collection, store, toPay) : onItsWay()),
    'failed-delivery': () => onItsWay(),
    delivered: () => collected(collection),
    'returned-to-sender': () => failureReason === 'not-collected' && element('p', {}, `Nobody collected it in time. ${back}`),
    cancelled: () => undefined,
  };
  const preparing = () => element('p', {}, `It is being prepared. ${ready}`);
  return (texts[state] ?? preparing)();
}

/** The goods of one part: `1 × Blue stoneware mug`. Missing units are in another part. */
async function goodsOf({ lines }) {
  const found = lines.filter(({ qty, shortQty }) => qty > shortQty);
  const goods = await Promise.all(found.map(async ({ sku, qty, shortQty }) => `${qty - shortQty} × ${(await productOf(sku)).name}`));
  return element('h4', {}, goods.join(', '));
}

/**
 * What a customer reads about a collection.
 * @param order an order with a collection
 * @param parts its fulfillment orders. Several parts are ready at different times, and each has its own code
 */
export async function collectionOf(order, parts) {
  const store = await storeOf(order.collection.locationId);
  const rows = await Promise.all(parts.map(async (part) => [parts.length > 1 && (await goodsOf(part)), partOf(order, store, part)]));
  return element(
    'article',
    {},
    element('h3', {}, store.name),
    store.address && element('p', { class: 'muted' }, `${addressOf(store.address)} · open ${hoursInWords(store.openingHours)}`),
    rows.length > 0 ? rows : partOf(order, store),
  );
}
