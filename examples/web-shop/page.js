// Elements, forms, texts and messages of the page.
import { settings } from './estate.js';

export const byId = (id) => document.getElementById(id);

/** Makes an element. Functions are event handlers; `undefined` and `false` leave an attribute or a child out. */
export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') made.addEventListener(name, value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat(2).filter((child) => child !== undefined && child !== false));
  return made;
}

export const link = (href, ...children) => element('a', { href }, ...children);

const number = (currency) => new Intl.NumberFormat('en-IE', { style: 'currency', currency });
/** An amount of integer minor units, as people write it. */
export function price({ amount, currency }) {
  const format = number(currency);
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
}

export const time = (instant) => new Date(instant).toLocaleString('en-IE', { dateStyle: 'medium', timeStyle: 'short' });
/** A state, a reason or a code in words. */
export const words = (code) => code.replaceAll(/[-_]/g, ' ');

/** The picture of a product, which may be a path at the estate. A drawing stands in its place until it has loaded. */
export function picture({ sku, name, media }) {
  const hue = [...sku].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  const box = element('span', { class: 'picture', 'aria-hidden': 'true' }, element('span', {}, name.charAt(0)));
  box.style.setProperty('--hue', hue);
  const image = media.find(({ type }) => type === 'image');
  const loaded = ({ target }) => target.classList.add('loaded');
  if (image) box.append(element('img', { src: new URL(image.url, settings.estate), alt: '', loading: 'lazy', load: loaded }));
  return box;
}

/** A labelled input. Its name is the JSON pointer of the member in the request. */
export function field(label, pointer, attributes, input = element('input', { id: pointer, name: pointer, ...attributes })) {
  return element('div', { class: 'field' }, element('label', { for: pointer }, label), input);
}

/** The request that a form describes. Empty fields are left out. A name without a slash belongs to the page. */
export function bodyOf(form) {
  const body = {};
  for (const [pointer, value] of new FormData(form)) {
    if (value === '' || !pointer.startsWith('/')) continue;
    const [last, ...parents] = pointer.slice(1).split('/').reverse();
    let object = body;
    for (const name of parents.reverse()) object = object[name] ??= {};
    object[last] = value;
  }
  return body;
}

export function clearProblem() {
  byId('problem').replaceChildren();
  byId('notice').textContent = '';
  for (const message of document.querySelectorAll('.field .error')) message.remove();
  for (const input of document.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

/** Shows a refusal in words, each of its field errors at its field. @param retry repeats what was refused */
export function showProblem(error, { form, retry } = {}) {
  clearProblem();
  const texts = [];
  let first;
  for (const { pointer, detail } of error.errors ?? []) {
    const found = form?.elements[pointer];
    const input = found instanceof RadioNodeList ? found[0] : found;
    if (!input) texts.push(error.message.includes(detail) ? '' : `${pointer}: ${detail}`);
    else {
      const message = element('p', { class: 'error', id: `${pointer}-error` }, detail);
      input.setAttribute('aria-invalid', 'true');
      input.setAttribute('aria-describedby', message.id);
      input.after(message);
      first ??= input;
    }
  }
  texts.unshift(first ? 'Correct the marked fields.' : error.message);
  const click = () => {
    clearProblem();
    retry();
  };
  const again = retry && element('button', { click }, 'Try again');
  byId('problem').append(...texts.filter(Boolean).map((text) => element('p', {}, text)), again ?? '');
  byId('problem').scrollIntoView({ block: 'nearest' });
  first?.focus();
}

export const notice = (text) => (byId('notice').textContent = text);

let shownHash = location.hash;
/** Replaces the view. A new address starts at its heading; otherwise the focus stays if the new view has the id of the focused element. */
export function show(title, ...children) {
  const focused = document.activeElement?.id;
  const heading = element('h1', { id: 'title', tabindex: '-1' }, title);
  byId('view').replaceChildren(heading, ...children.flat().filter(Boolean));
  byId('main').ariaBusy = 'false';
  document.title = `${title} · Harbour & Home`;
  if (shownHash !== location.hash) {
    window.scrollTo(0, 0);
    heading.focus();
  } else if (focused) byId(focused)?.focus({ preventScroll: true });
  shownHash = location.hash;
}
