import { useLayoutEffect, useRef } from 'preact/hooks';
import { path, takeFocusDue } from '../data/router.ts';

/**
 * Keeps the scroll position of a list while one of its items is open. Back in the list, the row of that item has the focus.
 * @param list link to the list: another filter has other rows @returns attributes of the element around the list
 */
export function useListPlace(list: string, opened: string | undefined) {
  const frame = useRef<HTMLDivElement>(null);
  const top = useRef(0);
  const at = path.value;
  const before = useRef({ list, opened, at });
  useLayoutEffect(() => {
    const left = before.current;
    before.current = { list, opened, at };
    if (opened !== undefined || left.opened === undefined || left.list !== list) return;
    const rows = frame.current?.querySelectorAll<HTMLAnchorElement>('a[data-row]') ?? [];
    const row = [...rows].find(({ pathname }) => pathname === left.at);
    if (!row || !takeFocusDue()) return;
    window.scrollTo(0, top.current);
    row.focus();
  }, [list, opened]);
  // The router scrolls to the top when it follows the link.
  const onClickCapture = (): void => {
    if (opened === undefined) top.current = window.scrollY;
  };
  return { ref: frame, onClickCapture };
}
