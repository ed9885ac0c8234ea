// What the views share: reading for the current view, one command after another, the kept basket, lines and totals.
import { call, remember, remembered } from './estate.js';
import { byId, clearProblem, element, link, picture, price, showProblem } from './page.js';

let view = new AbortController();

/** Ends the reading of the last view. @returns the signal that ends the reading of this one */
export function newView() {
  view.abort();
  view = new AbortController();
  return view.signal;
}

/** Reads for the current view. @throws AbortError once the customer has left it */
export const get = (path) => call('GET', path, undefined, view);

let isBusy = false;
/**
 * Runs the command of a click. A second click has no effect while it runs.
 * @param work receives `here`, which shows a view unless the customer has left this one
 */
export async function act(work, form) {
  if (isBusy) return;
  const { signal } = view;
  const here = (render) => (signal.aborted ? undefined : render());
  isBusy = true;
  byId('main').ariaBusy = 'true';
  clearProblem();
  try {
    await work(here);
  } catch (error) {
    if (error.name !== 'AbortError') showProblem(error, { form: signal.aborted ? undefined : form });
  } finally {
    isBusy = false;
    byId('main').ariaBusy = 'false';
  }
}

export const undefinedIfGone = (error) => {
  if (error.status !== 404) throw error;
};
const products = new Map();
/** A product of a line. A product that is not shown any more keeps its SKU as its name. */
export async function productOf(sku) {
  const known = products.get(sku) ?? (await get(`/products/${sku}`).catch(undefinedIfGone)) ?? { sku, name: sku, media: [] };
  products.set(sku, known);
  return known;
}

export const showCount = () => (byId('count').textContent = remembered().units || '');
const unitsOf = ({ lines }) => lines.reduce((sum, { qty }) => sum + qty, 0);

/** Keeps what the header and a reload need of a basket. */
export function keepBasket(basket) {
  remember({ basketId: basket.id, units: unitsOf(basket) });
  showCount();
}

export function forgetBasket() {
  remember({ basketId: undefined, units: 0, codes: [] });
  showCount();
}

/** @param read how to read it; `get` ends when the customer leaves the view */
export async function currentBasket(read = get) {
  const { basketId } = remembered();
  return basketId && read(`/baskets/${basketId}`).catch(undefinedIfGone);
}

/** Tax is a separate line if the retailer adds it to its prices. */
export const totalsOf = ({ subtotal, discount, shipping, tax, taxIncluded = true, total }, hasShipping) =>
  element(
    'dl',
    { class: 'totals' },
    [
      ['Goods', subtotal],
      discount.amount > 0 && ['Discount', { ...discount, amount: -discount.amount }],
      hasShipping && ['Shipping', shipping],
      !taxIncluded && tax.amount > 0 && ['Tax', tax],
      [hasShipping ? 'Total, tax included' : 'Total without shipping', total],
    ]
      .filter(Boolean)
      .map(([name, amount]) => [element('dt', {}, name), element('dd', {}, price(amount))]),
  );

/** The lines of a basket or an order. @param controls makes what stands at the end of a line */
export async function linesOf({ lines }, controls = ({ qty }) => element('span', {}, `× ${qty}`)) {
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
