import { h } from 'preact';
import { apiTitle, applicationTitle, changedQuery, rehearsalLink, route, withQuery } from '../data/data.ts';
import type { Trace } from '../data/trace-feed.ts';
import { Badge, counted, duration, StatusBadge, wallTime } from '../kit/kit.ts';

/** Name, status and duration belong to the worst request, or the latest of several. */
export function TraceRow({ trace, rehearsal, isSelected }: { trace: Trace; rehearsal: string; isSelected: boolean }) {
  const { correlationId, api, application, status, requests } = trace;
  const { hop: _hop, view: _view, ...query } = changedQuery(route.value.query, {});
  return h(
    'li',
    {},
    h(
      'a',
      {
        href: withQuery(rehearsalLink(rehearsal, 'activity', correlationId), query),
        'data-row': '',
        'aria-current': isSelected ? 'true' : undefined,
      },
      h('span', { class: 'what' }, apiTitle(api), requests > 1 && h('span', { class: 'muted' }, ` +${requests - 1}`)),
      h('span', {}, h(StatusBadge, { status })),
      h(
        'span',
        { class: 'meta' },
        h('span', {}, wallTime(trace.startedAt)),
        h('span', {}, applicationTitle(application)),
        h('span', {}, duration(trace.durationMs)),
        trace.calls > 0 && h('span', {}, counted(trace.calls, 'call')),
        trace.events > 0 && h('span', {}, counted(trace.events, 'event')),
        trace.failed > (status >= 400 ? 1 : 0) && status < 400 && h(Badge, { tone: 'warn' }, `${trace.failed} failed inside`),
        trace.faults.map((fault) => h(Badge, { key: fault, tone: 'warn' }, '⚡ ', h('span', { class: 'clip' }, fault))),
      ),
    ),
  );
}
