import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { GrowingList } from '../data/growing-list.ts';
import { held } from '../data/live.ts';
import css from './list.module.css';
import { useNextFocus } from './next-focus.ts';
import { ProblemCard, Skeleton } from './parts.tsx';

/** Whether a list is in use: new rows then wait. Its filter and the button of the new rows belong to it. */
export function useListInUse() {
  const list = useRef<HTMLElement>(null);
  /** Somebody points into the list, or the focus is on a row of it. */
  const isInUse = (): boolean => {
    const { current } = list;
    return current !== null && (current.matches(':hover') || current.querySelector('nav')?.contains(document.activeElement) === true);
  };
  return { list, isInUse };
}

interface GrowingRowsProps {
  readonly use: ReturnType<typeof useListInUse>;
  readonly label: string;
  /** Their rows. The first feed has the older ones. */
  readonly feeds: readonly [GrowingList<unknown>, ...GrowingList<unknown>[]];
  readonly class?: string;
  /** How the rows are sorted. */
  readonly order?: string;
  readonly filters?: ComponentChildren;
  readonly rows: ComponentChildren;
  /** In place of rows. */
  readonly empty: ComponentChildren;
  /** Below the oldest row. */
  readonly end?: ComponentChildren;
}

/** A list whose new rows wait while it is in use: filters, rows, and the buttons for new and older ones. */
export function GrowingRows({
  use: { list, isInUse },
  label,
  feeds,
  class: name = '',
  order = 'newest first',
  filters,
  rows,
  empty,
  end,
}: GrowingRowsProps) {
  const [feed] = feeds;
  const showWaiting = (): void => {
    for (const each of feeds) each.showWaiting();
  };
  // Between two elements, the focus is on no element.
  const leave = (): void => {
    if (!held.peek()) setTimeout(() => !isInUse() && showWaiting());
  };
  return (
    <section ref={list} class={`${css.list} ${name}`} aria-label={label} onPointerLeave={leave} onFocusOut={leave}>
      {filters}
      <WaitingRows
        order={order}
        shown={feed.items?.length}
        waiting={feeds.reduce((sum, { waiting }) => sum + waiting, 0)}
        show={showWaiting}
      />
      {!feed.items && !feed.refusal && feed.slow && <Skeleton rows={8} />}
      {feed.refusal && <ProblemCard refusal={feed.refusal} retry={feed.reload} />}
      <div class={css.scrolls}>
        <nav aria-label={`${label}, newest first`}>{rows}</nav>
        {feed.items && feeds.every(({ items }) => !items?.length) && empty}
        <OlderRows show={feed.showOlder} />
        {!feed.showOlder && end}
      </div>
    </section>
  );
}

interface WaitingRowsProps {
  readonly order: string;
  readonly shown: number | undefined;
  readonly waiting: number;
  readonly show: () => void;
}

/** The number of shown rows, and the button for waiting rows. Its space is always reserved, so that no row moves. */
function WaitingRows({ order, shown, waiting, show }: WaitingRowsProps) {
  const line = useNextFocus<HTMLParagraphElement>((list) => list.querySelector<HTMLElement>('[data-row]'));
  return (
    <p ref={line} class={css.waiting}>
      <span class="muted">{shown !== undefined && shown > 0 && `${shown.toLocaleString('en')} shown, ${order}`}</span>
      {waiting > 0 && (
        <button type="button" class="primary" onClick={show}>
          {waiting} new
        </button>
      )}
    </p>
  );
}

/** The button for older rows, below the rows. After the last page, the button is gone, and the first row of that page gets the focus. */
export function OlderRows({ show }: { show: (() => void) | undefined }) {
  const before = useRef(0);
  const rowsOf = (around: Element | null | undefined) => [...(around?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  const line = useNextFocus<HTMLParagraphElement>((around) => {
    const rows = rowsOf(around);
    return rows[before.current] ?? rows.at(-1);
  });
  if (!show) return null;
  const press = (): void => {
    before.current = rowsOf(line.current?.parentElement).length;
    show();
  };
  return (
    <p ref={line} class="in">
      <button type="button" onClick={press}>
        Show older
      </button>
    </p>
  );
}
