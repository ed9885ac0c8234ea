import { useSignal } from '@preact/signals';
import { control, drawn, type Output, rehearsalLink, route, useResource } from '../data/data.ts';
import { Dialog, Empty, Icon, rehearsalTime, wallTime } from '../kit/kit.ts';
import css from './shell.module.css';

/** Names the rehearsal, and opens the list of all. */
export function Picker({ rehearsal }: { rehearsal: string }) {
  const open = useSignal(false);
  return (
    <div class={css.set}>
      <button
        type="button"
        class={css.pick}
        aria-haspopup="dialog"
        aria-label={`${rehearsal}, change the rehearsal`}
        onClick={() => (open.value = true)}
      >
        <Icon name="rehearsals" />
        <span>{rehearsal}</span>
        <span aria-hidden="true">▾</span>
      </button>
      {open.value && (
        <Dialog title="Rehearsals" onClose={() => (open.value = false)}>
          <RehearsalList />
        </Dialog>
      )}
    </div>
  );
}

/** Links to all rehearsals, latest use first. They open the page that is shown, in the other rehearsal. */
export function RehearsalList() {
  const listed = useResource('rehearsals', (signal) => control('list-rehearsals', undefined, { signal }));
  const filter = useSignal('');
  return (
    <div class="stack">
      {drawn(listed, ({ items }) => {
        const shown = items
          .filter(({ name }) => name.includes(filter.value.toLowerCase()))
          .sort((one, other) => other.lastUsedAt.localeCompare(one.lastUsedAt));
        return (
          <>
            {items.length > 8 && (
              <input
                type="search"
                aria-label="Filter rehearsals"
                placeholder="Filter by name"
                onInput={({ currentTarget }: { currentTarget: HTMLInputElement }) => (filter.value = currentTarget.value)}
              />
            )}
            <ul class="rows">{shown.slice(0, 200).map(Row)}</ul>
            {shown.length === 0 && <Empty title="No rehearsal has this name." />}
          </>
        );
      })}
    </div>
  );
}

const Row = ({ name, now, lastUsedAt }: Output<'list-rehearsals'>['items'][number]) => {
  const [page] = route.value.segments;
  return (
    <li key={name}>
      <a
        href={page === undefined ? rehearsalLink(name) : rehearsalLink(name, page)}
        aria-current={route.value.rehearsal === name ? 'true' : undefined}
      >
        <span class="what">{name}</span>
        <span class="meta">
          {now !== undefined && `clock ${rehearsalTime(now)} · `}used {wallTime(lastUsedAt)}
        </span>
      </a>
    </li>
  );
};
