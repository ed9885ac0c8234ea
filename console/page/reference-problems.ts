import { h } from 'preact';
import { Badge, Card, Empty, StatusBadge } from './parts.ts';
import { readReferenceFacts } from './reference-facts.ts';
import { drawn, useResource } from './resource.ts';
import { route, setQuery } from './router.ts';

/** Every refusal of the estate. The filter is in the address. */
export function Problems() {
  const read = useResource('problems', readReferenceFacts);
  const q = route.value.query.get('q') ?? '';
  return drawn(read, ({ problems }) => {
    const words = q.toLowerCase();
    const found = problems.filter(({ code, status, title, apis }) =>
      [code, status, title, ...apis].join(' ').toLowerCase().includes(words),
    );
    return h(
      Card,
      { label: 'Problems' },
      h(
        'p',
        { class: 'in' },
        h('input', {
          type: 'search',
          'data-filter': '',
          'aria-label': 'Filter: code, status, API',
          placeholder: 'Filter: code, status, API   /',
          maxLength: 160,
          value: q,
          onInput: ({ currentTarget }) => setQuery({ q: currentTarget.value }),
        }),
      ),
      found.length === 0 &&
        h(Empty, { title: 'No problem matches.' }, h('button', { type: 'button', onClick: () => setQuery({ q: undefined }) }, 'Show all')),
      h(
        'ul',
        { class: 'facts' },
        found.map(({ code, status, title, retryable, common, apis }) =>
          h(
            'li',
            { key: code },
            h(
              'p',
              { class: 'line' },
              h(StatusBadge, { status }),
              h('strong', {}, title),
              h('code', { class: 'brk' }, code),
              retryable && h(Badge, {}, 'may succeed later'),
            ),
            h(
              'p',
              { class: 'muted' },
              common
                ? 'Every API may answer it.'
                : apis.length > 0
                  ? apis.join(', ')
                  : 'The gateway, an application or the simulation plane answers it.',
            ),
          ),
        ),
      ),
    );
  });
}
