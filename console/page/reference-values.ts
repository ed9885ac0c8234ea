import { h } from 'preact';
import { Card, CopyButton } from './parts.ts';
import { readReferenceFacts } from './reference-facts.ts';
import { drawn, useResource } from './resource.ts';
import { inWords } from './words.ts';

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
          { class: 'entries' },
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
