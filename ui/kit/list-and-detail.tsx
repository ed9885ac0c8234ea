import type { ComponentChildren } from 'preact';
import { navigate } from '../data/router.ts';
import { useKeys } from './keyboard.ts';
import css from './list.module.css';
import { useListPlace } from './list-place.ts';
import { Empty, Heading } from './parts.tsx';

interface ListAndDetailProps {
  readonly name: string;
  readonly about: string;
  /** Link to the list: another filter has other rows. */
  readonly link: string;
  /** Words of the link back. */
  readonly back: string;
  /** The item that the address names. */
  readonly opened: string | undefined;
  readonly list: ComponentChildren;
  readonly detail: ComponentChildren;
  /** Shown while no item is open: what its detail would show. */
  readonly invitation: readonly [title: string, words: string];
}

/** A page with a list, and beside it the item that is open. A narrow window shows one of them. Escape leads back to the list. */
export function ListAndDetail(props: ListAndDetailProps) {
  const { name, about, link, back, opened, list, detail, invitation } = props;
  const isOpen = opened !== undefined;
  const place = useListPlace(link, opened);
  useKeys({ Escape: () => isOpen && navigate(link) });
  const [title, words] = invitation;
  return (
    <div class={`stack ${isOpen ? css.isOpen : ''}`}>
      <div class="title">
        {isOpen ? <p class="as-h1">{name}</p> : <Heading title={name}>{name}</Heading>}
        {isOpen && (
          <a class="button below" href={link}>
            ← {back}
          </a>
        )}
        <p class="muted wide">{about}</p>
      </div>
      <div class={css.columns} {...place}>
        {list}
        {isOpen ? (
          <article class="card">{detail}</article>
        ) : (
          <section class="card wide">
            <Empty title={title}>
              <p class="muted">{words}</p>
            </Empty>
          </section>
        )}
      </div>
    </div>
  );
}
