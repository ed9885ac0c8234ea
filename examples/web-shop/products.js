// The list of products, and one product.
import { call, remember } from './estate.js';
import { element, link, notice, picture, price, show } from './page.js';
import { act, currentBasket, get, keepBasket } from './parts.js';

async function add({ sku, name }) {
  const basket = await currentBasket((path) => call('GET', path));
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
  const label = element('span', {}, 'Add ', hidden(product.name), ' to basket');
  return element('button', { class: 'primary', click: () => act(() => add(product)) }, label);
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

export async function showProducts(_id, q = '') {
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

export async function showProduct(sku) {
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
