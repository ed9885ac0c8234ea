import { useSignal } from '@preact/signals';
import { drawn, enterAgain, isRehearsalName, type Output, rehearsalLink, route, useRead } from '../data/data.ts';
import { Empty, Row, rehearsalTime, Unknown, wallTime } from '../kit/kit.ts';
import { Treasures } from '../rehearsals/treasures.tsx';

/**
 * Links to all rehearsals, latest use first. They open the page that is shown, in the other rehearsal. @param of the rehearsal that is shown,
 * with what it offers
 */
export function RehearsalList({ of }: { of: string | undefined }) {
  const listed = useRead('list-rehearsals');
  const filter = useSignal('');
  return (
    <div class="stack">
      {of !== undefined && <Treasures key={of} name={of} />}
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

/** A rehearsal that does not exist, and those that exist. */
export const NoRehearsal = ({ name }: { name: string }) => (
  <Unknown
    title="Unknown rehearsal"
    words="There is no rehearsal"
    id={name}
    why={
      <>
        It ended, it was deleted, or the name is wrong.{' '}
        {route.value.rehearsal !== undefined && isRehearsalName(name) && (
          <button type="button" onClick={() => void enterAgain()}>
            Look again
          </button>
        )}{' '}
        These exist:
      </>
    }
    card={
      <div class="in">
        <RehearsalList of={undefined} />
      </div>
    }
  />
);
