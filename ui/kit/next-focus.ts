import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * For a part whose button may disappear while it has the focus. The focus then moves to the next element instead of the page.
 * @param next finds that element @param around the parent of the part
 */
export function useNextFocus<Part extends HTMLElement>(next: (around: Element) => HTMLElement | null | undefined): RefObject<Part | null> {
  const part = useRef<Part>(null);
  // The part still looks as before. After a click nothing gets the focus: a focused row would make new rows wait.
  const around = part.current?.querySelector(':focus-visible') ? part.current.parentElement : null;
  useLayoutEffect(() => {
    if (around && document.activeElement === document.body) next(around)?.focus();
  });
  return part;
}
