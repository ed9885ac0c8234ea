import type { Application } from '../../catalog/applications.ts';
import type { ObjectDefinition } from '../../catalog/define-object.ts';
import { events } from '../../catalog/events.ts';
import { objects } from '../../catalog/objects.ts';
import { consumedBy } from '../../catalog/subscriptions.ts';
import { topicOfEvent } from './events.ts';
import { callsMadeBy, internals, markedName, publicApis, titleOf } from './known-calls.ts';
import { code, list, table } from './markdown.ts';

/** What callers of an application need: its APIs, the states of its objects, its events. */
export function applicationSummary(application: Application): string {
  const own = publicApis.filter((api) => api.application === application);
  const owned = objects.filter(({ owner }) => owner === application);
  const emitted = events.filter(({ object }) => owned.some(({ type }) => type === object));
  return joined([
    table(
      ['API', 'Method and path', 'Answers with', 'Refuses with, besides the common problems'],
      own.map((api) => [markedName(api), code(`${api.method} ${api.path}`), String(api.status), list(api.problems.map(code))]),
    ),
    section('States', owned.filter(hasStates), ['Object', 'States', 'Moves'], ({ type, lifeCycle }) => [
      code(type),
      list((lifeCycle?.states ?? []).map(code)),
      `[life cycle](../../docs/reference/life-cycles.md#${type})`,
    ]),
    section('Events', emitted, ['Emits', 'On topic', 'Meaning'], (event) => [code(event.name), code(topicOfEvent(event)), event.meaning]),
  ]);
}

/** The parts for maintainers of an application: internal calls to it, its subscriptions, and its calls to others. */
export function applicationNeighbours(application: Application): string {
  const inside = internals.filter((api) => api.application === application);
  return joined([
    section('Calls from inside the estate', inside, ['Call', 'Method and path', 'Callers'], (api) => [
      api.name,
      code(`${api.method} ${api.path}`),
      list(api.callers.map(titleOf)),
    ]),
    section('Subscriptions', consumedBy(application), ['Event', 'Purpose'], (event) => {
      const subscription = event.subscribers?.find((candidate) => candidate.application === application);
      return [code(event.name), subscription?.purpose ?? ''];
    }),
    section('Calls to other applications', callsMadeBy(application), ['Application', 'Call', 'Method and path'], (api) => [
      titleOf(api.application),
      api.name,
      code(`${api.method} ${api.path}`),
    ]),
  ]);
}

const hasStates = ({ lifeCycle }: ObjectDefinition): boolean => lifeCycle !== undefined && lifeCycle.rows.length > 0;

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');

function section<T>(title: string, items: readonly T[], head: readonly string[], row: (item: T) => readonly string[]): string {
  return items.length === 0 ? '' : `### ${title}\n\n${table(head, items.map(row))}`;
}
