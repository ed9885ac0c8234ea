import type { IconName, Page } from '../kit/kit.ts';

/** A page with the icon of its path. @param load its code, which is loaded when it is opened */
const page = (
  path: IconName | 'runs' | 'timelines' | 'play' | '',
  load: Page['load'],
  { icon = path as IconName, ...more }: Partial<Page>,
): Page => {
  const title = (path || icon).replace(/^./, (first) => first.toUpperCase());
  return { path, scope: 'rehearsal', title, icon, deepest: 1, load, ...more };
};

/** All pages, sorted as in the navigation. */
export const pages: readonly Page[] = [
  page('', async () => (await import('../overview/overview.tsx')).Overview, { icon: 'overview', key: 'o', bottom: true, deepest: 0 }),
  // `clock` and the number of a move, or a correlation id.
  page('activity', async () => (await import('../activity/activity.tsx')).Activity, { key: 'a', bottom: true, deepest: 2 }),
  page('events', async () => (await import('../events/events.tsx')).Events, { key: 'e' }),
  page('webhooks', async () => (await import('../webhooks/webhooks.tsx')).Webhooks, { key: 'w' }),
  page('objects', async () => (await import('../objects/objects.tsx')).Objects, { key: 'b', bottom: true, deepest: 2 }),
  page('timelines', async () => (await import('../timelines/timelines.tsx')).Timelines, { icon: 'objects', under: 'objects', deepest: 2 }),
  page('play', async () => (await import('../play/play.tsx')).Play, { icon: 'flows', under: 'objects', deepest: 2 }),
  page('stock', async () => (await import('../stock/stock.tsx')).Stock, { key: 's' }),
  page('flows', async () => (await import('../flows/flows.tsx')).Flows, { key: 'f', bottom: true, deepest: 0 }),
  page('runs', async () => (await import('../flows/run.tsx')).Run, { icon: 'flows', under: 'flows' }),
  page('faults', async () => (await import('../faults/faults.tsx')).Faults, { key: 'x', deepest: 0 }),
  page('invariants', async () => (await import('../invariants/invariants.tsx')).Invariants, { key: 'v', deepest: 0 }),
  page('systems', async () => (await import('../systems/systems.tsx')).Systems, { title: 'Your systems', key: 'y' }),
  page('rehearsals', async () => (await import('../rehearsals/rehearsals.tsx')).Rehearsals, { scope: 'estate', key: 'r' }),
  page('harden', async () => (await import('../harden/harden.tsx')).Harden, { scope: 'estate', key: 'h', deepest: 0 }),
  page('reference', async () => (await import('../reference/reference.tsx')).Reference, { scope: 'estate' }),
];

export function pageAt(rehearsal: string | undefined, segments: readonly string[]): { page: Page; rest: readonly string[] } | undefined {
  const scope = rehearsal === undefined ? 'estate' : 'rehearsal';
  const [path = '', ...rest] = segments;
  const found = pages.find((one) => one.scope === scope && one.path === path && rest.length <= one.deepest);
  return found && { page: found, rest };
}
