import { expect, test } from '@jest/globals';
import { type Pain, pains } from '../../rehearsal/pains.ts';
import { runScenario } from '../../rehearsal/runner.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { flows } from '../../shared/catalog/flows.ts';
import { ADMIN, estate } from '../support/estate.ts';
import { toldReport } from '../support/told-report.ts';

test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('The rehearsal %s passes', async (_name, scenario) => {
  const { told, report } = toldReport();
  const credentials = { bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN };
  await runScenario(scenario, { gateway: estate.gateway, ...credentials, report });
  expect(told.at(-1)).toBe('passed');
});

test('Every documented flow and every failure mode has a rehearsal', () => {
  expect(flows.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(flows.filter(({ number }) => !scenarios.some((scenario) => scenario.flows.includes(number)))).toEqual([]);
  expect((Object.keys(pains) as Pain[]).filter((pain) => !scenarios.some((scenario) => scenario.pains?.includes(pain)))).toEqual([]);
});

test('Names of rehearsals are unique', () => {
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});
