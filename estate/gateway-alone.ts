import type { Logger } from '../shared/process/logger.ts';
import { allReady, type State } from '../shared/process/readiness.ts';
import { createHttpTransport } from '../shared/transport/http-transport.ts';
import type { RunningService } from './application-alone.ts';
import type { Configuration } from './configuration.ts';
import { openFrontDoor } from './front-door.ts';
import { agentForCalls, closeInfrastructure, openStore, startObservability } from './infrastructure.ts';
import { loadConfiguredFixtures } from './seeding.ts';

/** Starts the gateway. It shares its state in Redis with the applications. */
export async function startGatewayAlone(configuration: Configuration, log: Logger): Promise<RunningService> {
  const { ESTATE_TOKEN: token = '', CREDENTIAL_PEPPER: pepper = '', addressOf } = configuration;
  const fixtures = await loadConfiguredFixtures(configuration, (sentence) => log.warn(sentence));
  const adapter = await openStore(configuration, log);
  const observability = await startObservability(configuration);
  const agent = agentForCalls();
  const stopping = new AbortController();
  const states = (): readonly State[] => [adapter.state()];
  const door = await openFrontDoor({
    configuration,
    fixtures,
    adapter,
    states,
    addressOf,
    transport: createHttpTransport({ addressOf, token, agent }),
    token,
    pepper,
    agent,
    log,
    observability,
    stopping: stopping.signal,
  });
  return {
    url: door.url,
    ready: door.prepared.then(() => allReady(states, stopping.signal)),
    drain: door.drain,
    close: async () => {
      stopping.abort();
      await door.close();
      await closeInfrastructure({ agent, observability, adapter });
    },
  };
}
