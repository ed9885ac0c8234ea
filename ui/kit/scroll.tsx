import type { ComponentChildren, Ref } from 'preact';

interface ScrollProps {
  readonly as?: 'div' | 'pre';
  readonly label: string;
  readonly class?: string | undefined;
  readonly frame?: Ref<HTMLDivElement>;
  readonly onScroll?: () => void;
  readonly children?: ComponentChildren;
}

/** Content that may be larger than its place. A keyboard scrolls only what has the focus, and what has the focus needs a name. */
export function Scroll({ as = 'div', label, frame, ...rest }: ScrollProps) {
  const Tag = as as 'div';
  return <Tag {...rest} ref={frame} tabIndex={0} role="group" aria-label={label} />;
}
