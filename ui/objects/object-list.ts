import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { control, drawn, held, type Output, rehearsalLink, setQuery, useReread, useResource, withQuery } from '../data/data.ts';
import { Badge, Empty, FilterField, Heading, OlderRows, rehearsalTime, shortId } from '../kit/kit.ts';
import { StateLinks, UnknownType } from './object-types.ts';

export type ListedObject = Output<'list-objects'>['items'][number];

const PAGE = 50;
/** Of rows in the document: 1,000. */
const MOST_PAGES = 20;

interface ObjectListProps {
  readonly rehearsal: string;
  readonly type: string;
  readonly query: URLSearchParams;
}

/** The objects of a type, newest first. Changes wait while the pointer or the focus is in the list. */
export function ObjectList({ rehearsal, type, query }: ObjectListProps) {
  const state = query.get('state') ?? undefined;
  const q = query.get('q') ?? undefined;
  const pages = useRef(1);
  const [isWaiting, setWaiting] = useState(false);
  const list = useRef<HTMLElement>(null);
  const read = useResource(JSON.stringify([rehearsal, type, state, q]), (signal) => readPages(type, { state, q }, pages.current, signal));
  useEffect(() => {
    pages.current = 1;
  }, [state, q]);
  const isInUse = (): boolean => held.peek() || list.current?.matches(':hover, :focus-within') === true;
  const show = (): void => {
    setWaiting(false);
    read.reload();
  };
  useReread(['hops', 'events', 'gap'], () => (isInUse() ? setWaiting(true) : show()));
  const showOlder = (): void => {
    pages.current += 1;
    show();
  };
  const leave = (): void => void setTimeout(() => isWaiting && !isInUse() && show());
  return drawn(read, ({ known, items, next }) => {
    const found = known.find((one) => one.type === type);
    if (!found) return h(UnknownType, { rehearsal, type });
    return h(
      'div',
      { class: 'stack' },
      h(
        'div',
        { class: 'title' },
        h(Heading, { title: `${type} of ${rehearsal}` }, type),
        h('a', { href: rehearsalLink(rehearsal, 'objects') }, '← All types'),
      ),
      h(
        'section',
        { ref: list, class: 'card', 'aria-label': `Objects of type ${type}`, onPointerLeave: leave, onFocusOut: leave },
        h(
          'div',
          { class: 'in stack-tight' },
          h(FilterField, { parameter: 'q', label: 'Filter: id or name', placeholder: 'Filter: id or name' }),
          h(
            'div',
            { class: 'line' },
            h(
              'a',
              {
                class: 'badge',
                href: withQuery(rehearsalLink(rehearsal, 'objects', type), { q }),
                'aria-current': state === undefined ? 'true' : undefined,
              },
              `all ${found.count.toLocaleString('en')}`,
            ),
            found.count > 0 && h(StateLinks, { rehearsal, type, states: found.states, selected: state, q }),
          ),
        ),
        isWaiting && h('p', { class: 'in' }, h('button', { type: 'button', class: 'primary', onClick: show }, 'Show changes')),
        h(ObjectRows, { rehearsal, type, items }),
        items.length === 0 && h(NoObject, { type, isFiltered: state !== undefined || q !== undefined }),
        h(OlderRows, { show: next !== undefined && pages.current < MOST_PAGES ? showOlder : undefined }),
      ),
    );
  });
}

/** The first pages of a list, with the types, whose counts stand above it. A type that does not exist has no pages, nor has a state that no object is in. */
async function readPages(type: string, filter: { state?: string; q?: string }, pages: number, signal: AbortSignal) {
  const { items: known } = await control('list-object-types', undefined, { signal });
  const items: ListedObject[] = [];
  let next: number | undefined;
  const isThere = known.some((one) => one.type === type && (filter.state === undefined || one.states[filter.state] !== undefined));
  for (let page = 0; page < pages && isThere; page += 1) {
    const answer = await control('list-objects', { params: { type }, query: { ...filter, before: next, limit: PAGE } }, { signal });
    items.push(...answer.items);
    next = answer.next;
    if (next === undefined) break;
  }
  return { known, items, next };
}

export const ObjectRows = ({ rehearsal, type, items }: { rehearsal: string; type: string; items: readonly ListedObject[] }) =>
  h(
    'ul',
    { class: 'rows' },
    items.map(({ id, label, state, updatedAt, version }) =>
      h(
        'li',
        { key: id },
        h(
          'a',
          { href: rehearsalLink(rehearsal, 'objects', type, id), 'data-row': '' },
          h('span', { class: 'what' }, label ?? shortId(id)),
          h('span', {}, state !== undefined && h(Badge, {}, state)),
          h(
            'span',
            { class: 'meta' },
            h('code', { class: 'clip' }, id),
            updatedAt !== undefined && h('span', {}, rehearsalTime(updatedAt)),
            h('span', {}, `version ${version}`),
          ),
        ),
      ),
    ),
  );

const NoObject = ({ type, isFiltered }: { type: string; isFiltered: boolean }) =>
  isFiltered
    ? h(
        Empty,
        { title: `No ${type} matches.` },
        h('button', { type: 'button', onClick: () => setQuery({ state: undefined, q: undefined }) }, 'Show all'),
      )
    : h(Empty, { title: `There is no ${type} yet.` }, h('p', { class: 'muted' }, 'Each one appears here when it is created.'));
