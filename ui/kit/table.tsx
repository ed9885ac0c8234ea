import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { StateKind } from '../../shared/catalog/state-kinds.ts';
import { withQuery } from '../data/route.ts';
import { path, route, setQuery } from '../data/router.ts';
import { useKeys } from './keyboard.ts';
import { Glyph, State, URGENCY } from './state.tsx';
import { say } from './status-line.tsx';
import css from './table.module.css';

/** A value of a row. A number is aligned at its right; a state has a colour and a shape. */
export interface Cell {
  readonly text: string;
  readonly kind?: StateKind | undefined;
  /** In place of the text. */
  readonly shown?: ComponentChildren;
  /** Sorts in place of the text. */
  readonly sortsAs?: string | number;
}

export interface TableColumn<Item> {
  /** The heading, and the name in the address. */
  readonly name: string;
  readonly kind: 'text' | 'number' | 'state' | 'time' | 'action';
  /** Undefined for an empty cell. */
  readonly of: (item: Item) => Cell | undefined;
  /** Shown only when the address names it. */
  readonly isFurther?: boolean;
  /** Where there is little room, it is the only number that is shown. Default: the first one. */
  readonly isMain?: boolean;
}

interface RowTableProps<Item> {
  readonly label: string;
  /** Heading of the first column, which links to the item. */
  readonly heading: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  readonly href: (item: Item) => string;
  readonly name: (item: Item) => Cell;
  readonly columns: readonly TableColumn<Item>[];
  /** The kind of its state, as a shape before the name. */
  readonly kindOf?: (item: Item) => Cell | undefined;
  readonly isCurrent?: (item: Item) => boolean;
  /** What the foot shows of the row under the pointer or the focus: its id and version. `c` copies the id. */
  readonly facts?: (item: Item) => { readonly id: string; readonly more?: string };
  /** Whether the columns can be sorted by. The order without a choice is the order of the items. */
  readonly canSort?: boolean;
  /** Most rows kept in the DOM. */
  readonly most?: number;
}

/** The column that the address sorts by: `?sort=total`, downwards `?sort=-total`. */
export function sortOf(query: URLSearchParams): { readonly name: string; readonly isDown: boolean } | undefined {
  const sort = query.get('sort');
  if (sort === null) return undefined;
  return sort.startsWith('-') ? { name: sort.slice(1), isDown: true } : { name: sort, isDown: false };
}

const COLLATOR = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compare(one: Cell | undefined, other: Cell | undefined): number {
  const [a, b] = [one?.sortsAs ?? one?.text, other?.sortsAs ?? other?.text];
  // Empty cells come last in both directions.
  if (a === undefined || b === undefined) return 0;
  return typeof a === 'number' && typeof b === 'number' ? a - b : COLLATOR.compare(String(a), String(b));
}

function sorted<Item>(items: readonly Item[], query: URLSearchParams, columns: readonly TableColumn<Item>[]): readonly Item[] {
  const sort = sortOf(query);
  const column = columns.find(({ name }) => name === sort?.name);
  if (!sort || !column) return items;
  const cells = items.map((item) => ({ item, cell: column.of(item) }));
  const given = cells.filter(({ cell }) => cell !== undefined);
  const inOrder = given.toSorted((one, other) => (sort.isDown ? -1 : 1) * compare(one.cell, other.cell));
  return [...inOrder, ...cells.filter(({ cell }) => cell === undefined)].map(({ item }) => item);
}

/** The columns that the address names; without it, all but the further ones. */
export function columnsIn<Item>(query: URLSearchParams, columns: readonly TableColumn<Item>[]): readonly TableColumn<Item>[] {
  const named = query.get('columns')?.split(',');
  return named ? columns.filter(({ name }) => named.includes(name)) : columns.filter(({ isFurther }) => !isFurther);
}

/** A column that no row has a value for takes no room, unless the address names it. */
const filled = <Item,>(columns: readonly TableColumn<Item>[], items: readonly Item[], query: URLSearchParams) =>
  query.has('columns') ? columns : columns.filter((column) => items.some((item) => column.of(item) !== undefined));

/**
 * A table whose rows are links: one line of 32 px each, and two lines where there is little room. `j` and `k` move, `Enter` opens. The
 * address keeps its columns and its order.
 */
export function RowTable<Item>(props: RowTableProps<Item>) {
  const { label, heading, items, keyOf, href, name, kindOf, isCurrent, facts, canSort = false, most } = props;
  const { query } = route.value;
  const whole: readonly TableColumn<Item>[] = [{ name: heading, kind: 'text', of: name }, ...props.columns];
  const columns = filled(columnsIn(query, props.columns), items, query);
  const all = (canSort ? sorted(items, query, whole) : items).slice(0, most);
  const { end, drawn } = useDrawn(all.length, query.toString());
  const shown = all.slice(0, drawn);
  const texts = columns.filter(({ kind }) => kind === 'text');
  const hasAction = columns.some(({ kind }) => kind === 'action');
  const amount = hasAction
    ? undefined
    : (columns.find(({ isMain }) => isMain) ??
      columns.find(({ kind }) => kind === 'number') ??
      columns.find(({ kind }) => kind === 'time'));
  // Without a state, a time takes its place.
  const time = columns.some(({ kind }) => kind === 'state') ? undefined : columns.find((one) => one.kind === 'time' && one !== amount);
  const places = new Map<TableColumn<Item> | undefined, string>([
    ...(amount ? [[amount, css['amount'] ?? ''] as const] : []),
    ...(time ? [[time, css['urgent'] ?? ''] as const] : []),
    [texts[0], css['lead'] ?? ''],
    [texts[1], css['rest'] ?? ''],
  ]);
  const inHand = useSignal<Item | undefined>(undefined);
  const body = useRef<HTMLTableSectionElement>(null);
  const pick = (event: Event): void => {
    const row = event.target instanceof Element ? event.target.closest('tr') : null;
    const place = row ? [...(body.current?.rows ?? [])].indexOf(row) : -1;
    if (place >= 0) inHand.value = shown[place];
  };
  return (
    <div class={css['table']}>
      <table aria-label={label} style={{ '--text': `${Math.min(25, 75 / texts.length)}%` }}>
        <thead>
          <tr>{[whole[0], ...columns].map((column) => column && <Head key={column.name} column={column} canSort={canSort} />)}</tr>
        </thead>
        <tbody ref={body} onFocusCapture={facts && pick} onPointerOver={facts && pick}>
          {shown.map((item) => {
            const kind = kindOf?.(item);
            const { text, shown: words = text } = name(item);
            const cells = columns.map((column) => ({ column, cell: column.of(item) }));
            const [urgent] = cells
              .filter(({ column, cell }) => column.kind === 'state' && cell)
              .toSorted((one, other) => urgencyOf(other.cell) - urgencyOf(one.cell));
            return (
              <tr key={keyOf(item)} data-kind={kind?.kind} data-current={isCurrent?.(item) ? '' : undefined}>
                <th scope="row">
                  {kind && (
                    <span title={kind.text}>
                      <Glyph kind={kind.kind} />
                      <span class="unseen">{kind.text}: </span>
                    </span>
                  )}
                  <a data-row="" class="clip" href={href(item)} title={text} aria-current={isCurrent?.(item) ? 'true' : undefined}>
                    {words}
                  </a>
                </th>
                {cells.map(({ column, cell }) => (
                  <td
                    key={column.name}
                    class={`${css[column.kind]} ${column === urgent?.column ? css['urgent'] : (places.get(column) ?? '')}`}
                  >
                    {cell && <Value kind={column.kind} cell={cell} />}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <span ref={end} />
      {facts && <Foot facts={() => inHand.value && facts(inHand.value)} />}
    </div>
  );
}

/** Rows that a table draws first, and again each time its end comes near: sorting a thousand rows must not hold the page. */
const DRAWN = 100;

/** @param list another list begins with the first rows */
function useDrawn(count: number, list: string) {
  const end = useRef<HTMLSpanElement>(null);
  const [more, setMore] = useState({ list, drawn: DRAWN });
  const drawn = more.list === list ? more.drawn : DRAWN;
  useEffect(() => {
    const { current } = end;
    if (!current || drawn >= count) return undefined;
    const near = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setMore({ list, drawn: drawn + DRAWN });
      },
      { rootMargin: '1000px' },
    );
    near.observe(current);
    return () => near.disconnect();
  }, [count, drawn, list]);
  return { end, drawn };
}

const urgencyOf = (cell: Cell | undefined): number => (cell?.kind === undefined ? -1 : URGENCY[cell.kind]);

const AMOUNT = /^(-?[\d.,]+) ([A-Z]{3})$/;

function Value({ kind, cell: { text, kind: state, shown } }: { kind: TableColumn<never>['kind']; cell: Cell }) {
  if (shown !== undefined) return <>{shown}</>;
  if (kind === 'state') return <State kind={state}>{text}</State>;
  const [, figure, currency] = (kind === 'number' && AMOUNT.exec(text)) || [];
  if (figure === undefined) return <span title={kind === 'text' ? text : undefined}>{text}</span>;
  return (
    <span class={Number(figure) === 0 ? 'muted' : undefined}>
      {figure} <small>{currency}</small>
    </span>
  );
}

/** A heading. It sorts upwards, then downwards, then not. */
function Head<Item>({ column: { name, kind }, canSort }: { column: TableColumn<Item>; canSort: boolean }) {
  const sort = sortOf(route.value.query);
  const direction = sort?.name !== name ? undefined : sort.isDown ? 'descending' : 'ascending';
  const next = direction === 'ascending' ? `-${name}` : direction === 'descending' ? undefined : name;
  return (
    <th scope="col" class={css[kind]} aria-sort={direction}>
      {canSort ? (
        <button type="button" onClick={() => setQuery({ sort: next })}>
          {name}
          <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : direction === 'descending' ? ' ↓' : ''}</span>
        </button>
      ) : (
        name
      )}
    </th>
  );
}

/** The id and version of the row in hand, and the keys. */
function Foot({ facts }: { facts: () => { readonly id: string; readonly more?: string } | undefined }) {
  const shown = useComputed(facts).value;
  useKeys({
    c: () => {
      const id = facts()?.id;
      if (id === undefined) return say('Move to a row first: j and k.');
      void navigator.clipboard.writeText(id).then(
        () => say('Id copied'),
        () => say(`The browser does not copy here: ${id}`),
      );
    },
  });
  return (
    <p class={`${css['foot']} muted wide`} aria-hidden="true">
      <span class="clip">
        {shown && (
          <>
            <code>{shown.id}</code> {shown.more}
          </>
        )}
      </span>
      <span>
        <kbd>j</kbd> <kbd>k</kbd> move <kbd>Enter</kbd> open <kbd>c</kbd> copy id <kbd>/</kbd> find
      </span>
    </p>
  );
}

/** The choice of columns, which the address keeps. */
export function ColumnChoice<Item>({ columns }: { columns: readonly TableColumn<Item>[] }) {
  const { query } = route.value;
  const chosen = columnsIn(query, columns);
  const isUsual = query.get('columns') === null;
  const choose = (column: TableColumn<Item>, isShown: boolean): void => {
    const next = columns.filter((one) => (one === column ? isShown : chosen.includes(one)));
    const isDefault = columns.every((one) => next.includes(one) === !one.isFurther);
    setQuery({ columns: isDefault ? undefined : next.map(({ name }) => name).join(',') || 'none' });
  };
  return (
    <details class={css['choice']}>
      <summary>Columns</summary>
      <fieldset>
        <legend class="unseen">Columns</legend>
        {columns.map((column) => (
          <label key={column.name} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(column)}
              onChange={({ currentTarget }: { currentTarget: HTMLInputElement }) => choose(column, currentTarget.checked)}
            />{' '}
            {column.name}
          </label>
        ))}
        {!isUsual && (
          <button type="button" class="quiet" onClick={() => setQuery({ columns: undefined })}>
            As usual
          </button>
        )}
      </fieldset>
    </details>
  );
}

/** A link to this page with another filter. Columns and order stay. */
export function filterLink(changes: Readonly<Record<string, string | undefined>>): string {
  return withQuery(path.value, { ...Object.fromEntries(route.value.query), ...changes });
}
