import { h } from 'preact';
import { Card, CopyButton, inWords } from '../kit/kit.ts';
import { magicValues } from './catalog.ts';

/** What of the initial world is made for rehearsing. */
export const MagicValues = () =>
  magicValues.map(({ title, rows }) =>
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
  );
