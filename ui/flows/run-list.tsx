import { useState } from 'preact/hooks';
import { control, drawn, type Output, rehearsalLink, useFrames, useResource } from '../data/data.ts';
import { Badge, Empty, type Tone, wallTime } from '../kit/kit.ts';

export type RunState = Output<'read-run'>['state'];
type ListedRun = Output<'list-runs'>['items'][number];

const TONES: Readonly<Record<RunState, Tone | undefined>> = {
  waiting: undefined,
  running: 'event',
  passed: 'good',
  failed: 'bad',
  stopped: 'warn',
};

export const RunBadge = ({ state }: { state: RunState }) => <Badge tone={TONES[state]}>{state}</Badge>;

/** The latest runs of the estate, kept up to date by the stream. */
export function RunList({ rehearsal }: { rehearsal: string }) {
  const read = useResource('runs', (signal) => control('list-runs', undefined, { signal }));
  const [streamed, setStreamed] = useState<readonly ListedRun[]>();
  useFrames('runs', setStreamed);
  useFrames('gap', read.reload);
  return drawn(streamed ? { ...read, value: { items: streamed } } : read, ({ items }) =>
    items.length === 0 ? (
      <Empty title="Nothing has run yet.">
        <p class="muted">Each run appears here. The latest 20 are kept.</p>
      </Empty>
    ) : (
      <ul class="rows">
        {items.map(({ id, title, state, startedAt }) => (
          <li key={id}>
            <a href={rehearsalLink(rehearsal, 'runs', id)} data-row="">
              <span class="what">{title}</span>
              <span>
                <RunBadge state={state} />
              </span>
              <span class="meta">{wallTime(startedAt)}</span>
            </a>
          </li>
        ))}
      </ul>
    ),
  );
}
