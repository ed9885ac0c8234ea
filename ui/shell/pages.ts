import type { Page } from './page.ts';

/** All pages, sorted as in the navigation. The code of a page is loaded when it is opened. */
export const pages: readonly Page[] = [
  {
    path: '',
    scope: 'rehearsal',
    title: 'Overview',
    icon: 'overview',
    key: 'o',
    bottom: true,
    deepest: 0,
    load: async () => (await import('../overview/overview.tsx')).Overview,
  },
  {
    path: 'activity',
    scope: 'rehearsal',
    title: 'Activity',
    icon: 'activity',
    key: 'a',
    bottom: true,
    // `clock` and the number of a move, or a correlation id.
    deepest: 2,
    load: async () => (await import('../activity/activity.tsx')).Activity,
  },
  {
    path: 'events',
    scope: 'rehearsal',
    title: 'Events',
    icon: 'events',
    key: 'e',
    deepest: 1,
    load: async () => (await import('../events/events.tsx')).Events,
  },
  {
    path: 'webhooks',
    scope: 'rehearsal',
    title: 'Webhooks',
    icon: 'webhooks',
    key: 'w',
    deepest: 1,
    load: async () => (await import('../webhooks/webhooks.tsx')).Webhooks,
  },
  {
    path: 'objects',
    scope: 'rehearsal',
    title: 'Objects',
    icon: 'objects',
    key: 'b',
    bottom: true,
    deepest: 2,
    load: async () => (await import('../objects/objects.tsx')).Objects,
  },
  {
    path: 'stock',
    scope: 'rehearsal',
    title: 'Stock',
    icon: 'stock',
    key: 's',
    deepest: 1,
    load: async () => (await import('../stock/stock.tsx')).Stock,
  },
  {
    path: 'flows',
    scope: 'rehearsal',
    title: 'Flows',
    icon: 'flows',
    key: 'f',
    bottom: true,
    deepest: 0,
    load: async () => (await import('../flows/flows.tsx')).Flows,
  },
  {
    path: 'runs',
    scope: 'rehearsal',
    title: 'Runs',
    icon: 'flows',
    under: 'flows',
    deepest: 1,
    load: async () => (await import('../flows/run.tsx')).Run,
  },
  {
    path: 'faults',
    scope: 'rehearsal',
    title: 'Faults',
    icon: 'faults',
    key: 'x',
    deepest: 0,
    load: async () => (await import('../faults/faults.tsx')).Faults,
  },
  {
    path: 'rehearsals',
    scope: 'estate',
    title: 'Rehearsals',
    icon: 'rehearsals',
    key: 'r',
    deepest: 1,
    load: async () => (await import('../rehearsals/rehearsals.tsx')).Rehearsals,
  },
  {
    path: 'reference',
    scope: 'estate',
    title: 'Reference',
    icon: 'reference',
    deepest: 1,
    load: async () => (await import('../reference/reference.tsx')).Reference,
  },
];

export function pageAt(rehearsal: string | undefined, segments: readonly string[]): { page: Page; rest: readonly string[] } | undefined {
  const scope = rehearsal === undefined ? 'estate' : 'rehearsal';
  const [path = '', ...rest] = segments;
  const page = pages.find((one) => one.scope === scope && one.path === path && rest.length <= one.deepest);
  return page && { page, rest };
}
