import { randomBytes } from 'node:crypto';
import type { Application } from '../shared/catalog/applications.ts';
import type { Logger } from '../shared/process/logger.ts';
import { allReady, READY, type State } from '../shared/process/readiness.ts';
import { type RunningApplication, startApplication } from '../shared/runtime/application.ts';
import type { StoreAdapter } from '../shared/store/ports/estate-store.ts';
import type { Endpoint } from '../shared/transport/endpoint.ts';
import { createHttpTransport } from '../shared/transport/http-transport.ts';
import { createInProcessTransport } from '../shared/transport/in-process-transport.ts';
import type { DemoCredentials } from '../ui/data/config.ts';
import { adaptersOf, type Configuration } from './configuration.ts';
import { openElsewhere } from './elsewhere.ts';
import { openFrontDoor } from './front-door.ts';
import { agentForCalls, closeInfrastructure, openBus, openStore, startObservability } from './infrastructure.ts';
import { ownListeners } from './own-listeners.ts';
import { registeredApplications } from './registry.ts';
import { loadConfiguredFixtures, type Report } from './seeding.ts';
import { startTouchpoint } from './touchpoint.ts';

export interface RunningEstate {
  readonly gateway: string;
  readonly touchpoint: string;
  readonly portal: string;
  /** The address of the console. Absent when it is off. */
  readonly console?: string;
  readonly applications: Readonly<Record<string, string>>;
  readonly adapters: { readonly state: string; readonly events: string };
  readonly demo: DemoCredentials;
  /** Everything that must be ready before requests can be served. */
  states(): readonly State[];
  /** Resolves when the estate is ready. */
  readonly ready: Promise<void>;
  /** Answers not ready from now on, so that load balancers stop sending requests. */
  drain(): void;
  close(): Promise<void>;
}

/** A random secret. It need not be configured, because only this process uses it. */
const randomSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Starts the whole estate in this process. `TRANSPORT` chooses how its gateway and applications call each other; state and events are where
 * configured.
 * @param given the store, in place of the configured one
 */
export async function startEstate(
  configuration: Configuration,
  log: Logger,
  given?: StoreAdapter,
  report: Report = (sentence) => log.warn(sentence),
): Promise<RunningEstate> {
  const adapter = given ?? (await openStore(configuration, log));
  const fixtures = await loadConfiguredFixtures(configuration, report);
  const stopping = new AbortController();
  const bus = await openBus(configuration, log, { worlds: adapter.worlds, turns: adapter.turns, stopping: stopping.signal });
  const observability = await startObservability(configuration);
  const { ESTATE_TOKEN: token = randomSecret(), CREDENTIAL_PEPPER: pepper = randomSecret() } = configuration;
  const agent = agentForCalls();
  const addresses = new Map<Application, string>();
  const addressOf = (application: Application): string => {
    const address = addresses.get(application);
    if (address === undefined) throw new Error(`${application} has not started.`);
    return address;
  };
  const endpoints = new Map<Application, Endpoint>();
  const endpointOf = configuration.TRANSPORT === 'http' ? undefined : (application: Application) => endpoints.get(application);
  const transport = endpointOf
    ? createInProcessTransport({ endpointOf, addressOf, token })
    : createHttpTransport({ addressOf, token, agent });

  let gatewayUrl = '';
  let portalUrl = '';
  let touchpointUrls: readonly string[] = [];
  const own = () => ownListeners({ ...configuration, addressOf }, [gatewayUrl, ...touchpointUrls]);
  const elsewhere = openElsewhere(configuration, { token, own });
  const running: RunningApplication[] = [];
  const closing: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    stopping.abort();
    for (const close of closing.toReversed()) await close();
    await elsewhere.close();
    await closeInfrastructure({ agent, bus, observability, adapter });
  };
  let touchpointState: State = { ready: false, waitingFor: 'the touchpoint mock' };
  const states = (): readonly State[] => [adapter.state(), bus.state(), touchpointState];
  try {
    for (const { service } of registeredApplications) {
      const started = await startApplication({
        service,
        adapter,
        bus,
        transport,
        token,
        agent,
        elsewhere: elsewhere.plug,
        log,
        observability,
        gatewayUrl: () => gatewayUrl,
        host: '127.0.0.1',
        port: 0,
        strictResponses: configuration.STRICT_RESPONSES,
        stopping: stopping.signal,
      });
      running.push(started);
      closing.push(started.close);
      addresses.set(started.application, started.url);
      endpoints.set(started.application, started.endpoint);
    }
    const door = await openFrontDoor({
      configuration,
      fixtures,
      adapter,
      states,
      addressOf,
      endpointOf,
      transport,
      listeners: () => touchpointUrls,
      touchpoint: () => (touchpointState.ready ? { state: 'ready', portal: portalUrl } : { state: 'away' }),
      token,
      pepper,
      agent,
      log,
      observability,
      stopping: stopping.signal,
    });
    closing.push(door.close);
    // The deliveries of a world of another release wait until it has been examined.
    door.examined.then(() => bus.resume?.());
    gatewayUrl = door.url;
    const touchpoint = await startTouchpoint(configuration, log, configuration.CONSOLE === 'on' ? { gateway: door.url } : {});
    closing.push(touchpoint.close);
    portalUrl = touchpoint.portal;
    touchpointUrls = [touchpoint.mock, touchpoint.portal];
    touchpointState = READY;
    return {
      gateway: door.url,
      touchpoint: touchpoint.mock,
      portal: touchpoint.portal,
      console: configuration.CONSOLE === 'on' ? `${door.url}/console/` : undefined,
      applications: Object.fromEntries(running.map(({ application, url }) => [application, url])),
      adapters: adaptersOf(configuration),
      demo: door.demo,
      states,
      ready: door.prepared.then(() => allReady(states, stopping.signal)),
      drain: () => {
        door.drain();
        touchpoint.drain();
        for (const { drain } of running) drain();
      },
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
