import { useSignal } from '@preact/signals';
import { drawn, estateLink, type Output, rehearsalLink, useRead } from '../data/data.ts';
import { Card, counted, PageHead, type PageProps, Refresh, rehearsalTime } from '../kit/kit.ts';
import { CreatedCard, type CreatedRehearsal } from './created-card.tsx';
import { RehearsalDetail } from './rehearsal-detail.tsx';
import { RehearsalForm } from './rehearsal-form.tsx';
import { useOf } from './rehearsal-times.ts';
import css from './rehearsals.module.css';
import { SnapshotsCard } from './snapshots-card.tsx';

/** Most rows kept in the DOM, and rows that a list begins with. */
const MOST_ROWS = 500;
const FEW_ROWS = 20;

/** All rehearsals of the estate, or one of them in detail. */
export const Rehearsals = ({ rest: [name] }: PageProps) =>
  name === undefined ? <RehearsalsList /> : <RehearsalDetail key={name} name={name} />;

function RehearsalsList() {
  const listed = useRead('list-rehearsals');
  const filter = useSignal('');
  const most = useSignal(FEW_ROWS);
  const created = useSignal<CreatedRehearsal | undefined>(undefined);
  const show = (one: CreatedRehearsal): void => {
    created.value = one;
    listed.reload();
  };
  return (
    <div class="stack">
      <PageHead title="Rehearsals" about="Each is a separate world: data, clock, faults, events.">
        <a class="button below" href="#rehearsal-name">
          New rehearsal
        </a>
      </PageHead>
      <div class="over">
        <Card title={listed.value ? counted(listed.value.items.length, 'rehearsal') : 'All'} aside={<Refresh {...listed} />}>
          {drawn(listed, ({ items }) => {
            const shown = items
              .filter(({ name }) => name.includes(filter.value.trim().toLowerCase()))
              .toSorted((one, other) => other.lastUsedAt.localeCompare(one.lastUsedAt));
            return (
              <>
                <div class="in">
                  <input
                    type="search"
                    data-filter=""
                    aria-label="Filter by name"
                    placeholder="Filter by name   /"
                    value={filter.value}
                    onInput={({ currentTarget }: { currentTarget: HTMLInputElement }) => (filter.value = currentTarget.value)}
                  />
                </div>
                <ul class={`items ${css.rehearsals}`}>
                  {shown.slice(0, most.value).map((one) => (
                    <RehearsalRow key={one.name} one={one} />
                  ))}
                </ul>
                {shown.length > FEW_ROWS && most.value === FEW_ROWS && (
                  <p class="in">
                    <button type="button" onClick={() => (most.value = MOST_ROWS)}>
                      Show all {shown.length}
                    </button>
                  </p>
                )}
                {shown.length === 0 && <p class="in muted">No rehearsal has this name.</p>}
              </>
            );
          })}
        </Card>
        <div class="stack">
          {created.value && <CreatedCard created={created.value} />}
          <RehearsalForm onCreated={show} />
          <SnapshotsCard onOpened={show} />
        </div>
      </div>
    </div>
  );
}

const RehearsalRow = ({ one }: { one: Output<'list-rehearsals'>['items'][number] }) => (
  <li>
    <a class={`${css.what} brk`} href={rehearsalLink(one.name)} data-row="">
      {one.name}
    </a>
    <a class="button" href={estateLink('rehearsals', one.name)}>
      Manage<span class="unseen"> {one.name}</span>
    </a>
    <p class="muted small">{useOf(one)}</p>
    <p class="muted small">{one.trouble ?? contentsOf(one)}</p>
  </li>
);

function contentsOf({ contents, now }: Output<'list-rehearsals'>['items'][number]): string {
  const clock = now === undefined ? [] : [`clock ${rehearsalTime(now)}`];
  if (!contents) return clock.join('');
  const { objects, events, journal, bytes } = contents;
  return [
    ...clock,
    counted(objects, 'object'),
    counted(events, 'event'),
    counted(journal, 'hop'),
    `about ${Math.ceil(bytes / 1_024).toLocaleString('en')} KiB`,
  ].join(', ');
}
