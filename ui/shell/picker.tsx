import { useSignal } from '@preact/signals';
import { drawn, enterAgain, isRehearsalName, type Output, rehearsalLink, route, trouble, useRead, useResource } from '../data/data.ts';
import { Dialog, Empty, Icon, Row, rehearsalTime, Unknown, wallTime } from '../kit/kit.ts';
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
          <div class="stack">
            {!trouble.value && <LazyTreasures name={rehearsal} />}
            <RehearsalList />
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** Their code is loaded when somebody opens the menu. */
function LazyTreasures({ name }: { name: string }) {
  const code = useResource('code of the rehearsal menu', () => import('../rehearsals/treasures.tsx'));
  return drawn(code, ({ Treasures }) => <Treasures key={name} name={name} />);
}

/** Links to all rehearsals, latest use first. They open the page that is shown, in the other rehearsal. */
function RehearsalList() {
  const listed = useRead('list-rehearsals');
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
            <ul class="rows">{shown.slice(0, 200).map(rowOf)}</ul>
            {shown.length === 0 && <Empty title="No rehearsal has this name." />}
          </>
        );
      })}
    </div>
  );
}

const rowOf = ({ name, now, lastUsedAt }: Output<'list-rehearsals'>['items'][number]) => {
  const [page] = route.value.segments;
  return (
    <Row
      key={name}
      href={page === undefined ? rehearsalLink(name) : rehearsalLink(name, page)}
      isCurrent={route.value.rehearsal === name}
      what={name}
      meta={[`${now === undefined ? '' : `clock ${rehearsalTime(now)} · `}used ${wallTime(lastUsedAt)}`]}
    />
  );
};

/** In place of the pages of a rehearsal that does not exist, or of its administration. */
export const UnknownRehearsal = ({ name }: { name: string }) => (
  <Unknown
    title="Unknown rehearsal"
    words="There is no rehearsal"
    id={name}
    why={
      <>
        It ended, it was deleted, or the name is wrong.
        {route.value.rehearsal !== undefined && isRehearsalName(name) && (
          <button type="button" onClick={() => void enterAgain()}>
            Look again
          </button>
        )}
        These exist:
      </>
    }
    card={
      <div class="in">
        <RehearsalList />
      </div>
    }
  />
);
