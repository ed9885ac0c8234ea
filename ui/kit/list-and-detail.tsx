import type { ComponentChildren } from 'preact';
import { navigate } from '../data/router.ts';
import type { Chosen } from './chosen.ts';
import { useKeys } from './keyboard.ts';
import css from './list.module.css';
import { useListPlace } from './list-place.ts';
import { Beside, Empty, Heading } from './parts.tsx';

interface ListAndDetailProps {
  readonly name: string;
  readonly about: string;
  /** Link to the list: another filter has other rows. */
  readonly link: string;
  /** Words of the link back. */
  readonly back: string;
  readonly chosen: Chosen;
  /** Whether the list is a table. It needs the whole width, so the item is below it. */
  readonly isTable?: boolean;
  readonly list: ComponentChildren;
  readonly detail: ComponentChildren;
  /** Shown while the list has no item: what its detail would show. */
  readonly invitation?: readonly [title: string, words: string];
}

/**
 * A page with a list, and beside or below it the item that is open, or else the first one. A narrow window shows the list, or the open item. Escape
 * leads back to the list.
 */
export function ListAndDetail(props: ListAndDetailProps) {
  const { name, about, link, back, chosen, isTable = false, list, detail, invitation } = props;
  const { isOpened: isOpen, key } = chosen;
  const place = useListPlace(link, isOpen ? key : undefined);
  useKeys({ Escape: () => isOpen && navigate(link) });
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
      <div class={`${css.columns} ${isTable ? css.withTable : ''}`} {...place}>
        {list}
        {key !== undefined ? (
          <article class="card">
            <Beside.Provider value={!isOpen}>{detail}</Beside.Provider>
          </article>
        ) : (
          invitation && (
            <section class="card wide">
              <Empty title={invitation[0]}>
                <p class="muted">{invitation[1]}</p>
              </Empty>
            </section>
          )
        )}
      </div>
    </div>
  );
}
