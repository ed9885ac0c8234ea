import { h } from 'preact';
import { apiTitle, type Output, rehearsalLink } from '../data/data.ts';
import { Badge, duration, Empty, rehearsalTime, StatusBadge, wallTime } from '../kit/kit.ts';
import { type LifeCycle, verbOf } from '../life-cycle/life-cycle-graph.ts';
import type { Change } from './object-history.ts';

interface ObjectHistoryProps {
  readonly rehearsal: string;
  readonly type: string;
  readonly lifeCycle: LifeCycle | undefined;
  readonly history: readonly Change[];
}

/** The changes of an object, each with its event and its trace. */
export function ObjectHistory({ rehearsal, type, lifeCycle, history }: ObjectHistoryProps) {
  if (history.length === 0) {
    return h(
      Empty,
      { title: 'No event is about it.' },
      h('p', { class: 'muted' }, `This ${type} was there when the rehearsal began, or its changes have no events.`),
    );
  }
  return h(
    'ol',
    { class: 'history' },
    history.map((change) => {
      const { eventId, name, at, version, correlationId, from, to, reason } = change;
      const verb = lifeCycle && verbOf(lifeCycle, change);
      return h(
        'li',
        { key: eventId },
        h(
          'p',
          { class: 'line' },
          to !== undefined && from !== to ? h(Badge, { tone: 'good' }, to) : h(Badge, {}, to ?? `version ${version}`),
          verb !== undefined && h('strong', {}, verb),
          h('span', { class: 'muted' }, rehearsalTime(at)),
          reason !== undefined && h('span', { class: 'brk' }, `because: ${reason}`),
        ),
        h(
          'p',
          { class: 'line' },
          h('a', { class: 'event-text brk', href: rehearsalLink(rehearsal, 'events', eventId) }, name),
          correlationId !== undefined &&
            h('a', { class: 'brk', href: rehearsalLink(rehearsal, 'activity', correlationId) }, `trace ${correlationId}`),
        ),
      );
    }),
  );
}

type Trace = Output<'list-traces'>['items'][number];

export const ObjectTraces = ({ rehearsal, type, traces }: { rehearsal: string; type: string; traces: readonly Trace[] }) =>
  traces.length === 0
    ? h(Empty, { title: `No trace has changed this ${type}.` })
    : h(
        'ul',
        { class: 'rows' },
        traces.map(({ correlationId, api, status, startedAt, durationMs }) =>
          h(
            'li',
            { key: correlationId },
            h(
              'a',
              { href: rehearsalLink(rehearsal, 'activity', correlationId), 'data-row': '' },
              h('span', { class: 'what' }, apiTitle(api)),
              h('span', {}, h(StatusBadge, { status })),
              h(
                'span',
                { class: 'meta' },
                h('span', {}, wallTime(startedAt)),
                h('span', {}, duration(durationMs)),
                h('code', { class: 'clip' }, correlationId),
              ),
            ),
          ),
        ),
      );
