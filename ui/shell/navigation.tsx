import { useSignal } from '@preact/signals';
import { config, estateLink, rehearsalLink, route } from '../data/data.ts';
import { Dialog, Icon, type Page } from '../kit/kit.ts';
import { keysShown, openSearch } from './keys.tsx';
import { pageAt, pages } from './pages.ts';
import css from './shell.module.css';

export function pageLink({ scope, path }: Page, rehearsal: string): string {
  if (scope === 'estate') return estateLink(path);
  return path === '' ? rehearsalLink(rehearsal) : rehearsalLink(rehearsal, path);
}

/** The rail at the left, or the bar at the bottom of a narrow window. */
export function Navigation({ rehearsal }: { rehearsal: string }) {
  const more = useSignal(false);
  const { rehearsal: shown, segments } = route.value;
  const current = pageAt(shown, segments)?.page;
  const marked = current?.under ?? current?.path;
  const listed = pages.filter(({ under }) => under === undefined);
  const item = (page: Page, kind?: string) => (
    <a
      key={page.path}
      class={`${css.item} ${kind ?? ''}`}
      href={pageLink(page, rehearsal)}
      aria-current={marked === page.path ? 'page' : undefined}
    >
      <Icon name={page.icon} />
      <span>{page.title}</span>
    </a>
  );
  const inRail = (page: Page) => item(page, page.bottom ? undefined : css.onlyWide);
  const { version, adapters, portal } = config();
  const touchpoint = portal !== undefined && (
    <a class={`${css.item} ${css.onlyWide}`} href={portal} target="_blank" rel="noreferrer">
      <Icon name="touchpoint" />
      <span>Touchpoint</span>
    </a>
  );
  return (
    <nav class={css.rail} aria-label="Console">
      <a class={css.brand} href="/console/">
        <Icon name="store" />
        <span>Unified commerce estate</span>
      </a>
      <button type="button" class={css.item} aria-haspopup="dialog" aria-keyshortcuts="Control+K" title="Ctrl K" onClick={openSearch}>
        <Icon name="search" />
        <span>Search</span>
      </button>
      {listed.filter(({ scope }) => scope === 'rehearsal').map(inRail)}
      <p class={css.group}>Estate</p>
      {listed.filter(({ scope }) => scope === 'estate').map(inRail)}
      {touchpoint}
      <button type="button" class={`${css.item} ${css.onlyNarrow}`} aria-haspopup="dialog" onClick={() => (more.value = true)}>
        <Icon name="more" />
        <span>More</span>
      </button>
      <p class={css.foot}>
        v{version} · state in {adapters.state}, events in {adapters.events}
        <br />
        <button type="button" class="quiet" onClick={() => (keysShown.value = true)}>
          <kbd>?</kbd> keys
        </button>
      </p>
      {more.value && (
        <Dialog title="More pages" onClose={() => (more.value = false)}>
          <div class={css.menu}>
            {listed.filter(({ bottom }) => !bottom).map((page) => item(page))}
            {touchpoint}
            <button
              type="button"
              class="quiet"
              onClick={() => {
                more.value = false;
                keysShown.value = true;
              }}
            >
              Keys
            </button>
          </div>
        </Dialog>
      )}
    </nav>
  );
}
