import './flows.css';
import { h } from 'preact';
import { flows } from '../data/catalog.ts';
import { act, busy, control, drawn, navigate, type Output, rehearsalLink, useResource } from '../data/data.ts';
import { Badge, Card, Heading } from '../kit/kit.ts';
import type { PageProps } from '../shell/page.ts';
import { RunList } from './run-list.ts';

type Scenario = Output<'list-scenarios'>['items'][number];

/** The documented flows, the scenarios that follow or disturb them, and the latest runs. */
export function Flows({ rehearsal }: PageProps) {
  const scenarios = useResource('scenarios', (signal) => control('list-scenarios', undefined, { signal }));
  return h(
    'div',
    { class: 'stack' },
    h(
      'div',
      { class: 'title' },
      h(Heading, { title: 'Flows' }, 'Flows'),
      h('p', { class: 'muted' }, 'Each scenario runs in a separate rehearsal, which stays for inspection'),
    ),
    h(
      'div',
      { class: 'flow-columns' },
      h(
        'div',
        { class: 'stack' },
        drawn(scenarios, ({ items }) =>
          groupsOf(items).map(({ number, title, onFailure, scenarios: ofFlow }) =>
            h(
              Card,
              { key: title, title: number === undefined ? title : `${number}. ${title}` },
              onFailure !== undefined && h('p', { class: 'in muted' }, onFailure),
              h(
                'ul',
                { class: 'scenarios' },
                ofFlow.map((scenario) => h(ScenarioRow, { key: scenario.name, scenario, rehearsal, shownIn: number })),
              ),
            ),
          ),
        ),
      ),
      h(Card, { title: 'Latest runs' }, h(RunList, { rehearsal })),
    ),
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
  return h(
    'li',
    {},
    h(
      'div',
      {},
      h('p', {}, h('strong', {}, title)),
      h(
        'p',
        { class: 'line' },
        h('code', { class: 'muted' }, name),
        also.length > 0 && h('span', { class: 'muted' }, `also ${also.map((flow) => `flow ${flow}`).join(', ')}`),
      ),
      pains.length > 0 && h('p', {}, h(Badge, { tone: 'warn' }, 'goes wrong'), ` ${pains.join('; ')}`),
    ),
    h(
      'button',
      {
        type: 'button',
        'aria-label': `Run: ${title}`,
        'aria-disabled': busy.value === undefined ? undefined : 'true',
        onClick: () => void run(),
      },
      'Run',
    ),
  );
}
