// Chooses the view. The part of the address behind # names it.
import { showBasket, showCheckout } from './basket.js';
import { saveSettings, settings } from './estate.js';
import { followOrder, showOrders } from './order.js';
import { byId, clearProblem, show, showProblem } from './page.js';
import { newView, showCount } from './parts.js';
import { showProduct, showProducts } from './products.js';

const VIEWS = {
  '': showProducts,
  product: showProduct,
  basket: showBasket,
  checkout: showCheckout,
  orders: showOrders,
  order: followOrder,
};

async function route() {
  const signal = newView();
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [name, id] = path.split('/');
  clearProblem();
  byId('main').ariaBusy = 'true';
  try {
    const q = new URLSearchParams(query).get('q') ?? '';
    byId('search').elements.q.value = q;
    await (VIEWS[name] ?? showProducts)(id && decodeURIComponent(id), q, signal);
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
// Another tab has changed the basket.
window.addEventListener('storage', showCount);
showCount();
route();
