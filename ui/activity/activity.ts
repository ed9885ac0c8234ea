import './activity.css';
import { h } from 'preact';
import { drawn, navigate, rehearsalLink, useResource, withQuery } from '../data/data.ts';
import { Empty, Heading, useKeys, useListPlace } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import type { TraceProps } from './trace.ts';
import { TraceList } from './trace-list.ts';

/** What happened in a rehearsal: the traces, and beside them the one that is selected. */
export function Activity({ rehearsal, rest: [correlationId], query }: PageProps) {
  const { hop: _hop, view: _view, ...filter } = Object.fromEntries(query);
  const list = withQuery(rehearsalLink(rehearsal, 'activity'), filter);
  const place = useListPlace(list, correlationId);
  useKeys({ Escape: () => correlationId !== undefined && navigate(list) });
  return h(
    'div',
    { class: correlationId === undefined ? 'stack' : 'stack with-detail' },
    h(
      'div',
      { class: 'title' },
      correlationId === undefined ? h(Heading, { title: `Activity of ${rehearsal}` }, 'Activity') : h('p', { class: 'as-h1' }, 'Activity'),
      correlationId !== undefined && h('a', { class: 'button below', href: list }, '← All traces'),
      h('p', { class: 'muted wide' }, 'Every request, event and timer of this rehearsal, newest first'),
    ),
    h(
      'div',
      { class: 'acts', ...place },
      h(TraceList, { rehearsal, selected: correlationId }),
      correlationId !== undefined
        ? h(OpenTrace, { rehearsal, correlationId, query })
        : h(
            'section',
            { class: 'card wide' },
            h(
              Empty,
              { title: 'Select a trace.' },
              h('p', { class: 'muted' }, 'It shows who called whom, when, and why a call was slow or failed.'),
            ),
          ),
    ),
  );
}

/** The list needs none of the code that draws a trace. */
function OpenTrace(props: TraceProps) {
  const code = useResource('code of a trace', () => import('./trace.ts'));
  // A browser keeps the failure of a module until the page is loaded again.
  const again = () => location.reload();
  return drawn({ ...code, reload: again }, ({ Trace }) => h(Trace, { key: props.correlationId, ...props }));
}
