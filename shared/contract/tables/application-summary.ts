import type { Application } from '../../catalog/applications.ts';
import { events } from '../../catalog/events.ts';
import { objects } from '../../catalog/objects.ts';
import { consumedBy } from '../../catalog/subscriptions.ts';
import { callsMadeBy, internals, markedName, publicApis, titleOf } from './known-calls.ts';
import { code, list, table } from './markdown.ts';

/** What an application answers, owns, emits and consumes, and whom it calls. */
export function applicationSummary(application: Application): string {
  const answered = publicApis.filter((api) => api.application === application);
  const internal = internals.filter((api) => api.application === application);
  const owned = objects.filter(({ owner }) => owner === application);
  const withStates = owned.filter(({ lifeCycle }) => lifeCycle !== undefined && lifeCycle.rows.length > 0);
  const emitted = events.filter(({ object }) => owned.some(({ type }) => type === object));
  const callees = [...new Set(callsMadeBy(application).map((api) => titleOf(api.application)))];
  const rows: readonly (readonly [string, string])[] = [
    ['[APIs](../../docs/reference/apis.md#public-apis)', list(answered.map(markedName))],
    [
      'Internal calls (callers)',
      list(internal.map(({ name, callers }) => (callers.length === 0 ? name : `${name} (${list(callers.map(titleOf))})`))),
    ],
    [
      '[Life cycles](../../docs/reference/life-cycles.md)',
      list(withStates.map(({ type }) => `[${type}](../../docs/reference/life-cycles.md#${type})`)),
    ],
    ['[Emits](../../docs/reference/events.md)', list(emitted.map(({ name }) => code(name)))],
    ['Consumes', list(consumedBy(application).map(({ name }) => code(name)))],
    ['[Called applications](../../docs/reference/flows.md#who-calls-whom)', list(callees)],
  ];
  return table(
    ['', ''],
    rows.filter(([, text]) => text !== list([])),
  );
}
