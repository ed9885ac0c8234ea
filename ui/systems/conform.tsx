import { isOpen } from '../../shared/catalog/control/run-states.ts';
import { act, apiTitle, control, isBusy, type Output, useResource } from '../data/data.ts';
import { counted } from '../kit/kit.ts';
import { Glyph } from '../kit/state.tsx';
import css from './systems.module.css';

type Run = Output<'read-run'>;
type Check = Run['steps'][number];

/** The checks of a system as they pass; undefined before the first ones. */
export function useChecks(id: string | undefined): Run | undefined {
  const read = useResource(
    `checks ${id}`,
    async (signal) => (id === undefined ? undefined : control('read-run', { params: { id } }, { signal })),
    {
      follows: ['runs', 'gap'],
    },
  );
  return read.value;
}

/** What the contract demands, by call: as the checks pass. */
export function Conform({ run }: { run: Run | undefined }) {
  if (!run)
    return (
      <p class="muted">
        The checks are the contract: its schema, its states, its rules, and what a repeat does. They call your system, and nothing of this
        rehearsal changes.
      </p>
    );
  const checks = run.steps.filter(({ kind }) => kind === 'check');
  const isRunning = isOpen(run);
  const calls = Map.groupBy(checks, ({ api }) => api ?? '');
  const wrong = [...calls.keys()].find((api) => calls.get(api)?.some(({ outcome }) => outcome === 'failed'));
  const last = checks.at(-1)?.api;
  const stop = (): Promise<void> =>
    act('stop', async () => {
      await control('delete-run', { params: { id: run.id }, query: { ended: 'keep' } });
      return 'The checks are stopped.';
    });
  return (
    <section class="stack-tight" aria-label="Checks">
      <h2>
        Conform <span class="muted small">{run.system?.url}</span>
      </h2>
      <p role="status" class="line">
        {isRunning
          ? `${run.state === 'waiting' ? 'The checks wait for their turn' : 'Checking'}; ${counted(checks.length, 'check')} so far.`
          : run.state === 'passed'
            ? 'It fits.'
            : undefined}
        {isRunning && (
          <button type="button" aria-disabled={isBusy()} onClick={() => void stop()}>
            Stop
          </button>
        )}
      </p>
      {run.state === 'stopped' && <p class="muted">The checks were stopped.</p>}
      {run.failure !== undefined && (
        <div class="problem">
          <p class="empty-title">{run.failure}</p>
          <p class="small">Correct it and check again. Until then, ours answers; the shadow shows each difference.</p>
        </div>
      )}
      {calls.size > 0 && (
        <ul class={`card rows ${css.calls}`}>
          {[...calls].map(([api, ofCall]) => (
            <li key={api}>
              <Call api={api} checks={ofCall} isShown={api === wrong || (isRunning && api === last)} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const KINDS = { passed: 'done', failed: 'failed', 'not checked': 'waiting', 'not offered': undefined } as const;
const ORDER = ['failed', 'not checked', 'passed', 'not offered'] as const;

function Call({ api, checks, isShown }: { api: string; checks: readonly Check[]; isShown: boolean }) {
  const worst = ORDER.find((outcome) => checks.some((one) => one.outcome === outcome)) ?? 'passed';
  const passed = checks.filter(({ outcome }) => outcome === 'passed').length;
  const judged = checks.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed').length;
  return (
    <details open={isShown}>
      <summary>
        <Glyph kind={KINDS[worst]} />
        <span>{apiTitle(api)}</span>
        <span class="muted small">{checks[0]?.obligation === 'may' && 'may'}</span>
        <span class="muted">{judged > 0 ? `${passed} of ${judged}` : checks[0]?.outcome}</span>
      </summary>
      <ul>
        {checks.map(({ number, title, outcome = 'passed', detail }) => (
          <li key={number} class="brk">
            <Glyph kind={KINDS[outcome]} />
            <span>
              <span class="unseen">{outcome}: </span>
              {title}
              {detail !== undefined && <span class={outcome === 'failed' ? 'wrong' : 'muted'}>. {detail}</span>}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
