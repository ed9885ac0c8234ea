import { type ComponentType, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  asRefusal,
  bearer,
  enterAgain,
  enterRehearsal,
  held,
  isRehearsalName,
  lastRehearsal,
  navigate,
  path,
  type Refusal,
  route,
  trouble,
} from '../data/data.ts';
import { Card, Empty, focusFilter, Heading, moveRow, ProblemCard, Skeleton, StatusLine, useKeys } from '../kit/kit.ts';
import { Bar } from './bar.ts';
import { Keys, keysShown } from './keys.ts';
import { Navigation, pageLink } from './navigation.ts';
import type { Page, PageProps } from './page.ts';
import { pageAt, pages } from './pages.ts';
import { RehearsalList } from './picker.ts';
import { SignIn } from './sign-in.ts';

export function Shell() {
  const { rehearsal, segments } = route.value;
  const credential = bearer.value;
  useEffect(() => {
    if (credential === undefined) return;
    void enterRehearsal(rehearsal);
  }, [rehearsal, credential]);
  // A rehearsal that was not there may have been created in the meantime.
  const at = path.value;
  useEffect(() => void enterAgain(), [at]);
  useEffect(() => {
    const look = (): void => void (document.hidden || enterAgain());
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  useShellKeys(rehearsal ?? lastRehearsal());
  const home = segments.length === 0 && !pageAt(rehearsal, segments) ? pages[0] : undefined;
  useEffect(() => {
    if (home) navigate(pageLink(home, rehearsal ?? lastRehearsal()), { replace: true });
  }, [home, rehearsal]);
  if (credential === undefined) return h('div', {}, h(SignIn, {}), h(StatusLine, {}));
  return h(
    'div',
    { class: 'shell' },
    h('a', { class: 'skip', href: '#main' }, 'Skip to the page'),
    h(Navigation, { rehearsal: rehearsal ?? lastRehearsal() }),
    rehearsal !== undefined ? h(Bar, { rehearsal }) : h('header', { class: 'bar empty-bar' }),
    h('main', { id: 'main', tabIndex: -1 }, !home && h(Main, {})),
    h(Keys, {}),
  );
}

function useShellKeys(rehearsal: string): void {
  const ofPages = pages.flatMap((page) =>
    page.key === undefined ? [] : [[`g ${page.key}`, () => navigate(pageLink(page, rehearsal))] as const],
  );
  useKeys({
    ...Object.fromEntries(ofPages),
    '/': focusFilter,
    j: () => moveRow(1),
    k: () => moveRow(-1),
    ArrowDown: () => moveRow(1),
    ArrowUp: () => moveRow(-1),
    '.': () => {
      held.value = !held.value;
    },
    '?': () => {
      keysShown.value = true;
    },
  });
}

/** The page of the address, or why there is none. */
function Main() {
  const { rehearsal, segments, query } = route.value;
  const refusal = trouble.value;
  const isUnknown = refusal?.code === 'unknown_rehearsal' || (rehearsal !== undefined && !isRehearsalName(rehearsal));
  if (rehearsal !== undefined && isUnknown) return h(UnknownRehearsal, { rehearsal });
  if (refusal) {
    return h(
      'div',
      { class: 'stack' },
      h(Heading, { title: refusal.title }, 'This rehearsal cannot be shown'),
      h(Card, { label: 'Problem' }, h(ProblemCard, { refusal, retry: () => void enterAgain() })),
    );
  }
  const found = pageAt(rehearsal, segments);
  if (!found) return h(NoPage, { rehearsal: rehearsal ?? lastRehearsal() });
  return h(LazyPage, { key: found.page.path, page: found.page, props: { rehearsal: rehearsal ?? '', rest: found.rest, query } });
}

function LazyPage({ page, props }: { page: Page; props: PageProps }) {
  const [component, setComponent] = useState<{ readonly of: ComponentType<PageProps> }>();
  const [refusal, setRefusal] = useState<Refusal>();
  useEffect(() => {
    page.load().then(
      (of) => setComponent({ of }),
      (error: unknown) => setRefusal(asRefusal(error)),
    );
  }, [page]);
  if (component) return h(component.of, props);
  return refusal ? h(ProblemCard, { refusal, retry: () => location.reload() }) : h(Skeleton, { rows: 6 });
}

const UnknownRehearsal = ({ rehearsal }: { rehearsal: string }) =>
  h(
    'div',
    { class: 'stack' },
    h(Heading, { title: 'Unknown rehearsal' }, 'There is no rehearsal ', h('code', { class: 'brk' }, rehearsal)),
    h(
      'p',
      { class: 'line muted' },
      'It ended, it was deleted, or the name is wrong.',
      isRehearsalName(rehearsal) && h('button', { type: 'button', onClick: () => void enterAgain() }, 'Look again'),
    ),
    h('p', { class: 'muted' }, 'These exist:'),
    h(Card, { label: 'Rehearsals' }, h('div', { class: 'in' }, h(RehearsalList, {}))),
  );

const NoPage = ({ rehearsal }: { rehearsal: string }) =>
  h(
    'div',
    { class: 'stack' },
    h(Heading, { title: 'No page' }, 'This page does not exist'),
    h(
      Card,
      { label: 'Pages' },
      h(
        Empty,
        { title: 'These pages exist:' },
        h(
          'p',
          { class: 'line' },
          pages
            .filter(({ under }) => under === undefined)
            .map((page) => h('a', { key: page.path, class: 'button', href: pageLink(page, rehearsal) }, page.title)),
        ),
      ),
    ),
  );
