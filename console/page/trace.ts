import { computed } from '@preact/signals';
import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CallTree } from './call-tree.ts';
import { control } from './control.ts';
import { explain, type Part } from './explanation.ts';
import { apiTitle, applicationTitle } from './facts.ts';
import { counted, duration, shortId, wallTime } from './format.ts';
import type { ListedHop } from './hop.ts';
import { HopDetail } from './hop-detail.ts';
import { useKeys } from './keyboard.ts';
import { useFrames } from './live.ts';
import { isNarrow } from './narrow.ts';
import { Badge, CopyButton, Heading, StatusBadge } from './parts.ts';
import { drawn, useResource } from './resource.ts';
import { changedQuery, rehearsalLink, withQuery } from './route.ts';
import { path, setQuery } from './router.ts';
import { SequenceDiagram } from './sequence-diagram.ts';
import { TraceEvents } from './trace-events.ts';
import type { Trace as TraceSummary } from './trace-feed.ts';
import { noteTraceRead } from './trace-read.ts';
import { type TraceTree, traceTree } from './trace-tree.ts';

/** Of rows in the document. */
const MOST_HOPS = 1_000;
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
    const [{ items, truncated }, { items: found }] = await Promise.all([
      control('read-journal', { query: { correlationId, bodies: 'false', limit: MOST_HOPS } }, { signal }),
      control('list-traces', { query: { correlationId, limit: 1 } }, { signal }),
    ]);
    return { hops: items as readonly ListedHop[], truncated, summary: found[0] };
  });
  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(due.current), []);
  const reload = (): void => {
    clearTimeout(due.current);
    due.current = setTimeout(read.reload, REFRESH_MS);
  };
  useFrames('hops', (hops) => hops.some((hop) => hop.correlationId === correlationId) && reload());
  useFrames('gap', reload);
  return h(
    'article',
    { class: 'card detail' },
    drawn(read, ({ hops, truncated, summary }) =>
      hops.length === 0 ? h(UnknownTrace, { correlationId, truncated }) : h(KnownTrace, { ...props, hops, summary }),
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
        : 'The id is wrong, or it belongs to another rehearsal.',
    ),
  );

function KnownTrace({
  rehearsal,
  correlationId,
  query,
  hops,
  summary,
}: TraceProps & { hops: readonly ListedHop[]; summary: TraceSummary | undefined }) {
  const tree = traceTree(hops);
  const { row, sentence } = explain(tree, { application: applicationTitle, api: apiTitle });
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
    view === 'events' && h(TraceEvents, { rehearsal, correlationId, hops: hops.length }),
    hops.length >= MOST_HOPS && h('p', { class: 'in muted' }, `The latest ${MOST_HOPS} hops are shown.`),
    selected &&
      view !== 'events' &&
      h(HopDetail, { key: selected.hop.requestId, rehearsal, row: selected, number: tree.rows.indexOf(selected) + 1 }),
  ];
}

interface HeaderProps {
  readonly tree: TraceTree;
  readonly correlationId: string;
  readonly summary: TraceSummary | undefined;
  readonly sentence: readonly Part[];
  readonly rehearsal: string;
}

function TraceHeader({ tree, correlationId, summary, sentence, rehearsal }: HeaderProps) {
  const requests = tree.rows.filter(({ kind }) => kind === 'request');
  const { hop } = requests.at(-1) ?? tree.rows[0] ?? {};
  const count = (kind: string): number => tree.rows.filter((row) => row.kind === kind).length;
  const title = hop ? apiTitle(hop.api) : correlationId;
  return [
    h(
      'header',
      { class: 'trace-head' },
      h(
        'div',
        {},
        h(
          'div',
          { class: 'line' },
          h(Heading, { title: `${title} · ${rehearsal}`, small: true }, title),
          hop && h(StatusBadge, { status: hop.status }),
        ),
        h(
          'p',
          { class: 'muted brk' },
          h('code', {}, correlationId),
          hop && ` · ${wallTime(hop.startedAt)} · ${duration(hop.durationMs)}`,
          requests.length > 1 && ` · ${requests.length} requests`,
          ` · ${counted(count('call'), 'call')}`,
          summary && `, ${counted(summary.events, 'event')}`,
          `, ${counted(count('delivery'), 'delivery', 'deliveries')}`,
          count('timer') > 0 && `, ${counted(count('timer'), 'timer')}`,
        ),
      ),
      h('div', { class: 'line' }, h(CopyButton, { what: 'Link', text: () => location.href, children: 'Copy link' })),
    ),
    h('p', { class: 'sentence' }, sentence.map(SentencePart)),
    summary && summary.objects.length > 0 && h(Objects, { objects: summary.objects, rehearsal }),
  ];
}

const SentencePart = (part: Part) => {
  if (typeof part === 'string') return part;
  return 'strong' in part ? h('strong', {}, part.strong) : h(Badge, { tone: 'warn' }, '⚡ ', h('span', { class: 'clip' }, part.fault));
};

const Objects = ({ objects, rehearsal }: { objects: TraceSummary['objects']; rehearsal: string }) =>
  h(
    'ul',
    { class: 'line objects', 'aria-label': 'Objects that changed' },
    objects
      .slice(0, 30)
      .map(({ type, id }) =>
        h(
          'li',
          { key: `${type}/${id}` },
          h('a', { class: 'badge', href: rehearsalLink(rehearsal, 'objects', type, id), title: `${type}/${id}` }, `${type}/${shortId(id)}`),
        ),
      ),
    objects.length > 30 && h('li', { class: 'muted' }, `and ${objects.length - 30} more`),
  );
