import type { Page } from './page.ts';

/** All pages, in the order of the navigation. The code of a page is loaded when it is opened. */
export const pages: readonly Page[] = [
  {
    path: 'activity',
    scope: 'rehearsal',
    title: 'Activity',
    icon: 'activity',
    key: 'a',
    bottom: true,
    deepest: 1,
    load: async () => (await import('./activity.ts')).Activity,
  },
  {
    path: 'events',
    scope: 'rehearsal',
    title: 'Events',
    icon: 'events',
    key: 'e',
    deepest: 1,
    load: async () => (await import('./events.ts')).Events,
  },
  {
    path: 'reference',
    scope: 'estate',
    title: 'Reference',
    icon: 'reference',
    deepest: 1,
    load: async () => (await import('./reference.ts')).Reference,
  },
];

export function pageAt(rehearsal: string | undefined, segments: readonly string[]): { page: Page; rest: readonly string[] } | undefined {
  const scope = rehearsal === undefined ? 'estate' : 'rehearsal';
  const [path = '', ...rest] = segments;
  const page = pages.find((one) => one.scope === scope && one.path === path && rest.length <= one.deepest);
  return page && { page, rest };
}
