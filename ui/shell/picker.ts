import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { control, drawn, type Output, rehearsalLink, route, useResource } from '../data/data.ts';
import { Dialog, Empty, Icon, rehearsalTime, wallTime } from '../kit/kit.ts';

/** Names the rehearsal, and opens the list of all. */
export function Picker({ rehearsal }: { rehearsal: string }) {
  const open = useSignal(false);
  return h(
    'div',
    { class: 'set' },
    h(
      'button',
      {
        type: 'button',
        class: 'pick',
        'aria-haspopup': 'dialog',
        'aria-label': `${rehearsal}, change the rehearsal`,
        onClick: () => (open.value = true),
      },
      h(Icon, { name: 'rehearsals' }),
      h('span', {}, rehearsal),
      h('span', { 'aria-hidden': 'true' }, '▾'),
    ),
    open.value &&
      h(
        Dialog,
        { title: 'Rehearsals', onClose: () => (open.value = false) },
        h(
          'div',
          { onClick: ({ target }: Event) => (open.value = !(target instanceof Element && target.closest('a'))) },
          h(RehearsalList, {}),
        ),
      ),
  );
}

/** Links to all rehearsals, latest use first. They open the page that is shown, in the other rehearsal. */
export function RehearsalList() {
  const listed = useResource('rehearsals', (signal) => control('list-rehearsals', undefined, { signal }));
  const filter = useSignal('');
  return h(
    'div',
    { class: 'stack' },
    drawn(listed, ({ items }) => {
      const shown = items
        .filter(({ name }) => name.includes(filter.value.toLowerCase()))
        .sort((one, other) => other.lastUsedAt.localeCompare(one.lastUsedAt));
      return [
        items.length > 8 &&
          h('input', {
            type: 'search',
            'aria-label': 'Filter rehearsals',
            placeholder: 'Filter by name',
            onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => (filter.value = currentTarget.value),
          }),
        h('ul', { class: 'rows' }, shown.slice(0, 200).map(Row)),
        shown.length === 0 && h(Empty, { title: 'No rehearsal has this name.' }),
      ];
    }),
  );
}

const Row = ({ name, now, lastUsedAt }: Output<'list-rehearsals'>['items'][number]) => {
  const [page] = route.value.segments;
  return h(
    'li',
    { key: name },
    h(
      'a',
      {
        href: page === undefined ? rehearsalLink(name) : rehearsalLink(name, page),
        'aria-current': route.value.rehearsal === name ? 'true' : undefined,
      },
      h('span', { class: 'what' }, name),
      h(
        'span',
        { class: 'meta' },
        now !== undefined && `clock ${rehearsalTime(now)} · `,
        `used ${lastUsedAt.slice(0, 10)} ${wallTime(lastUsedAt)}`,
      ),
    ),
  );
};
