import type { Application } from '../../catalog/applications.ts';
import { events } from '../../catalog/events.ts';
import { objects } from '../../catalog/objects.ts';
import { consumedBy } from '../../catalog/subscriptions.ts';
import { topicOfEvent } from './events.ts';
import { callsMadeBy, internals, markedName, publicApis, titleOf } from './known-calls.ts';
import { code, list, table } from './markdown.ts';

/** The APIs, calls and events of one application, for its README. */
export function applicationSummary(application: Application): string {
  const own = publicApis.filter((api) => api.application === application);
  const inside = internals.filter((api) => api.application === application);
  const owned = objects.filter(({ owner }) => owner === application);
  const emitted = events.filter(({ object }) => owned.some(({ type }) => type === object));
  return [
    table(
      ['API', 'Method and path', 'Answers with', 'Refuses with, besides the common problems'],
      own.map((api) => [markedName(api), code(`${api.method} ${api.path}`), String(api.status), list(api.problems.map(code))]),
    ),
    section('Calls from inside the estate', inside, ['Call', 'Method and path', 'Callers'], (api) => [
      api.name,
      code(`${api.method} ${api.path}`),
      list(api.callers.map(titleOf)),
    ]),
    section('Events', emitted, ['Emits', 'On topic', 'Meaning'], (event) => [code(event.name), code(topicOfEvent(event)), event.meaning]),
    section('Subscriptions', consumedBy(application), ['Event', 'Mode', 'Purpose'], (event) => {
      const subscription = event.subscribers?.find((candidate) => candidate.application === application);
      return [code(event.name), subscription?.mode ?? '', subscription?.purpose ?? ''];
    }),
    section('Calls to other applications', callsMadeBy(application), ['Application', 'Call', 'Method and path'], (api) => [
      titleOf(api.application),
      api.name,
      code(`${api.method} ${api.path}`),
    ]),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function section<T>(title: string, items: readonly T[], head: readonly string[], row: (item: T) => readonly string[]): string {
  return items.length === 0 ? '' : `### ${title}\n\n${table(head, items.map(row))}`;
}
