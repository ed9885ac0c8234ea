import { expect, test } from '@jest/globals';
import type { EstateClient } from '../../rehearsal/estate-client.ts';
import { runScenario } from '../../rehearsal/runner.ts';
import { type Pain, pains, type Scenario } from '../../rehearsal/scenario.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { flows } from '../../shared/catalog/flows.ts';
import { ADMIN, estate } from '../support/estate.ts';
import { brokenTies } from '../support/journal-ties.ts';
import { notedReport } from '../support/noted-report.ts';
import { replayed } from '../support/replay.ts';

const credentials = { bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN };

async function checkJournal({ client }: { readonly client: EstateClient }): Promise<void> {
  const { items, truncated } = await client.control('read-journal', { query: { limit: 5_000, bodies: 'false' } });
  expect([truncated, items.length > 0, brokenTies(items)]).toEqual([false, true, []]);
}

test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  'The scenario %s passes, in its journal every parent and every call names a hop, and the scenario recorded from it passes',
  async (_name, scenario) => {
    const { noted, report } = notedReport();
    let story = '';
    const examine = async (run: { readonly client: EstateClient }): Promise<void> => {
      await checkJournal(run);
      // A rehearsal with its own data is not recorded.
      if (scenario.data === undefined) story = (await run.client.control('read-story')).text;
    };
    await runScenario(scenario, { gateway: estate.gateway, ...credentials, report, examine });
    expect(noted.at(-1)).toBe('passed');
    if (scenario.data === undefined) expect(await replayed(story)).toBe('passed');
  },
);

test('Every documented flow and every failure mode has a scenario', () => {
  expect(flows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(flows.filter(({ number }) => !scenarios.some((scenario) => scenario.flows.includes(number)))).toEqual([]);
  expect((Object.keys(pains) as Pain[]).filter((pain) => !scenarios.some((scenario) => scenario.pains?.includes(pain)))).toEqual([]);
});

test('The names of scenarios are unique', () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});

test('A scenario gets the newest event of more than a thousand', async () => {
  const { noted, report } = notedReport();
  const body = { channel: 'web' } as const;
  const many: Scenario = {
    name: 'many-baskets',
    title: 'Many baskets',
    flows: [],
    async run(stage) {
      await stage.together(
        'baskets',
        Array.from({ length: 1_000 }, () => ({ call: 'POST /baskets', body }) as const),
      );
      const { body: newest } = await stage.step({ title: 'the last basket', call: 'POST /baskets', body });
      stage.expect('the newest event', (await stage.event('basket-created')).id, newest.id);
    },
  };
  await runScenario(many, { gateway: estate.gateway, ...credentials, report });
  expect(noted.at(-1)).toBe('passed');
});
