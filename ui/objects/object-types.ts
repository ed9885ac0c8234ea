import { type ComponentChildren, h } from 'preact';
import { applicationTitle, control, drawn, type Output, rehearsalLink, useReread, useResource, withQuery } from '../data/data.ts';
import { Badge, Card, Heading } from '../kit/kit.ts';

export type ObjectType = Output<'list-object-types'>['items'][number];

export function ObjectTypes({ rehearsal }: { rehearsal: string }) {
  return h(
    'div',
    { class: 'stack' },
    h(
      'div',
      { class: 'title' },
      h(Heading, { title: `Objects of ${rehearsal}` }, 'Objects'),
      h('p', { class: 'muted' }, 'Every business object of this rehearsal, by type and state'),
    ),
    h(Card, { label: 'Types' }, h(TypeList, { rehearsal })),
  );
}

/** The type is unknown; these exist. */
export const UnknownType = ({ rehearsal, type }: { rehearsal: string; type: string }): ComponentChildren =>
  h(
    'div',
    { class: 'stack' },
    h(Heading, { title: 'Unknown type' }, 'There are no objects of type ', h('code', { class: 'brk' }, type)),
    h('p', { class: 'muted' }, 'These types exist:'),
    h(Card, { label: 'Types' }, h(TypeList, { rehearsal })),
  );

function TypeList({ rehearsal }: { rehearsal: string }) {
  const types = useResource(`types of ${rehearsal}`, (signal) => control('list-object-types', undefined, { signal }));
  useReread(['hops', 'events', 'gap'], types.reload);
  return drawn(types, ({ items }) =>
    h(
      'ul',
      { class: 'types' },
      items.map((type) => h(TypeRow, { key: type.type, rehearsal, ...type })),
    ),
  );
}

const TypeRow = ({ rehearsal, type, owner, count, states }: ObjectType & { rehearsal: string }) =>
  h(
    'li',
    {},
    h(
      'p',
      {},
      h('a', { href: rehearsalLink(rehearsal, 'objects', type), 'data-row': '' }, h('strong', {}, type), ` ${count.toLocaleString('en')}`),
      h('span', { class: 'muted' }, ` in ${applicationTitle(owner)}`),
    ),
    count > 0 && h(StateLinks, { rehearsal, type, states }),
  );

/** A link for each state that an object is in. @param selected the state that the list shows */
export const StateLinks = ({
  rehearsal,
  type,
  states,
  selected,
  q,
}: {
  rehearsal: string;
  type: string;
  states: ObjectType['states'];
  selected?: string;
  q?: string;
}) => {
  const link = rehearsalLink(rehearsal, 'objects', type);
  return h(
    'p',
    { class: 'line' },
    Object.keys(states).length === 0 && h(Badge, {}, 'no states'),
    Object.entries(states).map(([state, count]) =>
      h(
        'a',
        { key: state, class: 'badge', href: withQuery(link, { state, q }), 'aria-current': state === selected ? 'true' : undefined },
        `${state} ${count.toLocaleString('en')}`,
      ),
    ),
  );
};
