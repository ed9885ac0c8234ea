import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { config, estateLink, rehearsalLink, route } from '../data/data.ts';
import { Dialog, Icon, StatusLine } from '../kit/kit.ts';
import { keysShown } from './keys.ts';
import type { Page } from './page.ts';
import { pageAt, pages } from './pages.ts';

export function pageLink({ scope, path }: Page, rehearsal: string): string {
  if (scope === 'estate') return estateLink(path);
  return path === '' ? rehearsalLink(rehearsal) : rehearsalLink(rehearsal, path);
}

/** The rail at the left, or the bar at the bottom of a narrow window. It contains the status line. */
export function Navigation({ rehearsal }: { rehearsal: string }) {
  const more = useSignal(false);
  const { rehearsal: shown, segments } = route.value;
  const current = pageAt(shown, segments)?.page;
  const marked = current?.under ?? current?.path;
  const listed = pages.filter(({ under }) => under === undefined);
  const item = (page: Page, kind: string) =>
    h(
      'a',
      { key: page.path, class: `item ${kind}`, href: pageLink(page, rehearsal), 'aria-current': marked === page.path ? 'page' : undefined },
      h(Icon, { name: page.icon }),
      h('span', {}, page.title),
    );
  const inRail = (page: Page) => item(page, page.bottom ? '' : 'more');
  const { version, adapters, portal } = config();
  const touchpoint =
    portal !== undefined &&
    h(
      'a',
      { class: 'item more', href: portal, target: '_blank', rel: 'noreferrer' },
      h(Icon, { name: 'touchpoint' }),
      h('span', {}, 'Touchpoint'),
    );
  return h(
    'nav',
    { class: 'rail', 'aria-label': 'Console' },
    h('a', { class: 'brand', href: '/console/' }, h(Icon, { name: 'store' }), h('span', {}, 'Unified commerce estate')),
    listed.filter(({ scope }) => scope === 'rehearsal').map(inRail),
    h('p', { class: 'group' }, 'Estate'),
    listed.filter(({ scope }) => scope === 'estate').map(inRail),
    touchpoint,
    h(
      'button',
      { type: 'button', class: 'item only-narrow', 'aria-haspopup': 'dialog', onClick: () => (more.value = true) },
      h(Icon, { name: 'more' }),
      h('span', {}, 'More'),
    ),
    h(StatusLine, {}),
    h(
      'p',
      { class: 'foot' },
      `v${version} · state in ${adapters.state}, events in ${adapters.events}`,
      h('br', {}),
      h('button', { type: 'button', class: 'quiet', onClick: () => (keysShown.value = true) }, h('kbd', {}, '?'), ' keys'),
    ),
    more.value &&
      h(
        Dialog,
        { title: 'More pages', onClose: () => (more.value = false) },
        h(
          'div',
          { class: 'menu', onClick: () => (more.value = false) },
          listed.filter(({ bottom }) => !bottom).map((page) => item(page, '')),
          touchpoint,
          h('button', { type: 'button', class: 'quiet', onClick: () => (keysShown.value = true) }, 'Keys'),
        ),
      ),
  );
}
