import { h, type RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { held } from './live.ts';

export interface ListInUse {
  readonly list: RefObject<HTMLElement | null>;
  /** Somebody points into the list, or the focus is on a row of it. */
  readonly isInUse: () => boolean;
  /** For the list: shows what waits when nobody uses it any more. */
  readonly onLeave: (showWaiting: () => void) => () => void;
}

/** Whether somebody uses a list: new rows wait meanwhile. Pointing at its filter or at the button of the new rows counts. */
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
export const WaitingRows = ({ shown, waiting, show }: WaitingRowsProps) =>
  h(
    'p',
    { class: 'waiting' },
    h('span', { class: 'muted' }, shown !== undefined && shown > 0 && `${shown.toLocaleString('en')} shown, newest first`),
    waiting > 0 && h('button', { type: 'button', class: 'primary', onClick: show }, `${waiting} new`),
  );
