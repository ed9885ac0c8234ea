import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { held } from '../data/live.ts';
import { useNextFocus } from './next-focus.ts';

export interface ListInUse {
  readonly list: RefObject<HTMLElement | null>;
  /** Somebody points into the list, or the focus is on a row of it. */
  readonly isInUse: () => boolean;
  /** For the list: shows what waits when nobody uses it any more. */
  readonly onLeave: (showWaiting: () => void) => () => void;
}

/** Whether a list is in use: new rows then wait. Its filter and the button of the new rows belong to it. */
export function useListInUse(): ListInUse {
  const list = useRef<HTMLElement>(null);
  const isInUse = (): boolean => {
    const { current } = list;
    return current !== null && (current.matches(':hover') || current.querySelector('nav')?.contains(document.activeElement) === true);
  };
  // The focus is nowhere while it moves on.
  const onLeave = (showWaiting: () => void) => (): void => {
    if (!held.peek()) setTimeout(() => !isInUse() && showWaiting());
  };
  return { list, isInUse, onLeave };
}

interface WaitingRowsProps {
  readonly shown: number | undefined;
  readonly waiting: number;
  readonly show: () => void;
}

/** How many rows are shown, and the button for those that wait. It has its room whether or not rows wait: nothing moves. */
export function WaitingRows({ shown, waiting, show }: WaitingRowsProps) {
  const line = useNextFocus<HTMLParagraphElement>((list) => list.querySelector<HTMLElement>('[data-row]'));
  return (
    <p ref={line} class="waiting">
      <span class="muted">{shown !== undefined && shown > 0 && `${shown.toLocaleString('en')} shown, newest first`}</span>
      {waiting > 0 && (
        <button type="button" class="primary" onClick={show}>
          {waiting} new
        </button>
      )}
    </p>
  );
}

/** The button for older rows, below the rows. When there are no more, the first of those that came last has the focus. */
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
