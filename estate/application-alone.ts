import type { Application } from '../shared/catalog/applications.ts';
import type { Logger } from '../shared/process/logger.ts';
import { allReady, type State } from '../shared/process/readiness.ts';
import { startApplication } from '../shared/runtime/application.ts';
import type { Configuration } from './configuration.ts';
import { agentForCalls, openBus, openStore } from './infrastructure.ts';
import { observing } from './observability.ts';
import { portTaken } from './listen-errors.ts';
import type { RegisteredApplication } from './registry.ts';

/** A process with one of the estate's services. It listens from the start, and is ready when its infrastructure is. */
export interface RunningService {
  readonly url: string;
  readonly ready: Promise<void>;
  drain(): void;
  close(): Promise<void>;
}

/** The code of the others is not loaded. */
const load = (application: Application): Promise<RegisteredApplication> => import(`./${application}/service.ts`);

/** Starts an application that shares its state in Redis and its events on Kafka with the others. */
export async function startApplicationAlone(application: Application, configuration: Configuration, log: Logger): Promise<RunningService> {
  const { HOST, PORT, ESTATE_TOKEN: token = '', GATEWAY_URL, STRICT_RESPONSES, addressOf } = configuration;
  const { service } = await load(application);
  const adapter = openStore(configuration, log);
  const bus = await openBus(configuration, log);
  const observability = await observing(configuration);
  const agent = agentForCalls();
  const stopping = new AbortController();
  const states = (): readonly State[] => [adapter.state(), bus.state()];
  const running = await startApplication({
    ...{ service, adapter, bus, addressOf, token, agent, log, observability },
    gatewayUrl: () => GATEWAY_URL,
    host: HOST,
    port: PORT,
    strictResponses: STRICT_RESPONSES,
    stopping: stopping.signal,
  }).catch(portTaken('PORT'));
  return {
    url: running.url,
    ready: allReady(states, stopping.signal),
    drain: running.drain,
    close: async () => {
      stopping.abort();
      await running.close();
      await agent.close();
      await bus.close();
      await observability.stop();
      await adapter.close();
    },
  };
}
