import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { DEMO_CREDENTIALS } from '../../rehearsal/estate-rehearsal.ts';
import { runScenario } from '../../rehearsal/runner.ts';
import type { Scenario } from '../../rehearsal/scenario.ts';
import { scenarios } from '../../rehearsal/scenarios.ts';
import { paymentHubSuite } from '../../shared/contract/suites/payment-hub.ts';
import { notedReport } from '../support/noted-report.ts';
import { textOf } from '../support/tracked-files.ts';
import { type ComposeProject, composeProject } from './compose-project.ts';
import { estateImage } from './estate-image.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

const STARTUP_MS = 420_000;

if (whyNoDocker === undefined) describe('The example adapter in place of the Payment Hub, in compose', withAdapter);
else skipWithoutDocker('the example adapter in place of the Payment Hub');

function withAdapter(): void {
  let project: ComposeProject;

  beforeAll(async () => {
    const files = ['docker-compose.yml', 'examples/payment-hub-adapter/compose.yml'];
    project = await composeProject({ image: await estateImage(), files });
    await project.compose('up', '--wait', '--quiet-pull');
  }, STARTUP_MS);

  afterAll(() => project?.down(), STARTUP_MS);

  const { notOffered } = parse(textOf('examples/payment-hub-adapter/map.yaml')) as { readonly notOffered: readonly string[] };
  const isPossible = ({ name }: Scenario): boolean => !paymentHubSuite.scenarioNeeds[name]?.some((one) => notOffered.includes(one));
  const played = scenarios.filter(isPossible);

  test.each(played.map((scenario) => [scenario.name, scenario] as const))('The scenario %s passes', async (_name, scenario) => {
    const { noted, report } = notedReport();
    let swapped: readonly unknown[] = [];
    await runScenario(scenario, {
      gateway: project.gateway,
      ...DEMO_CREDENTIALS,
      report,
      examine: async ({ client }) => {
        swapped = (await client.control('list-swaps')).items;
      },
    });
    expect(noted.at(-1)).toBe('passed');
    expect(swapped).toMatchObject([{ application: 'payment-hub', violations: [] }]);
  });
}
