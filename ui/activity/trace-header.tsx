import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import { apiTitle, asRefusal, linkHere } from '../data/data.ts';
import { CopyButton, counted, duration, failure, Heading, StatusBadge, say, shortId, wallTime } from '../kit/kit.ts';
import { requestOf, type TraceTree } from '../sequence/trace-tree.ts';
import css from './activity.module.css';
import type { Part } from './explanation.ts';
import type { TraceExportProps } from './trace-export.tsx';
import type { Trace as TraceSummary } from './trace-row.tsx';

export interface TraceHeaderProps {
  readonly tree: TraceTree;
  readonly correlationId: string;
  readonly summary: TraceSummary | undefined;
  readonly sentence: readonly Part[];
}

/** What a trace is about, why it ended so, and which objects it changed. */
export function TraceHeader({ tree, correlationId, summary, sentence }: TraceHeaderProps) {
  const requests = tree.rows.filter(({ kind }) => kind === 'request');
  const { hop } = requestOf(tree.rows) ?? tree.rows[0] ?? {};
  const count = (kind: string): number => tree.rows.filter((row) => row.kind === kind).length;
  const title = hop ? apiTitle(hop.api) : correlationId;
  return (
    <>
      <header>
        <div>
          <div class="line">
            <Heading title={title} small>
              {title}
            </Heading>
            {hop && <StatusBadge status={hop.status} />}
          </div>
          <p class="muted brk">
            <code>{correlationId}</code>
            {hop && ` · ${wallTime(hop.startedAt)} · ${duration(hop.durationMs)}`}
            {requests.length > 1 && `, ${hop === requests.at(-1)?.hop ? 'the latest' : 'one'} of ${requests.length} requests`} ·{' '}
            {counted(count('call') + count('webhook'), 'call')}
            {summary && `, ${counted(summary.events, 'event')}`}, {counted(count('event'), 'delivery', 'deliveries')}
            {count('timer') > 0 && `, ${counted(count('timer'), 'timer')}`}
          </p>
        </div>
        <div class="line">
          <CopyButton what="Link" text={() => location.href}>
            Copy link
          </CopyButton>
          <ExportButton tree={tree} correlationId={correlationId} />
        </div>
      </header>
      <p class={css.sentence} data-sentence="">
        {sentence.map((part) => (
          <SentencePart part={part} />
        ))}
      </p>
      {summary && summary.objects.length > 0 && <Objects objects={summary.objects} />}
    </>
  );
}

/** Opens the dialog, whose code nobody needs before. */
function ExportButton(props: Omit<TraceExportProps, 'onClose'>) {
  const [dialog, setDialog] = useState<{ readonly of: ComponentType<TraceExportProps> }>();
  const open = (): Promise<void> =>
    import('./trace-export.tsx').then(
      ({ TraceExport }) => setDialog({ of: TraceExport }),
      (error: unknown) => say(failure(asRefusal(error).detail)),
    );
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => void open()}>
        Export
      </button>
      {dialog && <dialog.of {...props} onClose={() => setDialog(undefined)} />}
    </>
  );
}

function SentencePart({ part }: { part: Part }) {
  if (typeof part === 'string') return part;
  if ('strong' in part) return <strong>{part.strong}</strong>;
  return (
    <a class="badge warn" href={linkHere('faults')}>
      ⚡ <span class="clip">{part.fault}</span>
    </a>
  );
}

const Objects = ({ objects }: { objects: TraceSummary['objects'] }) => (
  <ul class={`line ${css.objects}`} aria-label="Objects that changed">
    {objects.slice(0, 30).map(({ type, id }) => (
      <li key={`${type}/${id}`}>
        <a class="badge" href={linkHere('objects', type, id)} title={`${type}/${id}`}>
          {type}/{shortId(id)}
        </a>
      </li>
    ))}
    {objects.length > 30 && <li class="muted">and {objects.length - 30} more</li>}
  </ul>
);
