import { apiTitle, applicationTitle, faults, route, setQuery } from '../data/data.ts';
import { type TraceFilter, useTraceFeed } from '../data/trace-feed.ts';
import { Empty, FilterField, OlderRows, ProblemCard, Skeleton, say, useListInUse, WaitingRows } from '../kit/kit.ts';
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

/** The traces of a rehearsal. New ones wait while the pointer or the focus is in the list. */
export function TraceList({ rehearsal, selected }: { rehearsal: string; selected: string | undefined }) {
  const { query } = route.value;
  const filter = filterOf(query);
  const { list, isInUse, onLeave } = useListInUse();
  const feed = useTraceFeed(JSON.stringify([rehearsal, filter]), filter, isInUse);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const leave = onLeave(feed.showWaiting);
  return (
    <section ref={list} class="card list" aria-label="Traces" onPointerLeave={leave} onFocusOut={leave}>
      <div class="in stack-tight">
        <FilterField parameter="q" label="Filter: id, path, API, application, status, fault" placeholder="Filter: id, API, status, fault" />
        <FilterChips filter={filter} />
      </div>
      <WaitingRows shown={feed.items?.length} waiting={feed.waiting} show={feed.showWaiting} />
      {!feed.items && !feed.refusal && feed.slow && <Skeleton rows={8} />}
      {feed.refusal && <ProblemCard refusal={feed.refusal} retry={feed.reload} />}
      <div class="scrolls">
        <nav aria-label="Traces, newest first">
          <ul class="rows">
            {feed.items?.map((trace) => (
              <TraceRow key={trace.correlationId} trace={trace} rehearsal={rehearsal} isSelected={trace.correlationId === selected} />
            ))}
          </ul>
        </nav>
        {feed.items?.length === 0 && (isFiltered ? <NothingFound /> : <NothingYet rehearsal={rehearsal} />)}
        <OlderRows show={feed.showOlder} />
      </div>
    </section>
  );
}

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
    say(answer ? `Get Product answered ${answer.status}.` : 'The gateway does not answer.');
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
