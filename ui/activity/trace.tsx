import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  apiTitle,
  applicationTitle,
  changedQuery,
  control,
  drawn,
  here,
  type ListedHop,
  linkHere,
  noteTraceRead,
  setQuery,
  useResource,
  withQuery,
} from '../data/data.ts';
import { EventRow, type PublishedEvent } from '../events/event-row.tsx';
import { Empty, isNarrow, NotFound, useKeys } from '../kit/kit.ts';
import { SequenceDiagram } from '../sequence/sequence-diagram.tsx';
import { type TraceTree, traceTree } from '../sequence/trace-tree.ts';
import css from './activity.module.css';
import { CallTree } from './call-tree.tsx';
import { type Explanation, explain } from './explanation.ts';
import { HopDetail } from './hop-detail.tsx';
import { reasonOf } from './problem-reason.ts';
import { TraceHeader } from './trace-header.tsx';
import { outcomeOf, withOutcome } from './trace-outcome.ts';
import type { Trace as TraceSummary } from './trace-row.tsx';

/** Most rows kept in the DOM. */
const MOST_HOPS = 1_000;
const MOST_EVENTS = 200;

/** A narrow window has no room for columns. */
const views = computed(() => (isNarrow.value ? (['tree', 'events'] as const) : (['sequence', 'tree', 'events'] as const)));
const VIEW_TITLES = { sequence: 'Sequence', tree: 'Call tree', events: 'Events' } as const;
type View = keyof typeof VIEW_TITLES;

export interface TraceProps {
  readonly correlationId: string;
  readonly query: URLSearchParams;
}

export function Trace(props: TraceProps) {
  const { correlationId } = props;
  useEffect(() => noteTraceRead(here()), []);
  const readTrace = async (signal: AbortSignal) => {
    const [{ items, truncated }, { items: found }, { items: events }] = await Promise.all([
      control('read-journal', { query: { correlationId, bodies: 'false', limit: MOST_HOPS } }, { signal }),
      control('list-traces', { query: { correlationId, limit: 1 } }, { signal }),
      control('list-events', { query: { correlationId, ext: 'true', limit: MOST_EVENTS } }, { signal }),
    ]);
    const tree = traceTree(items as readonly ListedHop[]);
    const explanation = explain(tree, { application: applicationTitle, api: apiTitle });
    const refused = [explanation.row?.hop].find((hop) => hop && hop.status >= 400 && hop.faults.length === 0);
    // A trace is shown without its reason when the record is gone.
    const hop = refused && (await control('read-hop', { params: { requestId: refused.requestId } }, { signal }).catch(() => undefined));
    return { tree, truncated, explanation, summary: found[0], events, reason: reasonOf(hop?.response) };
  };
  const read = useResource(correlationId, readTrace, {
    follows: ['hops', 'gap'],
    concerns: ([kind, data]) => kind !== 'hops' || data.some((hop) => hop.correlationId === correlationId),
  });
  const unknown = (truncated: boolean) => (
    <NotFound title="Unknown trace" words="No trace has this correlation id" id={correlationId}>
      <p class="muted">
        {truncated
          ? 'The journal of this rehearsal has reached its limit: the trace may be gone.'
          : 'The id is wrong, it belongs to another rehearsal, or this one has been reset.'}
      </p>
    </NotFound>
  );
  // The gateway refuses an id that no trace can have.
  if (read.refusal?.code === 'validation_failed') return unknown(false);
  return drawn(read, ({ tree, truncated, ...found }) =>
    tree.rows.length === 0 ? unknown(truncated) : <KnownTrace {...props} {...found} tree={tree} />,
  );
}

interface KnownTraceProps extends TraceProps {
  readonly tree: TraceTree;
  readonly summary: TraceSummary | undefined;
  readonly explanation: Explanation;
  readonly events: readonly PublishedEvent[];
  readonly reason: string | undefined;
}

function KnownTrace({ correlationId, query, tree, summary, explanation, events, reason }: KnownTraceProps) {
  const { row } = explanation;
  const sentence = [...withOutcome(explanation.sentence, outcomeOf(tree, events)), ...(reason === undefined ? [] : [` ${reason}`])];
  const selected = tree.rows.find(({ hop }) => hop.requestId === query.get('hop')) ?? row ?? tree.rows[0];
  const view: View = views.value.find((one) => one === query.get('view')) ?? views.value[0];
  const linkTo = (changes: Parameters<typeof changedQuery>[1]): string =>
    withQuery(linkHere('activity', correlationId), changedQuery(query, changes));
  const hopLink = (hop: ListedHop): string => linkTo({ hop: hop.requestId });
  const step = (by: 1 | -1): void => {
    const next = tree.rows[(selected ? tree.rows.indexOf(selected) : 0) + by];
    if (next) setQuery({ hop: next.hop.requestId });
  };
  useKeys({ ']': () => step(1), '[': () => step(-1) });
  const shared = { tree, selected, hopLink };
  return (
    <>
      <TraceHeader tree={tree} correlationId={correlationId} summary={summary} sentence={sentence} />
      <nav class={`tabs ${css.tabs}`} aria-label="Views of the trace">
        {views.value.map((one) => (
          <a key={one} href={linkTo({ view: one })} aria-current={one === view ? 'page' : undefined}>
            {VIEW_TITLES[one]}
          </a>
        ))}
      </nav>
      {view === 'sequence' && <SequenceDiagram {...shared} />}
      {view === 'tree' && <CallTree {...shared} />}
      {view === 'events' && <EventRows events={events} />}
      {tree.rows.length >= MOST_HOPS && <p class="in muted">The latest {MOST_HOPS} hops are shown.</p>}
      {selected && view !== 'events' && <HopDetail key={selected.hop.requestId} row={selected} number={tree.rows.indexOf(selected) + 1} />}
    </>
  );
}

const EventRows = ({ events }: { events: readonly PublishedEvent[] }) =>
  events.length === 0 ? (
    <Empty title="This trace published no event." />
  ) : (
    <ul class="rows">
      {events.map((published) => (
        <EventRow key={published.order} published={published} href={linkHere('events', String(published.event['id']))} />
      ))}
    </ul>
  );
