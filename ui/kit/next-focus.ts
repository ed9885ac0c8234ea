import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * For a part whose button may go away while it has the focus, which would fall to the page. It goes to the next element instead.
 * @param next finds that element @param around the parent of the part
 */
export function useNextFocus<Part extends HTMLElement>(next: (around: Element) => HTMLElement | null | undefined): RefObject<Part | null> {
  const part = useRef<Part>(null);
  // Still as it was drawn before. A pointer needs no focus, and a row that has it would let new ones wait.
  const around = part.current?.querySelector(':focus-visible') ? part.current.parentElement : null;
  useLayoutEffect(() => {
    if (around && document.activeElement === document.body) next(around)?.focus();
  });
  return part;
}
