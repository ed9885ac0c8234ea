import { useSignal } from '@preact/signals';
import { drawn, estateLink, type Output, rehearsalLink, useRead } from '../data/data.ts';
import { Card, counted, PageHead, type PageProps, Refresh, rehearsalTime, wallTime } from '../kit/kit.ts';
import { type Cell, RowTable, type TableColumn } from '../kit/table.tsx';
import { Comparison, compareLink } from './comparison.tsx';
import { CreatedCard, type CreatedRehearsal } from './created-card.tsx';
import { RehearsalDetail } from './rehearsal-detail.tsx';
import { RehearsalForm } from './rehearsal-form.tsx';
import { agoOf } from './rehearsal-times.ts';
import { SnapshotsCard } from './snapshots-card.tsx';

/** Most rows kept in the DOM, and rows that a list begins with. */
const MOST_ROWS = 500;
const FEW_ROWS = 20;

/** All rehearsals of the estate, or one of them in detail. */
export function Rehearsals({ rest: [name], query }: PageProps) {
  const [from, to] = [query.get('from'), query.get('to')];
  if (name !== undefined) return <RehearsalDetail key={name} name={name} />;
  return from !== null && to !== null ? <Comparison from={from} to={to} /> : <RehearsalsList />;
}

function RehearsalsList() {
  const listed = useRead('list-rehearsals');
  const filter = useSignal('');
  const most = useSignal(FEW_ROWS);
  const created = useSignal<CreatedRehearsal | undefined>(undefined);
  const chosen = useSignal<readonly string[]>([]);
  // Two rows are compared: a third choice replaces the first.
  const choose = (name: string): void => {
    const { value } = chosen;
    chosen.value = value.includes(name) ? value.filter((one) => one !== name) : [...value, name].slice(-2);
  };
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
      <div class="stack">
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
                    columns={[...COLUMNS, manage(chosen.value, choose)]}
                    canSort
                    isCurrent={({ name }) => chosen.value.includes(name)}
                  />
                )}
                <p class="in line">
                  {chosen.value.length === 2 ? (
                    <a class="button primary" href={compareLink(chosen.value)}>
                      Compare<span class="unseen"> {chosen.value.join(' with ')}</span>
                    </a>
                  ) : (
                    shown.length > 1 && <span class="muted small">Choose two rows to compare their worlds.</span>
                  )}
                </p>
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
        <div class="side-by-side">
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

const verdictOf = ({ verdict, trouble }: Listed): Cell => {
  if (trouble !== undefined) return { text: trouble, kind: 'failed' };
  if (!verdict) return { text: 'not verified' };
  return { text: verdict.holds ? 'holds' : 'broken', kind: verdict.holds ? 'done' : 'failed' };
};

const labelsOf = ({ by: _by, ...labels }: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

const COLUMNS: readonly TableColumn<Listed>[] = [
  { name: 'made by', kind: 'text', of: ({ labels }) => (labels?.['by'] === undefined ? undefined : { text: labels['by'] }) },
  { name: 'labels', kind: 'text', of: ({ labels }) => (labels && labelsOf(labels) !== '' ? { text: labelsOf(labels) } : undefined) },
  { name: 'verdict', kind: 'state', of: verdictOf },
  {
    name: 'age',
    kind: 'time',
    of: ({ createdAt }) => (createdAt === undefined ? undefined : { text: agoOf(createdAt), sortsAs: -Date.parse(createdAt) }),
  },
  { name: 'used', kind: 'time', of: ({ lastUsedAt }) => ({ text: wallMinute(lastUsedAt) }) },
  { name: 'ends', kind: 'time', of: ({ endsAt }) => ({ text: endsAt === undefined ? 'never' : wallMinute(endsAt) }) },
  { name: 'clock', kind: 'time', isFurther: true, of: ({ now }) => (now === undefined ? undefined : { text: rehearsalTime(now) }) },
  { name: 'objects', kind: 'number', of: ({ contents }) => countOf(contents?.objects) },
  { name: 'events', kind: 'number', isFurther: true, of: ({ contents }) => countOf(contents?.events) },
  { name: 'hops', kind: 'number', isFurther: true, of: ({ contents }) => countOf(contents?.journal) },
  {
    name: 'size',
    kind: 'number',
    of: ({ contents }) => contents && { text: `${Math.ceil(contents.bytes / 1_024).toLocaleString('en')} KiB`, sortsAs: contents.bytes },
  },
];

const manage = (chosen: readonly string[], choose: (name: string) => void): TableColumn<Listed> => ({
  name: 'compare',
  kind: 'action',
  of: ({ name }) => ({
    text: 'Manage',
    shown: (
      <span class="line">
        <input type="checkbox" aria-label={`Compare ${name}`} checked={chosen.includes(name)} onChange={() => choose(name)} />
        <a href={estateLink('rehearsals', name)}>
          Manage<span class="unseen"> {name}</span>
        </a>
      </span>
    ),
  }),
});

const countOf = (count: number | undefined) => (count === undefined ? undefined : { text: count.toLocaleString('en'), sortsAs: count });
