import { act, control, here, isBusy } from '../data/data.ts';
import { CopyButton, Dialog, download, Scroll } from '../kit/kit.ts';
import { mermaidOf } from '../sequence/mermaid.ts';
import { type Arrow, sequenceOf } from '../sequence/sequence.ts';
import type { TraceTree } from '../sequence/trace-tree.ts';

const MOST = 1_000;

/** Exports a trace: all its records as JSON, or its sequence as the text of a diagram. */
export function TraceExport({ correlationId, tree, onClose }: { correlationId: string; tree: TraceTree; onClose: () => void }) {
  const sequence = sequenceOf(tree.rows.map(({ hop }) => hop));
  const mermaid = mermaidOf(sequence, [sequence]);
  return (
    <Dialog title="Export the trace" onClose={onClose}>
      <div class="stack-tight">
        <p class="muted">JSON has every hop with its bodies, and the events. Secrets in it are redacted.</p>
        <p>
          <button type="button" aria-disabled={isBusy()} onClick={() => void downloadJson(correlationId)}>
            Download JSON
          </button>
        </p>
        <p class="muted">Mermaid draws the sequence in Markdown, wikis and tickets.</p>
        <p>
          <CopyButton what="Diagram" text={() => mermaid}>
            Copy as Mermaid
          </CopyButton>
        </p>
        <p class="muted">An expectation lists what happened, in this order, for a test, a scenario or “sequence verify”.</p>
        <p>
          <CopyButton what="Expectation" text={() => JSON.stringify(expectationOf(sequence.arrows), null, 2)}>
            Copy as expectation
          </CopyButton>
        </p>
        <Scroll as="pre" label="Mermaid diagram">
          {mermaid}
        </Scroll>
      </div>
    </Dialog>
  );
}

/** The steps of a trace without its reads, for `verify-sequence`. */
function expectationOf(arrows: readonly Arrow[]): object[] {
  return arrows
    .filter(({ hop }) => hop.method !== 'GET')
    .map(({ hop: { api, application, status }, kind, from }) => {
      if (kind === 'event') return { what: 'delivery', name: api.replace(/^event:/, ''), application, status };
      if (kind === 'timer') return { what: 'timer', name: api.replace(/^due:/, ''), application, status };
      return { what: 'call', name: api, by: from, status };
    });
}

const downloadJson = (correlationId: string): Promise<void> =>
  act('export', async () => {
    const [{ items: hops, truncated }, { items: events }] = await Promise.all([
      control('read-journal', { query: { correlationId, limit: MOST } }),
      control('list-events', { query: { correlationId, ext: 'true', limit: MOST } }),
    ]);
    const trace = { rehearsal: here(), correlationId, truncated, hops, events: events.map(({ event }) => event) };
    const name = `trace-${correlationId.replaceAll(/[^\w.-]+/g, '_').slice(0, 80)}.json`;
    download(name, new Blob([JSON.stringify(trace, null, 2)], { type: 'application/json' }));
    return `${name} was downloaded.`;
  });
