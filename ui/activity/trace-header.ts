import { type ComponentType, h } from 'preact';
import { useState } from 'preact/hooks';
import { apiTitle, asRefusal, rehearsalLink } from '../data/data.ts';
import type { Trace as TraceSummary } from '../data/trace-feed.ts';
import { CopyButton, counted, duration, Heading, StatusBadge, say, shortId, wallTime } from '../kit/kit.ts';
import { requestOf, type TraceTree } from '../sequence/trace-tree.ts';
import type { Part } from './explanation.ts';
import type { TraceExportProps } from './trace-export.ts';

export interface TraceHeaderProps {
  readonly tree: TraceTree;
  readonly correlationId: string;
  readonly summary: TraceSummary | undefined;
  readonly sentence: readonly Part[];
  readonly rehearsal: string;
}

/** What a trace is about, why it ended so, and which objects it changed. */
export function TraceHeader({ tree, correlationId, summary, sentence, rehearsal }: TraceHeaderProps) {
  const requests = tree.rows.filter(({ kind }) => kind === 'request');
  const { hop } = requestOf(tree.rows) ?? tree.rows[0] ?? {};
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
          requests.length > 1 && `, ${hop === requests.at(-1)?.hop ? 'the latest' : 'one'} of ${requests.length} requests`,
          ` · ${counted(count('call'), 'call')}`,
          summary && `, ${counted(summary.events, 'event')}`,
          `, ${counted(count('delivery'), 'delivery', 'deliveries')}`,
          count('timer') > 0 && `, ${counted(count('timer'), 'timer')}`,
        ),
      ),
      h(
        'div',
        { class: 'line' },
        h(CopyButton, { what: 'Link', text: () => location.href, children: 'Copy link' }),
        h(ExportButton, { tree, correlationId, rehearsal }),
      ),
    ),
    h(
      'p',
      { class: 'sentence' },
      sentence.map((part) => h(SentencePart, { part, rehearsal })),
    ),
    summary && summary.objects.length > 0 && h(Objects, { objects: summary.objects, rehearsal }),
  ];
}

/** Opens the dialog, whose code nobody needs before. */
function ExportButton(props: Omit<TraceExportProps, 'onClose'>) {
  const [dialog, setDialog] = useState<{ readonly of: ComponentType<TraceExportProps> }>();
  const open = (): Promise<void> =>
    import('./trace-export.ts').then(
      ({ TraceExport }) => setDialog({ of: TraceExport }),
      (error: unknown) => say(asRefusal(error).detail),
    );
  return [
    h('button', { type: 'button', 'aria-haspopup': 'dialog', onClick: () => void open() }, 'Export'),
    dialog && h(dialog.of, { ...props, onClose: () => setDialog(undefined) }),
  ];
}

function SentencePart({ part, rehearsal }: { part: Part; rehearsal: string }) {
  if (typeof part === 'string') return part;
  if ('strong' in part) return h('strong', {}, part.strong);
  return h('a', { class: 'badge warn', href: rehearsalLink(rehearsal, 'faults') }, '⚡ ', h('span', { class: 'clip' }, part.fault));
}

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
