import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** A list with fewer rows is drawn completely. */
const WHOLE = 120;
/** Rows are drawn anew when this many have been scrolled past. */
const STEP = 20;
/** Rows that are drawn. The frame of a long list shows fewer. */
const VISIBLE = 30;

interface RowWindowOptions {
  readonly count: number;
  /** Pixels from row to row. */
  readonly pitch: number;
  /** Index of the row that must be seen. */
  readonly selected: number;
}

/**
 * Which rows of a long list to draw: those in view, and some above and below.
 * @returns `isPart`: the frame scrolls, and shows a part of the rows, from the index `first` to before the index `end`
 */
export function useRowWindow(frame: RefObject<HTMLElement | null>, { count, pitch, selected }: RowWindowOptions) {
  // The first drawn rows include the row that must be visible, so that scrolling to it draws nothing again.
  const [top, setTop] = useState(() => stepOf(selected - VISIBLE / 2));
  const isPart = count > WHOLE;
  const onScroll = (): void => {
    if (frame.current) setTop(stepOf(frame.current.scrollTop / pitch));
  };
  useLayoutEffect(() => {
    const { current } = frame;
    if (!isPart || !current || selected < 0) return;
    const y = selected * pitch;
    const isSeen = y >= current.scrollTop && y + 3 * pitch <= current.scrollTop + current.clientHeight;
    if (isSeen) return;
    current.scrollTop = Math.max(0, y - current.clientHeight / 2);
    onScroll();
  }, [selected, isPart]);
  if (!isPart) return { isPart, first: 0, end: count, onScroll: () => {} };
  return { isPart, first: Math.max(0, top - STEP), end: Math.min(count, top + VISIBLE + 2 * STEP), onScroll };
}

const stepOf = (row: number): number => Math.max(0, Math.floor(row / STEP) * STEP);
