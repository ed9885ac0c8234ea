import { isOpen } from '../../shared/catalog/control/run-states.ts';
import { act, busy, control, drawn, isBusy, linkHere, type Output, route, useRead } from '../data/data.ts';
import { Badge, Card, counted, duration, Empty, FilterField, failure, PageHead, Term } from '../kit/kit.ts';
import { flows } from './catalog.ts';
import css from './flows.module.css';
import { type ListedRun, RunBadge, runScenario, useRuns } from './run-list.tsx';

type Scenario = Output<'list-scenarios'>['items'][number];

/** The documented flows, and the scenarios that follow or disturb them, each with its latest result. */
export function Flows() {
  const scenarios = useRead('list-scenarios');
  const runs = useRuns();
  const words = (route.value.query.get('q') ?? '').toLowerCase();
  const shown = (scenarios.value?.items ?? []).filter((one) => textOf(one).includes(words));
  // The list has the newest run first.
  const latest = new Map((runs.value?.items ?? []).toReversed().map((run) => [run.scenario, run]));
  return (
    <div class="stack">
      <PageHead
        title="Flows"
        about={
          <>
            Each <Term word="Scenario">scenario</Term> runs in a separate <Term word="Rehearsal">rehearsal</Term>, which stays for
            inspection
          </>
        }
      />
      <div class="line">
        <div class={css.filter}>
          <FilterField
            parameter="q"
            label="Filter: flow, scenario, what goes wrong"
            placeholder="Filter: flow, scenario, what goes wrong"
          />
        </div>
        <button type="button" class="primary" aria-disabled={isBusy()} onClick={() => void runAll(shown)}>
          {words === '' ? 'Run all' : `Run ${shown.length} shown`}
        </button>
        <a href={linkHere('runs')}>Latest runs</a>
        <span class="muted" role="status">
          {summaryOf([...latest.values()])}
        </span>
      </div>
      {drawn(scenarios, () =>
        shown.length === 0 ? (
          <Empty title="No scenario has this text." />
        ) : (
          groupsOf(shown).map(({ number, title, onFailure, scenarios: ofFlow }) => (
            <Card key={title} title={number === undefined ? title : `${number}. ${title}`}>
              {onFailure !== undefined && <p class="in muted">{onFailure}</p>}
              <ul class={`items ${css.items} ${css.scenarios}`}>
                {ofFlow.map((scenario) => (
                  <ScenarioRow key={scenario.name} scenario={scenario} shownIn={number} run={latest.get(scenario.name)} />
                ))}
              </ul>
            </Card>
          ))
        ),
      )}
    </div>
  );
}

const titleOfFlow = (number: number): string => flows.find((flow) => flow.number === number)?.title ?? '';
const textOf = ({ name, title, flows: ofScenario, pains }: Scenario): string =>
  [name, title, ...pains, ...ofScenario.map(titleOfFlow)].join(' ').toLowerCase();

/** `12 passed, 2 running`; empty without runs. */
const summaryOf = (runs: readonly ListedRun[]): string =>
  [...Map.groupBy(runs, ({ state }) => state)].map(([state, ofState]) => `${ofState.length} ${state}`).join(', ');

/** Starts all scenarios. Two run at a time. */
const runAll = (scenarios: readonly Scenario[]): Promise<void> =>
  act('run all', async () => {
    let started = 0;
    for (const { name } of scenarios) {
      const isStarted = await control('start-run', { body: { scenario: name } }).then(
        () => true,
        () => false,
      );
      if (!isStarted) return failure(`${started} of ${scenarios.length} scenarios were started: too many wait already.`);
      started += 1;
    }
    return `${counted(started, 'scenario')} started. Each result appears beside its scenario.`;
  });

interface Group {
  readonly number?: number;
  readonly title: string;
  readonly onFailure?: string;
  readonly scenarios: readonly Scenario[];
}

/** Lists each scenario under its first flow. Scenarios without a flow come last. */
function groupsOf(items: readonly Scenario[]): readonly Group[] {
  const documented = flows.map((flow) => ({
    ...flow,
    scenarios: items.filter(({ flows }) => flows[0] === flow.number),
  }));
  const others = { title: 'Returns and refunds', scenarios: items.filter(({ flows }) => flows.length === 0) };
  return [...documented, others].filter(({ scenarios }) => scenarios.length > 0);
}

interface ScenarioRowProps {
  readonly scenario: Scenario;
  readonly shownIn: number | undefined;
  /** Its latest run. */
  readonly run: ListedRun | undefined;
}

function ScenarioRow({ scenario, shownIn, run }: ScenarioRowProps) {
  const { name, title, flows: ofScenario, pains } = scenario;
  const others = ofScenario.filter((flow) => flow !== shownIn);
  return (
    <li>
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        <p class="line">
          <code class="muted">{name}</code>
          {others.length > 0 && <span class="muted">also {others.map((flow) => `flow ${flow}`).join(', ')}</span>}
        </p>
        {pains.length > 0 && (
          <p>
            <Badge tone="warn">goes wrong</Badge> {pains.join('; ')}
          </p>
        )}
        {run?.failure !== undefined && <p class="brk">{run.failure}</p>}
      </div>
      <div class="line">
        {run && (
          <a href={linkHere('runs', run.id)} aria-label={`${run.state}: latest run of ${title}`} data-row="">
            <RunBadge state={run.state} />
          </a>
        )}
        {run?.endedAt !== undefined && <span class="muted">{duration(Date.parse(run.endedAt) - Date.parse(run.startedAt))}</span>}
        <button
          type="button"
          aria-label={`Run: ${title}`}
          aria-disabled={busy.value === undefined && !(run && isOpen(run)) ? undefined : 'true'}
          onClick={() => void (run && isOpen(run) ? undefined : runScenario(scenario))}
        >
          Run
        </button>
      </div>
    </li>
  );
}
