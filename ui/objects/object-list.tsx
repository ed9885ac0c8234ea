import { useEffect, useRef, useState } from 'preact/hooks';
import { control, drawn, held, type Output, rehearsalLink, setQuery, useReread, useResource, withQuery } from '../data/data.ts';
import { Badge, Empty, FilterField, Heading, OlderRows, rehearsalTime, shortId } from '../kit/kit.ts';
import { StateLinks, UnknownType } from './object-types.tsx';

export type ListedObject = Output<'list-objects'>['items'][number];

const PAGE = 50;
/** Limits the rows in the DOM to 1,000. */
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
    if (!found) return <UnknownType rehearsal={rehearsal} type={type} />;
    return (
      <div class="stack">
        <div class="title">
          <Heading title={type}>{type}</Heading>
          <a href={rehearsalLink(rehearsal, 'objects')}>← All types</a>
        </div>
        <section ref={list} class="card" aria-label={`Objects of type ${type}`} onPointerLeave={leave} onFocusOut={leave}>
          <div class="in stack-tight">
            <FilterField parameter="q" label="Filter: id, number, customer, e-mail or SKU" placeholder="Filter: id, customer, SKU" />
            <div class="line">
              <a
                class="badge"
                href={withQuery(rehearsalLink(rehearsal, 'objects', type), { q })}
                aria-current={state === undefined ? 'true' : undefined}
              >
                all {found.count.toLocaleString('en')}
              </a>
              {found.count > 0 && <StateLinks rehearsal={rehearsal} type={type} states={found.states} selected={state} q={q} />}
            </div>
          </div>
          {isWaiting && (
            <p class="in">
              <button type="button" class="primary" onClick={show}>
                Show changes
              </button>
            </p>
          )}
          <ObjectRows rehearsal={rehearsal} type={type} items={items} />
          {items.length === 0 && <NoObject type={type} isFiltered={state !== undefined || q !== undefined} />}
          <OlderRows show={next !== undefined && pages.current < MOST_PAGES ? showOlder : undefined} />
        </section>
      </div>
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

/** A label or a column with names in place of ids and SKUs. */
const namedIn = (text: string, names: Readonly<Record<string, string>>): string =>
  text
    .split(/(: |, )/)
    .map((part) => names[part] ?? part)
    .join('');

export const ObjectRows = ({ rehearsal, type, items }: { rehearsal: string; type: string; items: readonly ListedObject[] }) => (
  <ul class="rows">
    {items.map(({ id, label, columns, names = {}, state, updatedAt, version }) => (
      <li key={id}>
        <a href={rehearsalLink(rehearsal, 'objects', type, id)} data-row="">
          <span class="what">{label === undefined ? shortId(id) : namedIn(label, names)}</span>
          <span>{state !== undefined && <Badge>{state}</Badge>}</span>
          <span class="meta">
            {Object.entries(columns).map(([heading, text]) => (
              <span key={heading} class="clip" title={heading}>
                {namedIn(text, names)}
              </span>
            ))}
            <code class="clip">{id}</code>
            {updatedAt !== undefined && <span>{rehearsalTime(updatedAt)}</span>}
            <span>version {version}</span>
          </span>
        </a>
      </li>
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
