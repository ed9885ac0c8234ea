import { useSignal } from '@preact/signals';
import { drawn, estateLink, type Output, rehearsalLink, useRead } from '../data/data.ts';
import { Card, counted, PageHead, type PageProps, Refresh, rehearsalTime, wallTime } from '../kit/kit.ts';
import { RowTable, type TableColumn } from '../kit/table.tsx';
import { CreatedCard, type CreatedRehearsal } from './created-card.tsx';
import { RehearsalDetail } from './rehearsal-detail.tsx';
import { RehearsalForm } from './rehearsal-form.tsx';
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
                {shown.length > 0 && (
                  <RowTable
                    label="Rehearsals"
                    heading="rehearsal"
                    items={shown.slice(0, most.value)}
                    keyOf={({ name }) => name}
                    href={({ name }) => rehearsalLink(name)}
                    name={({ name }) => ({ text: name })}
                    columns={COLUMNS}
                  />
                )}
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

type Listed = Output<'list-rehearsals'>['items'][number];

/** Without seconds. */
const wallMinute = (instant: string): string => wallTime(instant).slice(0, -':00'.length);

const COLUMNS: readonly TableColumn<Listed>[] = [
  { name: 'ends', kind: 'text', of: ({ trouble, endsAt }) => ({ text: trouble ?? (endsAt === undefined ? 'never' : wallMinute(endsAt)) }) },
  { name: 'used', kind: 'time', of: ({ lastUsedAt }) => ({ text: wallMinute(lastUsedAt) }) },
  { name: 'clock', kind: 'time', of: ({ now }) => (now === undefined ? undefined : { text: rehearsalTime(now) }) },
  { name: 'objects', kind: 'number', of: ({ contents }) => countOf(contents?.objects) },
  { name: 'events', kind: 'number', of: ({ contents }) => countOf(contents?.events) },
  { name: 'hops', kind: 'number', isFurther: true, of: ({ contents }) => countOf(contents?.journal) },
  {
    name: 'size',
    kind: 'number',
    of: ({ contents }) => contents && { text: `${Math.ceil(contents.bytes / 1_024).toLocaleString('en')} KiB` },
  },
  {
    name: 'manage',
    kind: 'action',
    of: ({ name }) => ({
      text: 'Manage',
      shown: (
        <a class="button" href={estateLink('rehearsals', name)}>
          Manage<span class="unseen"> {name}</span>
        </a>
      ),
    }),
  },
];

const countOf = (count: number | undefined) => (count === undefined ? undefined : { text: count.toLocaleString('en') });
