import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { control, drawn, linkHere, type Output, route, setQuery, useRead, useResource } from '../data/data.ts';
import { useGrowingList } from '../data/growing-list.ts';
import { Choice, Empty, FilterField, GrowingRows, PageHead, useListInUse } from '../kit/kit.ts';
import { Glyph } from '../kit/state.tsx';
import { ColumnChoice, columnsIn, filterLink, RowTable, sortOf } from '../kit/table.tsx';
import { tables } from './catalog.ts';
import { columnsOf, type ListedObject, nameCell } from './columns.ts';
import { type ObjectType, UnknownType } from './object-types.tsx';
import css from './objects.module.css';
import { kindOf } from './state-badge.tsx';
import { manyOf, oneOf } from './words.ts';

const PAGE = 50;
const NEWEST = 8;
/** The largest page of the operation. */
const LARGE_PAGE = 200;
/** A sorted list sorts the newest objects, at most this many. */
const MOST_SORTED = 1_000;
/** The filter by the store where goods are collected. */
const STORE = 'collectAt';

/** The objects of a type, newest first. Changes are shown where they stand; new objects wait while the list is in use. */
export function ObjectList({ type, query }: { type: string; query: URLSearchParams }) {
  const state = query.get('state') ?? undefined;
  const q = query.get('q') ?? undefined;
  const { progress = {} } = tables[type] ?? {};
  const isCollected = progress['collection'] !== undefined;
  const filters = [...Object.keys(progress), ...(isCollected ? [STORE] : [])];
  const chosen = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? undefined]));
  const sort = sortOf(query);
  const isSorted = sort !== undefined;
  const use = useListInUse();
  const stores = useStores(isCollected);
  const [counted, setCounted] = useState<{ readonly of: ObjectType | undefined }>();
  const feed = useGrowingList<ListedObject>({
    key: JSON.stringify([type, state, q, chosen, isSorted]),
    read: async (before, signal) => {
      const { items } = await control('list-object-types', undefined, { signal });
      const found = items.find((one) => one.type === type);
      setCounted({ of: found });
      // The estate refuses a type, a state or a filter that does not exist.
      if (!found || (state !== undefined && found.states[state] === undefined)) return { items: [] };
      const isUnknown = ([name, value]: [string, string | undefined]) =>
        name !== STORE && value !== undefined && progress[name]?.[value] === undefined;
      if (Object.entries(chosen).some(isUnknown)) return { items: [] };
      const filter = { state, q, ...chosen };
      const page = (from: number | undefined, limit: number) =>
        control('list-objects', { params: { type }, query: { ...filter, before: from, limit } }, { signal });
      if (!isSorted || before !== undefined) return page(before, PAGE);
      const all: ListedObject[] = [];
      let next: number | undefined;
      do {
        const answer = await page(next, LARGE_PAGE);
        all.push(...answer.items);
        next = answer.next;
      } while (next !== undefined && all.length < MOST_SORTED);
      return { items: all, next };
    },
    keyOf: ({ id }) => id,
    placeOf: ({ order }) => order,
    changes: true,
    follows: ['hops', 'events'],
    isInUse: use.isInUse,
  });
  if (counted && !counted.of) return <UnknownType type={type} />;
  const { count = 0, states = {} } = counted?.of ?? {};
  const columns = columnsOf(type);
  const isFiltered = state !== undefined || q !== undefined || Object.values(chosen).some((value) => value !== undefined);
  const filterFields = (
    <div class="in stack-tight">
      <div class={css['find']}>
        <FilterField
          parameter="q"
          label="Filter: id, number, customer, e-mail, SKU or amount"
          placeholder="Filter: id, customer, SKU, amount"
        />
        {Object.entries(progress).map(([name, kinds]) => (
          <Choice
            key={name}
            attributes={{ 'aria-label': oneOf(name) }}
            value={chosen[name] ?? ''}
            choices={[['', `${name}: any`], ...Object.keys(kinds).map((value) => [value, `${name}: ${value}`] as const)]}
            onChange={(value) => setQuery({ [name]: value || undefined })}
          />
        ))}
        {isCollected && (
          <Choice
            attributes={{ 'aria-label': 'Collected at' }}
            value={chosen[STORE] ?? ''}
            choices={[['', 'store: any'], ...stores.map(({ id, name }) => [id, `store: ${name}`] as const)]}
            onChange={(value) => setQuery({ [STORE]: value || undefined })}
          />
        )}
        <ColumnChoice columns={columns} />
      </div>
      <div class={css['chips']}>
        <Chip href={filterLink({ state: undefined })} isSelected={state === undefined}>
          all {count.toLocaleString('en')}
        </Chip>
        {Object.entries(states).map(([one, number]) => (
          <Chip key={one} href={filterLink({ state: one })} isSelected={one === state}>
            <Glyph kind={kindOf(type, one)} /> {one} {number.toLocaleString('en')}
          </Chip>
        ))}
      </div>
    </div>
  );
  return (
    <div class="stack">
      <PageHead title={manyOf(type)} back={[linkHere('objects'), 'All types']} />
      <GrowingRows
        use={use}
        label={manyOf(type)}
        class="card"
        order={sort && `by ${sort.name}${sort.isDown ? ', downwards' : ''}`}
        feeds={[feed]}
        filters={filterFields}
        rows={feed.items && feed.items.length > 0 && <ObjectTable type={type} items={feed.items} canSort />}
        empty={<NoObject type={type} isFiltered={isFiltered} />}
      />
    </div>
  );
}

/** The stores of the rehearsal, in lists of objects that are collected. */
function useStores(isWanted: boolean): Output<'list-names'>['locations'] {
  const read = async (signal: AbortSignal) => (isWanted ? (await control('list-names', undefined, { signal })).locations : []);
  const names = useResource(`stores ${isWanted}`, read);
  return (names.value ?? []).filter(({ type }) => type === 'store');
}

const Chip = ({ href, isSelected, children }: { href: string; isSelected: boolean; children: ComponentChildren }) => (
  <a class="badge" href={href} aria-current={isSelected ? 'true' : undefined}>
    {children}
  </a>
);

interface ObjectTableProps {
  readonly type: string;
  readonly items: readonly ListedObject[];
  readonly canSort?: boolean;
  /** The page that a row opens. */
  readonly page?: 'objects' | 'timelines' | 'play';
}

export const ObjectTable = ({ type, items, canSort = false, page = 'objects' }: ObjectTableProps) => {
  const columns = columnsOf(type);
  const hasStateColumn = columnsIn(route.value.query, columns).some(({ name }) => name === 'state');
  return (
    <RowTable
      label={manyOf(type)}
      heading={oneOf(type).toLowerCase()}
      items={items}
      keyOf={({ id }) => id}
      href={({ id }) => linkHere(page, type, id)}
      name={nameCell}
      columns={columns}
      kindOf={({ state }) => (state === undefined || hasStateColumn ? undefined : { text: state, kind: kindOf(type, state) })}
      facts={({ id, version }) => ({ id, more: `version ${version}` })}
      canSort={canSort}
    />
  );
};

/** In place of the timeline or the story of an object that does not exist: the newest objects that have one. */
export const NewestObjects = ({ type, page }: Required<Pick<ObjectTableProps, 'type' | 'page'>>) =>
  drawn(useRead('list-objects', { params: { type }, query: { limit: NEWEST } }), ({ items }) =>
    items.length === 0 ? <NoObject type={type} isFiltered={false} /> : <ObjectTable type={type} items={items} page={page} />,
  );

const NoObject = ({ type, isFiltered }: { type: string; isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title={`No ${type} matches.`}>
      <button
        type="button"
        onClick={() =>
          setQuery({ state: undefined, q: undefined, payment: undefined, goods: undefined, collection: undefined, [STORE]: undefined })
        }
      >
        Show all
      </button>
    </Empty>
  ) : (
    <Empty title={`There is no ${type} yet.`}>
      <p class="muted">Each one appears here when it is created.</p>
    </Empty>
  );
