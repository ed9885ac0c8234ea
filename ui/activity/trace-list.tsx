import { apiTitle, applicationTitle, faults, route, setQuery, settingLink } from '../data/data.ts';
import { type TraceFilter, useTraceFeed } from '../data/trace-feed.ts';
import { counted, Empty, FilterField, failure, OlderRows, ProblemCard, Skeleton, say, useListInUse, WaitingRows } from '../kit/kit.ts';
import css from './activity.module.css';
import { DayRow, MoveRow, timeline, useClockMoves } from './clock-moves.tsx';
import { TraceRow } from './trace-row.tsx';

const STATUSES = ['ok', 'refused', 'failed'] as const;

const filterOf = (query: URLSearchParams): TraceFilter => ({
  q: query.get('q') ?? undefined,
  status: STATUSES.find((one) => one === query.get('status')),
  fault: query.get('fault') ?? undefined,
  api: query.get('api') ?? undefined,
  application: query.get('application') ?? undefined,
  object: query.get('object') ?? undefined,
});

/**
 * The traces of a rehearsal, and between them the moves of its clock unless a filter is set. New ones wait while the pointer or the focus is
 * in the list.
 */
export function TraceList({ rehearsal, selected, move }: { rehearsal: string; selected?: string; move?: string }) {
  const { query } = route.value;
  const filter = filterOf(query);
  const { list, isInUse, onLeave } = useListInUse();
  const feed = useTraceFeed(JSON.stringify([rehearsal, filter]), filter, isInUse);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const clock = useClockMoves(rehearsal, isInUse);
  const moves = isFiltered ? [] : clock.moves;
  const showWaiting = (): void => {
    feed.showWaiting();
    clock.showWaiting();
  };
  const leave = onLeave(showWaiting);
  const entries = timeline(feed.items ?? [], moves, feed.showOlder === undefined);
  return (
    <section ref={list} class="card list" aria-label="Traces" onPointerLeave={leave} onFocusOut={leave}>
      <div class="in stack-tight">
        <FilterField parameter="q" label="Filter: id, path, API, application, status, fault" placeholder="Filter: id, API, status, fault" />
        <FilterChips filter={filter} />
      </div>
      <WaitingRows shown={feed.items?.length} waiting={feed.waiting + (isFiltered ? 0 : clock.waiting)} show={showWaiting} />
      {!feed.items && !feed.refusal && feed.slow && <Skeleton rows={8} />}
      {feed.refusal && <ProblemCard refusal={feed.refusal} retry={feed.reload} />}
      <div class="scrolls">
        <nav aria-label="Traces, newest first">
          <ul class="rows">
            {entries.map((entry) => {
              if (entry.kind === 'day') return <DayRow key={entry.day} day={entry.day} />;
              if (entry.kind === 'move') {
                const { number } = entry.move;
                return <MoveRow key={`move ${number}`} move={entry.move} rehearsal={rehearsal} isSelected={String(number) === move} />;
              }
              const { trace } = entry;
              return (
                <TraceRow key={trace.correlationId} trace={trace} rehearsal={rehearsal} isSelected={trace.correlationId === selected} />
              );
            })}
          </ul>
        </nav>
        {feed.items && entries.length === 0 && (isFiltered ? <NothingFound /> : <NothingYet rehearsal={rehearsal} />)}
        <OlderRows show={feed.showOlder} />
        {!feed.showOlder && feed.discarded > 0 && <Discarded traces={feed.discarded} />}
      </div>
    </section>
  );
}

/** A full journal discards its oldest traces. */
const Discarded = ({ traces }: { traces: number }) => (
  <p class={css.discarded}>
    {counted(traces, 'older trace was', 'older traces were')} discarded. <a href={settingLink('JOURNAL_HOPS')}>How many are kept</a>
  </p>
);

function FilterChips({ filter }: { filter: TraceFilter }) {
  const chip = (label: string, isOn: boolean, changes: TraceFilter, tone = '') => (
    <button
      type="button"
      class={`badge ${isOn ? 'on' : tone}`}
      aria-pressed={isOn ? 'true' : 'false'}
      onClick={() => setQuery({ ...changes })}
    >
      <span class="clip">{label}</span>
    </button>
  );
  const names = new Set([...(faults.value ?? []).map(({ name }) => name), ...(filter.fault === undefined ? [] : [filter.fault])]);
  return (
    <fieldset class="line" aria-label="Filters">
      {chip(
        'all',
        Object.values(filter).every((value) => value === undefined),
        { q: undefined, status: undefined, fault: undefined, api: undefined, application: undefined, object: undefined },
      )}
      {chip('refused', filter.status === 'refused', { status: filter.status === 'refused' ? undefined : 'refused' }, 'warn')}
      {chip('failed', filter.status === 'failed', { status: filter.status === 'failed' ? undefined : 'failed' }, 'bad')}
      {[...names].map((name) => (
        <span key={name} class="clip">
          {chip(`⚡ ${name}`, filter.fault === name, { fault: filter.fault === name ? undefined : name }, 'warn')}
        </span>
      ))}
      {filter.api !== undefined && chip(apiTitle(filter.api), true, { api: undefined })}
      {filter.application !== undefined && chip(applicationTitle(filter.application), true, { application: undefined })}
      {filter.object !== undefined && chip(filter.object, true, { object: undefined })}
    </fieldset>
  );
}

const NothingFound = () => (
  <Empty title="No trace matches.">
    <button
      type="button"
      onClick={() =>
        setQuery({ q: undefined, status: undefined, fault: undefined, api: undefined, application: undefined, object: undefined })
      }
    >
      Show all
    </button>
  </Empty>
);

function NothingYet({ rehearsal }: { rehearsal: string }) {
  const send = async (): Promise<void> => {
    const answer = await fetch('/products/mug-blue', { headers: { 'X-Rehearsal': rehearsal }, cache: 'no-store' }).catch(() => undefined);
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
