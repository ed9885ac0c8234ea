import { computed, signal } from '@preact/signals';
import { changedQuery, parseRoute, type QueryChanges, rehearsalLink, withQuery } from './route.ts';
import { lastRehearsal } from './session-keys.ts';

const address = signal(location.pathname + location.search);
/** The address as signals: components that read it are drawn again when it changes. */
export const route = computed(() => parseRoute(new URL(address.value, location.origin)));
/** The path without the query: a change is a navigation, which moves the focus. */
export const path = computed(() => new URL(address.value, location.origin).pathname);

const hash = signal(location.hash);
/** The part of the page that the address names; empty: none. */
export const fragment = computed(() => decodedFragment(hash.value));

/** The name of the rehearsal in the address; on pages of the whole estate, of the last one. */
export const here = (): string => route.peek().rehearsal ?? lastRehearsal();

/** A link to a page of this rehearsal: `linkHere('objects', 'order', 'ord_1')`. */
export const linkHere = (...segments: readonly string[]): string => rehearsalLink(here(), ...segments);

let focusDue = false;

/** Whether a heading that appears now takes the focus. It answers true once for each navigation. */
export function takeFocusDue(): boolean {
  const due = focusDue;
  focusDue = false;
  return due;
}

export function navigate(link: string, { replace = false } = {}): void {
  const before = path.peek();
  history[replace ? 'replaceState' : 'pushState'](null, '', link);
  moved(before);
}

/** Changes members of the query; undefined removes one. This is not a navigation: the focus stays, and Back skips it. */
export function setQuery(changes: QueryChanges): void {
  navigate(withQuery(path.peek(), changedQuery(route.peek().query, changes)), { replace: true });
}

function moved(before: string): void {
  address.value = location.pathname + location.search;
  hash.value = location.hash;
  if (path.peek() === before) return;
  focusDue = true;
  window.scrollTo(0, 0);
}

/** Follows links of the console without loading the page again. */
export function startRouter(): void {
  addEventListener('popstate', () => moved(path.peek()));
  addEventListener('hashchange', () => {
    hash.value = location.hash;
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const href = link?.getAttribute('href');
    if (!link || !href?.startsWith('/console') || link.hasAttribute('target') || link.hasAttribute('download')) return;
    event.preventDefault();
    navigate(href);
  });
}

function decodedFragment(text: string): string {
  try {
    return decodeURIComponent(text.slice(1));
  } catch {
    return text.slice(1);
  }
}
