import { startApplication } from '../shared/runtime/application.ts';
import type { Logger } from '../shared/runtime/logger.ts';
import type { State } from '../shared/runtime/readiness.ts';
import type { Configuration } from './configuration.ts';
import { agentForCalls, allReady, fixturesOf } from './estate.ts';
import { openFrontDoor } from './front-door.ts';
import { openBus, openStore } from './infrastructure.ts';
import { portTaken } from './ports-taken.ts';
import { registeredApplications } from './registry.ts';

/** A process with one of the estate's services. It listens from the start, and is ready when its infrastructure is. */
export interface RunningService {
  readonly url: string;
  readonly ready: Promise<void>;
  drain(): void;
  close(): Promise<void>;
}

/** What configuration demands of every service by itself. */
function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new Error(`${name} is missing: the configuration should have been refused.`);
  return value;
}

export async function startApplicationAlone(configuration: Configuration, log: Logger): Promise<RunningService> {
  const { SERVICE, HOST, PORT, ESTATE_TOKEN, GATEWAY_URL, STRICT_RESPONSES, addressOf } = configuration;
  const registered = registeredApplications.find(({ service }) => service.application === SERVICE);
  const { service } = required(`The application ${SERVICE}`, registered);
  const adapter = openStore(configuration, log);
  const bus = await openBus(configuration, log);
  const agent = agentForCalls();
  const stopping = new AbortController();
  const states = (): readonly State[] => [adapter.state(), bus.state()];
  const application = await startApplication({
    ...{ service, adapter, bus, addressOf, agent, log },
    token: required('ESTATE_TOKEN', ESTATE_TOKEN),
    gatewayUrl: () => GATEWAY_URL,
    host: HOST,
    port: PORT,
    strictResponses: STRICT_RESPONSES,
    stopping: stopping.signal,
  }).catch(portTaken('PORT'));
  return {
    url: application.url,
    ready: allReady(states, stopping.signal),
    drain: application.drain,
    close: async () => {
      stopping.abort();
      await application.close();
      await agent.close();
      await bus.close();
      await adapter.close();
    },
  };
}

export async function startGatewayAlone(configuration: Configuration, log: Logger): Promise<RunningService> {
  const { ESTATE_TOKEN, CREDENTIAL_PEPPER, addressOf } = configuration;
  const fixtures = await fixturesOf(configuration);
  const adapter = openStore(configuration, log);
  const agent = agentForCalls();
  const stopping = new AbortController();
  const states = (): readonly State[] => [adapter.state()];
  const door = await openFrontDoor({
    ...{ configuration, fixtures, adapter, states, addressOf, agent, log },
    token: required('ESTATE_TOKEN', ESTATE_TOKEN),
    pepper: required('CREDENTIAL_PEPPER', CREDENTIAL_PEPPER),
    stopping: stopping.signal,
  });
  return {
    url: door.url,
    ready: door.prepared.then(() => allReady(states, stopping.signal)),
    drain: door.drain,
    close: async () => {
      stopping.abort();
      await door.close();
      await agent.close();
      await adapter.close();
    },
  };
}
