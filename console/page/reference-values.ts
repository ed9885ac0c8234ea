import { h } from 'preact';
import { Card, CopyButton } from './parts.ts';
import { readReferenceFacts } from './reference-facts.ts';
import { drawn, useResource } from './resource.ts';

/** What of the initial world is made for rehearsing. */
export function MagicValues() {
  const read = useResource('values', readReferenceFacts);
  return drawn(read, ({ values: groups }) =>
    groups.map(({ title, rows }) =>
      h(
        Card,
        { key: title, title },
        h(
          'ul',
          { class: 'facts' },
          rows.map(({ values, also, use }) =>
            h(
              'li',
              { key: use },
              h(
                'p',
                { class: 'line' },
                values.map((value) => h(CopyButton, { key: value, what: value, text: () => value }, h('code', { class: 'brk' }, value))),
                also,
              ),
              h('p', { class: 'muted' }, inWords(use)),
            ),
          ),
        ),
      ),
    ),
  );
}

/** Backquotes mark code. */
const inWords = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? h('code', { key: index, class: 'brk' }, part) : part));
