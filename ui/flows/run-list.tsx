import { act, control, drawn, linkHere, type Output, type Resource, useRead } from '../data/data.ts';
import { Badge, Empty, Row, type Tone, wallTime } from '../kit/kit.ts';

type RunState = Output<'read-run'>['state'];
export type ListedRun = Output<'list-runs'>['items'][number];

const TONES: Readonly<Record<RunState, Tone | undefined>> = {
  waiting: undefined,
  running: 'event',
  passed: 'good',
  failed: 'bad',
  stopped: 'warn',
};

export const RunBadge = ({ state }: { state: RunState }) => <Badge tone={TONES[state]}>{state}</Badge>;

/** The latest runs of the estate, newest first, kept up to date by the stream. */
export const useRuns = (): Resource<Output<'list-runs'>> => useRead('list-runs', undefined, { follows: ['runs', 'gap'] });

/** Starts a scenario. Its result appears beside it in the list of flows. */
export const runScenario = ({ name, title }: { readonly name: string; readonly title: string }): Promise<void> =>
  act(`run ${name}`, async () => {
    const { id } = await control('start-run', { body: { scenario: name } });
    const link = linkHere('runs', id);
    return { text: `“${title}” runs.`, link: { href: link, words: 'See its steps' } };
  });

export const RunList = () =>
  drawn(useRuns(), ({ items }) =>
    items.length === 0 ? (
      <Empty title="Nothing has run yet.">
        <p class="muted">Each run appears here. The latest 40 are kept.</p>
      </Empty>
    ) : (
      <ul class="rows">
        {items.map(({ id, title, state, startedAt }) => (
          <Row key={id} href={linkHere('runs', id)} what={title} badge={<RunBadge state={state} />} meta={[wallTime(startedAt)]} />
        ))}
      </ul>
    ),
  );
