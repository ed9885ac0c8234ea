import type { ComponentChildren, Ref } from 'preact';

interface ScrollProps {
  readonly as?: 'div' | 'pre';
  readonly label: string;
  readonly class?: string | undefined;
  readonly frame?: Ref<HTMLDivElement>;
  readonly onScroll?: () => void;
  readonly children?: ComponentChildren;
}

/** Content that may be larger than its frame. The frame takes the focus, so that a keyboard can scroll it, and therefore has a name. */
export function Scroll({ as = 'div', label, frame, ...rest }: ScrollProps) {
  const Tag = as as 'div';
  return <Tag {...rest} ref={frame} tabIndex={0} role="group" aria-label={label} />;
}

interface TableProps extends Pick<ScrollProps, 'label' | 'class' | 'children'> {
  readonly heads: readonly string[];
  /** The columns with numbers, whose cells have the class `number`. */
  readonly numbers?: readonly string[];
  /** The column that a narrow window has no room for, whose cells have the class `wide`. */
  readonly wide?: string;
}

/** A table that may be wider than its place. */
export const Table = ({ label, class: name, heads, numbers = [], wide, children }: TableProps) => (
  <Scroll class={`table ${name ?? ''}`} label={label}>
    <table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col" class={numbers.includes(head) ? 'number' : head === wide ? 'wide' : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </Scroll>
);
