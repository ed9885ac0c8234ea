import { computed } from '@preact/signals';
import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import {
  apiTitle,
  applicationTitle,
  changedQuery,
  control,
  drawn,
  type ListedHop,
  noteTraceRead,
  path,
  setQuery,
  useBeginning,
  useFrames,
  useResource,
  withQuery,
} from '../data/data.ts';
import type { Trace as TraceSummary } from '../data/trace-feed.ts';
import { Heading, isNarrow, useKeys } from '../kit/kit.ts';
import { SequenceDiagram } from '../sequence/sequence-diagram.ts';
import { type TraceTree, traceTree } from '../sequence/trace-tree.ts';
import { CallTree } from './call-tree.ts';
import { type Explanation, explain } from './explanation.ts';
import { HopDetail } from './hop-detail.ts';
import { reasonOf } from './problem-reason.ts';
import { TraceEvents } from './trace-events.ts';
import { TraceHeader } from './trace-header.ts';
import { type Outcome, outcomeOf, withOutcome } from './trace-outcome.ts';

/** Most rows kept in the DOM. */
const MOST_HOPS = 1_000;
/** Of events that are read for the outcome. */
const MOST_EVENTS = 200;
const REFRESH_MS = 300;

/** A narrow window has no room for columns. */
const views = computed(() => (isNarrow.value ? (['tree', 'events'] as const) : (['sequence', 'tree', 'events'] as const)));
const VIEW_TITLES = { sequence: 'Sequence', tree: 'Call tree', events: 'Events' } as const;
type View = keyof typeof VIEW_TITLES;

export interface TraceProps {
  readonly rehearsal: string;
  readonly correlationId: string;
  readonly query: URLSearchParams;
}

export function Trace(props: TraceProps) {
  const { correlationId, rehearsal } = props;
  useEffect(() => noteTraceRead(rehearsal), [rehearsal]);
  const read = useResource(correlationId, async (signal) => {
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
    return { tree, truncated, explanation, summary: found[0], outcome: outcomeOf(tree, events), reason: reasonOf(hop?.response) };
  });
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(due.current), []);
  const reload = (): void => {
    clearTimeout(due.current);
    due.current = setTimeout(read.reload, REFRESH_MS);
  };
  useFrames('hops', (hops) => hops.some((hop) => hop.correlationId === correlationId) && reload());
  useFrames('gap', reload);
  useBeginning(reload);
  return h(
    'article',
    { class: 'card detail' },
    // The gateway refuses an id that no trace can have.
    read.refusal?.code === 'validation_failed'
      ? h(UnknownTrace, { correlationId, truncated: false })
      : drawn(read, ({ tree, truncated, ...told }) =>
          tree.rows.length === 0 ? h(UnknownTrace, { correlationId, truncated }) : h(KnownTrace, { ...props, ...told, tree }),
        ),
  );
}

const UnknownTrace = ({ correlationId, truncated }: { correlationId: string; truncated: boolean }) =>
  h(
    'div',
    { class: 'empty' },
    h(Heading, { title: 'Unknown trace', small: true }, 'No trace has this correlation id'),
    h('p', {}, h('code', { class: 'brk' }, correlationId)),
    h(
      'p',
      { class: 'muted' },
      truncated
        ? 'The journal of this rehearsal has reached its limit: the trace may be gone.'
        : 'The id is wrong, it belongs to another rehearsal, or this one has been reset.',
    ),
  );

interface KnownTraceProps extends TraceProps {
  readonly tree: TraceTree;
  readonly summary: TraceSummary | undefined;
  readonly explanation: Explanation;
  readonly outcome: Outcome | undefined;
  readonly reason: string | undefined;
}

function KnownTrace({ rehearsal, correlationId, query, tree, summary, explanation, outcome, reason }: KnownTraceProps) {
  const { row } = explanation;
  const sentence = [...withOutcome(explanation.sentence, outcome), ...(reason === undefined ? [] : [` ${reason}`])];
  const selected = tree.rows.find(({ hop }) => hop.requestId === query.get('hop')) ?? row ?? tree.rows[0];
  const view: View = views.value.find((one) => one === query.get('view')) ?? views.value[0];
  const linkTo = (changes: Parameters<typeof changedQuery>[1]): string => withQuery(path.value, changedQuery(query, changes));
  const hopLink = (hop: ListedHop): string => linkTo({ hop: hop.requestId });
  const step = (by: 1 | -1): void => {
    const next = tree.rows[(selected ? tree.rows.indexOf(selected) : 0) + by];
    if (next) setQuery({ hop: next.hop.requestId });
  };
  useKeys({ ']': () => step(1), '[': () => step(-1) });
  const shared = { tree, selected, hopLink };
  return [
    h(TraceHeader, { tree, correlationId, summary, sentence, rehearsal }),
    h(
      'nav',
      { class: 'tabs', 'aria-label': 'Views of the trace' },
      views.value.map((one) =>
        h('a', { key: one, href: linkTo({ view: one }), 'aria-current': one === view ? 'page' : undefined }, VIEW_TITLES[one]),
      ),
    ),
    view === 'sequence' && h(SequenceDiagram, shared),
    view === 'tree' && h(CallTree, shared),
    view === 'events' && h(TraceEvents, { rehearsal, correlationId, hops: tree.rows.length }),
    tree.rows.length >= MOST_HOPS && h('p', { class: 'in muted' }, `The latest ${MOST_HOPS} hops are shown.`),
    selected &&
      view !== 'events' &&
      h(HopDetail, { key: selected.hop.requestId, rehearsal, row: selected, number: tree.rows.indexOf(selected) + 1 }),
  ];
}
