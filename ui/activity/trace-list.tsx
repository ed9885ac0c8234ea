import { useState } from 'preact/hooks';
import { apiTitle, applicationTitle, control, faults, here, route, setQuery, settingLink } from '../data/data.ts';
import { useGrowingList } from '../data/growing-list.ts';
import { counted, Empty, FilterField, failure, GrowingRows, say, useListInUse } from '../kit/kit.ts';
import css from './activity.module.css';
import { DayRow, MoveRow, timeline, useClockMoves } from './clock-moves.tsx';
import { type Trace, TraceRow } from './trace-row.tsx';

const FILTERS = ['q', 'status', 'fault', 'api', 'application', 'object'] as const;
type Filter = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;
const NO_FILTER: Filter = Object.fromEntries(FILTERS.map((name) => [name, undefined]));
const STATUSES: readonly (string | null)[] = ['ok', 'refused', 'failed'];

function filterOf(query: URLSearchParams): Filter {
  const filter: Filter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? undefined]));
  return STATUSES.includes(query.get('status')) ? filter : { ...filter, status: undefined };
}

const PAGE = 50;

/** The key of a move of the clock among the traces, as in its address. */
export const clockKey = (number: number | string): string => `clock/${number}`;

/** The traces of a rehearsal, and between them the moves of its clock unless a filter is set. */
export function useTraces() {
  const filter = filterOf(route.value.query);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const use = useListInUse();
  const [discarded, setDiscarded] = useState(0);
  const traces = useGrowingList<Trace>({
    key: JSON.stringify(filter),
    read: async (before, signal) => {
      const query = { ...filter, before, limit: PAGE };
      const page = await control('list-traces', { query: query as never }, { signal });
      setDiscarded(page.discarded);
      return page;
    },
    keyOf: ({ correlationId }) => correlationId,
    placeOf: ({ sequence }) => sequence,
    follows: ['hops'],
    isInUse: use.isInUse,
  });
  const moves = useClockMoves(use.isInUse);
  const entries = timeline(traces.items ?? [], isFiltered ? [] : (moves.items ?? []), traces.showOlder === undefined);
  const keys = entries.flatMap((entry) =>
    entry.kind === 'day' ? [] : [entry.kind === 'move' ? clockKey(entry.move.number) : entry.trace.correlationId],
  );
  return { filter, isFiltered, use, discarded, traces, moves, entries, keys };
}

/** @param selected key of the row. New rows wait while the pointer or the focus is in the list. */
export function TraceList({
  filter,
  isFiltered,
  use,
  discarded,
  traces,
  moves,
  entries,
  selected,
}: ReturnType<typeof useTraces> & { selected: string }) {
  const rows = entries.map((entry) => {
    if (entry.kind === 'day') return <DayRow key={entry.day} day={entry.day} />;
    if (entry.kind === 'move') {
      const { number } = entry.move;
      return <MoveRow key={`move ${number}`} move={entry.move} isSelected={clockKey(number) === selected} />;
    }
    const { trace } = entry;
    return <TraceRow key={trace.correlationId} trace={trace} isSelected={trace.correlationId === selected} />;
  });
  return (
    <GrowingRows
      use={use}
      label="Traces"
      class="card"
      feeds={isFiltered ? [traces] : [traces, moves]}
      filters={
        <div class="in stack-tight">
          <FilterField
            parameter="q"
            label="Filter: id, path, API, application, status, fault"
            placeholder="Filter: id, API, status, fault"
          />
          <FilterChips filter={filter} />
        </div>
      }
      rows={<ul class="rows">{rows}</ul>}
      empty={isFiltered ? <NothingFound /> : <NothingYet />}
      end={discarded > 0 && <Discarded traces={discarded} />}
    />
  );
}

/** A full journal discards its oldest traces. */
const Discarded = ({ traces }: { traces: number }) => (
  <p class="muted small">
    {counted(traces, 'older trace was', 'older traces were')} discarded. <a href={settingLink('JOURNAL_HOPS')}>How many are kept</a>
  </p>
);

function FilterChips({ filter }: { filter: Filter }) {
  const chip = (label: string, isOn: boolean, changes: Filter, tone = '') => (
    <button key={label} type="button" class={`badge ${tone}`} aria-pressed={isOn ? 'true' : 'false'} onClick={() => setQuery(changes)}>
      <span class="clip">{label}</span>
    </button>
  );
  /** A second press removes the filter. */
  const toggle = (name: keyof Filter, value: string, label: string, tone?: string) => {
    const isOn = filter[name] === value;
    return chip(label, isOn, { [name]: isOn ? undefined : value }, tone);
  };
  const { fault, api, application, object } = filter;
  const names = new Set([...(faults.value ?? []).map(({ name }) => name), ...(fault === undefined ? [] : [fault])]);
  return (
    <fieldset class={`line ${css.filters}`} aria-label="Filters">
      {chip(
        'all',
        Object.values(filter).every((value) => value === undefined),
        NO_FILTER,
      )}
      {toggle('status', 'refused', 'refused', 'warn')}
      {toggle('status', 'failed', 'failed', 'bad')}
      {[...names].map((name) => toggle('fault', name, `⚡ ${name}`, 'warn'))}
      {api !== undefined && toggle('api', api, apiTitle(api))}
      {application !== undefined && toggle('application', application, applicationTitle(application))}
      {object !== undefined && toggle('object', object, object)}
    </fieldset>
  );
}

const NothingFound = () => (
  <Empty title="No trace matches.">
    <button type="button" onClick={() => setQuery(NO_FILTER)}>
      Show all
    </button>
  </Empty>
);

function NothingYet() {
  const send = async (): Promise<void> => {
    const answer = await fetch('/products/mug-blue', { headers: { 'X-Rehearsal': here() }, cache: 'no-store' }).catch(() => undefined);
    say(answer?.ok ? `Get Product answered ${answer.status}.` : failure('The gateway does not answer.'));
  };
  return (
    <Empty title="Nothing has happened here yet.">
      <p class="muted">Each request appears here as it happens, with every call, event and timer that it causes.</p>
      <button type="button" class="primary" onClick={() => void send()}>
        Read a product
      </button>
    </Empty>
  );
}
