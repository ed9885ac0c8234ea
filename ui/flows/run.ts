import { h } from 'preact';
import {
  act,
  apiTitle,
  applicationTitle,
  asRefusal,
  busy,
  control,
  drawn,
  type Output,
  rehearsalLink,
  useReread,
  useResource,
} from '../data/data.ts';
import { Card, duration, Empty, Heading, StatusBadge, wallTime } from '../kit/kit.ts';
import { InvariantList } from '../rehearsals/invariants-card.ts';
import type { PageProps } from '../shell/page.ts';
import { RunBadge, RunList } from './run-list.ts';

type RunRecord = Output<'read-run'>;

/** A run of a scenario: its steps as they happen, and whether the invariants hold at its end. */
export function Run({ rehearsal, rest: [id] }: PageProps) {
  const read = useResource(`run ${id}`, async (signal) => ({ run: id === undefined ? undefined : await readRun(id, signal) }));
  useReread(['runs', 'gap'], read.reload);
  return drawn(read, ({ run }) => (run ? h(KnownRun, { rehearsal, run, reread: read.reload }) : h(UnknownRun, { rehearsal, id })));
}

/** @returns undefined for a run that is not kept */
const readRun = (id: string, signal: AbortSignal): Promise<RunRecord | undefined> =>
  control('read-run', { params: { id } }, { signal }).catch((error: unknown) => {
    if (asRefusal(error).status === 404) return undefined;
    throw error;
  });

const UnknownRun = ({ rehearsal, id }: { rehearsal: string; id: string | undefined }) =>
  h(
    'div',
    { class: 'stack' },
    h(Heading, { title: 'Runs' }, id === undefined ? 'Latest runs' : ['There is no run ', h('code', { class: 'brk' }, id)]),
    id !== undefined &&
      h('p', { class: 'muted' }, 'The id is wrong, it was removed, or newer runs have replaced it: the latest 20 are kept.'),
    h(Card, { label: 'Latest runs' }, h(RunList, { rehearsal })),
    h('p', {}, h('a', { class: 'button', href: rehearsalLink(rehearsal, 'flows') }, 'All flows')),
  );

function KnownRun({ rehearsal, run, reread }: { rehearsal: string; run: RunRecord; reread: () => void }) {
  const { id, title, scenario, state, startedAt, endedAt, steps, invariants, failure } = run;
  const isOpen = state === 'waiting' || state === 'running';
  const stop = (): Promise<void> =>
    act('stop', async () => {
      // It may end at this moment: its result must stay.
      await control('delete-run', { params: { id }, query: { ended: 'keep' } });
      reread();
      const now = await control('read-run', { params: { id } });
      return now.state === 'stopped' ? 'Stopped; its rehearsal is deleted.' : `It had ended already: ${now.state}.`;
    });
  // The rehearsal of a stopped run is deleted.
  const own = state === 'stopped' ? undefined : run.rehearsal;
  return h(
    'div',
    { class: 'stack' },
    h(
      'div',
      { class: 'title' },
      h('div', { class: 'line' }, h(Heading, { title }, title), h(RunBadge, { state })),
      h('a', { href: rehearsalLink(rehearsal, 'flows') }, '← All flows'),
    ),
    h(
      'div',
      { class: 'line muted' },
      h('code', {}, scenario),
      h('span', {}, `started ${wallTime(startedAt)}`),
      endedAt !== undefined && h('span', {}, `took ${duration(Date.parse(endedAt) - Date.parse(startedAt))}`),
      own !== undefined && h('a', { class: 'button brk', href: rehearsalLink(own, 'activity') }, `Rehearsal ${own}`),
      isOpen &&
        h('button', { type: 'button', 'aria-disabled': busy.value === undefined ? undefined : 'true', onClick: () => void stop() }, 'Stop'),
    ),
    failure !== undefined &&
      h(
        'div',
        { class: 'problem' },
        h('p', { class: 'empty-title' }, state === 'stopped' ? 'It was stopped' : 'It failed'),
        h('p', {}, failure),
      ),
    h(
      Card,
      { title: `Steps (${steps.length})` },
      steps.length === 0
        ? h(Empty, { title: isOpen ? 'Steps appear here as they happen.' : 'It made no step.' })
        : h(
            'ol',
            { class: 'steps-of-run' },
            steps.map((step) => h(StepRow, { key: step.number, step, own })),
          ),
    ),
    invariants.length > 0 && h(Card, { title: 'Invariants at the end' }, h(InvariantList, { invariants: invariants })),
  );
}

function StepRow({ step, own }: { step: RunRecord['steps'][number]; own: string | undefined }) {
  const { number, kind, title, call, application, api, status, ms, events = [], correlationId } = step;
  if (kind === 'note') return h('li', { class: 'note' }, h('span', { class: 'muted' }, number), h('p', { class: 'muted brk' }, title));
  return h(
    'li',
    {},
    h('span', { class: 'muted' }, number),
    h(
      'div',
      {},
      h(
        'p',
        {},
        own !== undefined && correlationId !== undefined
          ? h('a', { href: rehearsalLink(own, 'activity', correlationId), 'data-row': '' }, h('strong', {}, title))
          : h('strong', {}, title),
      ),
      h(
        'p',
        { class: 'muted brk' },
        [api !== undefined && apiTitle(api), application !== undefined && applicationTitle(application), ms !== undefined && duration(ms)]
          .filter(Boolean)
          .join(' · '),
        call !== undefined && [' · ', h('code', {}, call)],
      ),
      events.length > 0 && h('p', { class: 'event-text brk' }, events.join(', ')),
    ),
    status !== undefined && h(StatusBadge, { status }),
  );
}
