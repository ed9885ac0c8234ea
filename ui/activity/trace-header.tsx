import { useState } from 'preact/hooks';
import { apiTitle, linkHere } from '../data/data.ts';
import { CopyButton, counted, duration, FaultLink, Heading, ObjectBadges, StatusBadge } from '../kit/kit.ts';
import { requestOf, type TraceTree } from '../sequence/trace-tree.ts';
import css from './activity.module.css';
import type { Part } from './explanation.ts';
import { TraceExport } from './trace-export.tsx';
import { Happened, type Trace as TraceSummary } from './trace-row.tsx';

/** Objects that a header names. */
const MOST_OBJECTS = 30;

interface TraceHeaderProps {
  readonly tree: TraceTree;
  readonly correlationId: string;
  readonly summary: TraceSummary | undefined;
  readonly sentence: readonly Part[];
}

/** What a trace is about, why it ended so, and which objects it changed. */
export function TraceHeader({ tree, correlationId, summary, sentence }: TraceHeaderProps) {
  const [isExporting, setExporting] = useState(false);
  const requests = tree.rows.filter(({ kind }) => kind === 'request');
  const { hop } = requestOf(tree.rows) ?? tree.rows[0] ?? {};
  const attempts = tree.rows.filter((row) => row.hop.api.startsWith('webhook:')).length;
  const count = (...kinds: readonly string[]): number => tree.rows.filter(({ kind }) => kinds.includes(kind)).length;
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
            {hop && (
              <>
                {' · '}
                <Happened {...hop} /> · {duration(hop.durationMs)}
              </>
            )}
            {requests.length > 1 && `, ${hop === requests.at(-1)?.hop ? 'the latest' : 'one'} of ${requests.length} requests`} ·{' '}
            {counted(count('call', 'webhook') - attempts, 'call')}
            {summary && `, ${counted(summary.events, 'event')}`}, {counted(count('event'), 'delivery', 'deliveries')}
            {attempts > 0 && `, ${counted(attempts, 'attempt')} at webhooks`}
            {count('timer') > 0 && `, ${counted(count('timer'), 'timer')}`}
          </p>
        </div>
        <div class="line">
          <CopyButton what="Link" text={() => `${location.origin}${linkHere('activity', correlationId)}${location.search}`}>
            Copy link
          </CopyButton>
          <button type="button" aria-haspopup="dialog" onClick={() => setExporting(true)}>
            Export
          </button>
          {isExporting && <TraceExport tree={tree} correlationId={correlationId} onClose={() => setExporting(false)} />}
        </div>
      </header>
      <p class={css.sentence} data-sentence="">
        {sentence.map((part) => (
          <SentencePart part={part} />
        ))}
      </p>
      {summary && summary.objects.length > 0 && (
        <div class={css.objects}>
          <ObjectBadges label="Objects that changed" objects={summary.objects.slice(0, MOST_OBJECTS)} />
          {summary.objects.length > MOST_OBJECTS && <p class="muted">and {summary.objects.length - MOST_OBJECTS} more</p>}
        </div>
      )}
    </>
  );
}

function SentencePart({ part }: { part: Part }) {
  if (typeof part === 'string') return part;
  if ('strong' in part) return <strong>{part.strong}</strong>;
  return <FaultLink>{part.fault}</FaultLink>;
}
