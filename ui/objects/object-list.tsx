import { useState } from 'preact/hooks';
import { control, linkHere, type Output, setQuery, withQuery } from '../data/data.ts';
import { useGrowingList } from '../data/growing-list.ts';
import { Badge, Empty, FilterField, GrowingRows, PageHead, Row, rehearsalTime, shortId, useListInUse } from '../kit/kit.ts';
import { type ObjectType, StateLinks, UnknownType } from './object-types.tsx';
import { manyOf } from './words.ts';

type ListedObject = Output<'list-objects'>['items'][number];

const PAGE = 50;

/** The objects of a type, newest first. Changes are shown where they stand; new objects wait while the list is in use. */
export function ObjectList({ type, query }: { type: string; query: URLSearchParams }) {
  const state = query.get('state') ?? undefined;
  const q = query.get('q') ?? undefined;
  const use = useListInUse();
  const [counted, setCounted] = useState<{ readonly of: ObjectType | undefined }>();
  const feed = useGrowingList<ListedObject>({
    key: JSON.stringify([type, state, q]),
    read: async (before, signal) => {
      const { items } = await control('list-object-types', undefined, { signal });
      const found = items.find((one) => one.type === type);
      setCounted({ of: found });
      // The estate refuses a type or a state that does not exist.
      if (!found || (state !== undefined && found.states[state] === undefined)) return { items: [] };
      return control('list-objects', { params: { type }, query: { state, q, before, limit: PAGE } }, { signal });
    },
    keyOf: ({ id }) => id,
    placeOf: ({ order }) => order,
    changes: true,
    follows: ['hops', 'events'],
    isInUse: use.isInUse,
  });
  if (counted && !counted.of) return <UnknownType type={type} />;
  const { count = 0, states = {} } = counted?.of ?? {};
  const filters = (
    <div class="in stack-tight">
      <FilterField
        parameter="q"
        label="Filter: id, number, customer, e-mail, SKU or amount"
        placeholder="Filter: id, customer, SKU, amount"
      />
      <div class="line">
        <a class="badge" href={withQuery(linkHere('objects', type), { q })} aria-current={state === undefined ? 'true' : undefined}>
          all {count.toLocaleString('en')}
        </a>
        {count > 0 && <StateLinks type={type} states={states} selected={state} q={q} />}
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
        feeds={[feed]}
        filters={filters}
        rows={<ObjectRows type={type} items={feed.items ?? []} />}
        empty={<NoObject type={type} isFiltered={state !== undefined || q !== undefined} />}
      />
    </div>
  );
}

/** A label or a column with names in place of ids and SKUs. */
const namedIn = (text: string, names: Readonly<Record<string, string>>): string =>
  text
    .split(/(: |, )/)
    .map((part) => names[part] ?? part)
    .join('');

/** Columns with several amounts. Their headings are shown too: only one of three amounts is captured. */
const AMOUNT = /^[\d.]+ [A-Z]{3}$/;

export const ObjectRows = ({ type, items }: { type: string; items: readonly ListedObject[] }) => (
  <ul class="rows">
    {items.map(({ id, label, columns, names = {}, state, updatedAt, version }) => (
      <Row
        key={id}
        href={linkHere('objects', type, id)}
        what={label === undefined ? shortId(id) : namedIn(label, names)}
        badge={state !== undefined && <Badge>{state}</Badge>}
        meta={[
          ...Object.entries(columns).map(([heading, text]) => (
            <span key={heading} class="clip" title={heading}>
              {AMOUNT.test(text) && `${heading} `}
              {namedIn(text, names)}
            </span>
          )),
          <code class="clip">{id}</code>,
          updatedAt !== undefined && rehearsalTime(updatedAt),
          `version ${version}`,
        ]}
      />
    ))}
  </ul>
);

const NoObject = ({ type, isFiltered }: { type: string; isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title={`No ${type} matches.`}>
      <button type="button" onClick={() => setQuery({ state: undefined, q: undefined })}>
        Show all
      </button>
    </Empty>
  ) : (
    <Empty title={`There is no ${type} yet.`}>
      <p class="muted">Each one appears here when it is created.</p>
    </Empty>
  );
