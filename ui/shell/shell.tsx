import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  asRefusal,
  bearer,
  drawn,
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
  useResource,
} from '../data/data.ts';
import {
  Card,
  collectedTyping,
  Empty,
  focusFilter,
  Heading,
  Meaning,
  moveRow,
  type Page,
  type PageProps,
  ProblemCard,
  Skeleton,
  StatusLine,
  useKeys,
} from '../kit/kit.ts';
import { Bar } from './bar.tsx';
import { closeSearch, Keys, keysShown, openSearch, searchShown } from './keys.tsx';
import { Navigation, pageLink } from './navigation.tsx';
import { pageAt, pages } from './pages.ts';
import { UnknownRehearsal } from './picker.tsx';
import css from './shell.module.css';
import { SignIn } from './sign-in.tsx';

export function Shell() {
  const { rehearsal, segments } = route.value;
  const credential = bearer.value;
  useEffect(() => {
    if (credential === undefined) return;
    void enterRehearsal(rehearsal);
  }, [rehearsal, credential]);
  // An unknown rehearsal may have been created since.
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
  if (credential === undefined)
    return (
      <div>
        <SignIn />
        <StatusLine />
      </div>
    );
  return (
    <div class={css.shell}>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Navigation rehearsal={rehearsal ?? lastRehearsal()} />
      {rehearsal !== undefined ? <Bar rehearsal={rehearsal} /> : <EmptyBar />}
      <main id="main" class={css.main} tabIndex={-1}>
        {!home && <Main />}
      </main>
      <Keys />
      <Meaning />
      {searchShown.value && <LazySearch rehearsal={trouble.value ? undefined : rehearsal} />}
    </div>
  );
}

/** Its code is loaded when somebody searches. */
function LazySearch({ rehearsal }: { rehearsal: string | undefined }) {
  const code = useResource('code of the search', () => import('./search.tsx'));
  // A refused load shows its problem, and keys act again.
  useEffect(() => {
    if (code.refusal) collectedTyping();
  }, [code.refusal]);
  return drawn(code, ({ Search }) => <Search rehearsal={rehearsal} last={rehearsal ?? lastRehearsal()} onClose={closeSearch} />);
}

const EmptyBar = () => (
  <header class={css.bar}>
    <StatusLine />
  </header>
);

function useShellKeys(rehearsal: string): void {
  const ofPages = pages.flatMap((page) =>
    page.key === undefined ? [] : [[`g ${page.key}`, () => navigate(pageLink(page, rehearsal))] as const],
  );
  useKeys({
    ...Object.fromEntries(ofPages),
    '/': () => {
      if (!focusFilter()) openSearch();
    },
    'Ctrl k': openSearch,
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
  if (rehearsal !== undefined && isUnknown) return <UnknownRehearsal name={rehearsal} />;
  if (refusal) {
    return (
      <div class="stack">
        <Heading title={refusal.title}>This rehearsal cannot be shown</Heading>
        <Card label="Problem">
          <ProblemCard refusal={refusal} retry={() => void enterAgain()} />
        </Card>
      </div>
    );
  }
  const found = pageAt(rehearsal, segments);
  if (!found) return <NoPage rehearsal={rehearsal ?? lastRehearsal()} />;
  return <LazyPage key={found.page.path} page={found.page} props={{ rehearsal: rehearsal ?? '', rest: found.rest, query }} />;
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
  if (component) return <component.of {...props} />;
  return refusal ? <ProblemCard refusal={refusal} retry={() => location.reload()} /> : <Skeleton rows={6} />;
}

const NoPage = ({ rehearsal }: { rehearsal: string }) => (
  <div class="stack">
    <Heading title="No page">This page does not exist</Heading>
    <Card label="Pages">
      <Empty title="These pages exist:">
        <p class="line">
          {pages
            .filter(({ under }) => under === undefined)
            .map((page) => (
              <a key={page.path} class="button" href={pageLink(page, rehearsal)}>
                {page.title}
              </a>
            ))}
        </p>
      </Empty>
    </Card>
  </div>
);
