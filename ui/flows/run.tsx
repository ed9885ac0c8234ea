import { isOpen } from '../../shared/catalog/control/run-states.ts';
import {
  act,
  apiTitle,
  applicationTitle,
  asRefusal,
  control,
  drawn,
  isBusy,
  linkHere,
  type Output,
  rehearsalLink,
  useResource,
} from '../data/data.ts';
import { Badge, Card, duration, Empty, InvariantList, PageHead, type PageProps, StatusBadge, Unknown, wallTime } from '../kit/kit.ts';
import css from './flows.module.css';
import { RunBadge, RunList } from './run-list.tsx';

type RunRecord = Output<'read-run'>;

/** A run of a scenario: its steps as they happen, and whether the invariants hold at its end. */
export function Run({ rest: [id] }: PageProps) {
  const read = useResource(`run ${id}`, async (signal) => ({ run: id === undefined ? undefined : await readRun(id, signal) }), {
    follows: ['runs', 'gap'],
  });
  return drawn(read, ({ run }) => (run ? <KnownRun run={run} reread={read.reload} /> : <UnknownRun id={id} />));
}

/** @returns undefined for a run that is not kept */
const readRun = (id: string, signal: AbortSignal): Promise<RunRecord | undefined> =>
  control('read-run', { params: { id } }, { signal }).catch((error: unknown) => {
    if (asRefusal(error).status === 404) return undefined;
    throw error;
  });

const UnknownRun = ({ id }: { id: string | undefined }) => (
  <Unknown
    title="Runs"
    words={id === undefined ? 'Latest runs' : 'There is no run'}
    id={id}
    why={id !== undefined && 'The id is wrong, it was removed, or newer runs have replaced it: the latest 40 are kept.'}
    card={<RunList />}
  >
    <p>
      <a class="button" href={linkHere('flows')}>
        All flows
      </a>
    </p>
  </Unknown>
);

function KnownRun({ run, reread }: { run: RunRecord; reread: () => void }) {
  const { id, title, scenario, state, startedAt, endedAt, steps, invariants, failure } = run;
  const isRunning = isOpen(run);
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
  return (
    <div class="stack">
      <PageHead title={title} badge={<RunBadge state={state} />} back={[linkHere('flows'), 'All flows']} />
      <div class="line muted">
        <code>{scenario}</code>
        <span>started {wallTime(startedAt)}</span>
        {endedAt !== undefined && <span>took {duration(Date.parse(endedAt) - Date.parse(startedAt))}</span>}
        {own !== undefined && (
          <a class="button brk" href={rehearsalLink(own, 'activity')}>
            Rehearsal {own}
          </a>
        )}
        {own !== undefined && steps.length > 0 && (
          <a class="button" href={rehearsalLink(own, 'play')}>
            Play its story
          </a>
        )}
        {isRunning && (
          <button type="button" aria-disabled={isBusy()} onClick={() => void stop()}>
            Stop
          </button>
        )}
      </div>
      {failure !== undefined && (
        <div class="problem">
          <p class="empty-title">{state === 'stopped' ? 'It was stopped' : 'It failed'}</p>
          <p>{failure}</p>
        </div>
      )}
      <Card title={`Steps (${steps.length})`}>
        {steps.length === 0 ? (
          <Empty title={isRunning ? 'Steps appear here as they happen.' : 'It made no step.'} />
        ) : (
          <ol class={`items ${css.items} ${css.steps}`}>
            {steps.map((step) => (
              <StepRow key={step.number} step={step} own={own} />
            ))}
          </ol>
        )}
      </Card>
      {invariants.length > 0 && (
        <Card title="Invariants at the end">
          <InvariantList invariants={invariants} />
        </Card>
      )}
    </div>
  );
}

function StepRow({ step, own }: { step: RunRecord['steps'][number]; own: string | undefined }) {
  const { number, kind, title, call, application, api, status, ms, events = [], correlationId, outcome, detail } = step;
  if (kind === 'note')
    return (
      <li>
        <span class="muted">{number}</span>
        <p class="muted brk">{title}</p>
      </li>
    );
  return (
    <li>
      <span class="muted">{number}</span>
      <div>
        <p>
          {own !== undefined && correlationId !== undefined ? (
            <a href={rehearsalLink(own, 'activity', correlationId)} data-row="">
              <strong>{title}</strong>
            </a>
          ) : (
            <strong>{title}</strong>
          )}
        </p>
        <p class="muted brk">
          {[
            api !== undefined && apiTitle(api),
            application !== undefined && applicationTitle(application),
            ms !== undefined && duration(ms),
          ]
            .filter(Boolean)
            .join(' · ')}
          {call !== undefined && (
            <>
              {' '}
              · <code>{call}</code>
            </>
          )}
        </p>
        {detail !== undefined && <p class={outcome === 'failed' ? 'wrong brk' : 'muted brk'}>{detail}</p>}
        {events.length > 0 && <p class="event-text brk">{events.join(', ')}</p>}
      </div>
      {outcome !== undefined ? (
        <Badge tone={outcome === 'passed' ? 'good' : outcome === 'failed' ? 'bad' : undefined}>{outcome}</Badge>
      ) : (
        status !== undefined && <StatusBadge status={status} />
      )}
    </li>
  );
}
