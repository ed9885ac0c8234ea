import type { ScenarioRunner } from '../control/runs/scenario-runner.ts';
import type { Credential } from '../fixtures/files.ts';
import { pains } from '../rehearsal/scenario.ts';
import type { Report } from '../rehearsal/stage.ts';
import type { World } from '../shared/domain/world.ts';
import { Agent } from '../shared/process/http-client.ts';

interface ScenarioRunsOptions {
  /** Called for every run, because the address is known only after the gateway has started. */
  readonly gateway: () => string;
  readonly credentials: readonly Credential[];
}

/** Runs the scenarios of `rehearsal/` as a client of this process's gateway, with the credentials of the fixtures. */
export function createScenarioRuns({ gateway, credentials }: ScenarioRunsOptions): ScenarioRunner {
  const agent = new Agent({ keepAliveTimeout: KEEP_ALIVE_MS });
  const secretOf = (kind: Credential['kind'], scope: Credential['scopes'][number]): string =>
    credentials.find((credential) => credential.kind === kind && credential.scopes.includes(scope))?.secret ?? '';
  const access = { bearer: secretOf('bearer', 'catalog'), apiKey: secretOf('api-key', 'catalog'), admin: secretOf('bearer', 'control') };

  return {
    list: async () =>
      (await loadScenarios()).map(({ name, title, flows, pains: known = [] }) => ({
        name,
        title,
        flows: [...flows],
        pains: known.map((pain) => pains[pain]),
      })),
    run: async (name, report, signal) => {
      const scenario = (await loadScenarios()).find((one) => one.name === name);
      if (!scenario) throw new Error(`There is no scenario ${name}.`);
      const { runScenario } = await import('../rehearsal/runner.ts');
      let failure: string | undefined;
      const passedOn: Report = {
        begin: (_scenario, rehearsal, world) => report.begin(rehearsal, world as World),
        step: ({ events, ...step }) => report.step({ ...step, events: [...events] }),
        note: (text) => report.note(text),
        invariants: (results) => report.invariants([...results]),
        end: (_scenario, reason) => {
          failure = reason;
        },
      };
      await runScenario(scenario, { ...access, gateway: gateway(), agent, report: passedOn, signal, leavesRehearsal: true });
      return failure;
    },
    breakOff: () => agent.destroy(),
  };
}

/** Idle connections are closed soon, so that a stopping process does not wait for them. */
const KEEP_ALIVE_MS = 1_000;

/** Loaded on first use: the start of an estate does not need them. */
const loadScenarios = async () => (await import('../rehearsal/scenarios.ts')).scenarios;
