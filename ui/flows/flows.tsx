import './flows.css';
import { flows } from '../data/catalog.ts';
import { act, busy, control, drawn, navigate, type Output, rehearsalLink, useResource } from '../data/data.ts';
import { Badge, Card, Heading } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import { RunList } from './run-list.tsx';

type Scenario = Output<'list-scenarios'>['items'][number];

/** The documented flows, the scenarios that follow or disturb them, and the latest runs. */
export function Flows({ rehearsal }: PageProps) {
  const scenarios = useResource('scenarios', (signal) => control('list-scenarios', undefined, { signal }));
  return (
    <div class="stack">
      <div class="title">
        <Heading title="Flows">Flows</Heading>
        <p class="muted">Each scenario runs in a separate rehearsal, which stays for inspection</p>
      </div>
      <div class="flow-columns">
        <div class="stack">
          {drawn(scenarios, ({ items }) =>
            groupsOf(items).map(({ number, title, onFailure, scenarios: ofFlow }) => (
              <Card key={title} title={number === undefined ? title : `${number}. ${title}`}>
                {onFailure !== undefined && <p class="in muted">{onFailure}</p>}
                <ul class="scenarios">
                  {ofFlow.map((scenario) => (
                    <ScenarioRow key={scenario.name} scenario={scenario} rehearsal={rehearsal} shownIn={number} />
                  ))}
                </ul>
              </Card>
            )),
          )}
        </div>
        <Card title="Latest runs">
          <RunList rehearsal={rehearsal} />
        </Card>
      </div>
    </div>
  );
}

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

function ScenarioRow({ scenario, rehearsal, shownIn }: { scenario: Scenario; rehearsal: string; shownIn: number | undefined }) {
  const { name, title, flows, pains } = scenario;
  const also = flows.filter((flow) => flow !== shownIn);
  const run = (): Promise<void> =>
    act(`run ${name}`, async () => {
      const { id } = await control('start-run', { body: { scenario: name } });
      navigate(rehearsalLink(rehearsal, 'runs', id));
      return `${title}: it runs.`;
    });
  return (
    <li>
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        <p class="line">
          <code class="muted">{name}</code>
          {also.length > 0 && <span class="muted">also {also.map((flow) => `flow ${flow}`).join(', ')}</span>}
        </p>
        {pains.length > 0 && (
          <p>
            <Badge tone="warn">goes wrong</Badge> {pains.join('; ')}
          </p>
        )}
      </div>
      <button
        type="button"
        aria-label={`Run: ${title}`}
        aria-disabled={busy.value === undefined ? undefined : 'true'}
        onClick={() => void run()}
      >
        Run
      </button>
    </li>
  );
}
