import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { Agent } from 'undici';
import { loadFixtures } from '../fixtures/load.ts';
import { createClockDriver } from '../gateway/control/clock-driver.ts';
import { createControlPlane } from '../gateway/control/control-plane.ts';
import { createInsideCall } from '../gateway/control/inside-call.ts';
import { createRehearsals, DEFAULT_REHEARSAL } from '../gateway/control/rehearsals.ts';
import { createDocuments } from '../gateway/documents.ts';
import { startGateway } from '../gateway/gateway.ts';
import type { Application } from '../shared/catalog/applications.ts';
import { createMemoryBus } from '../shared/events/memory-bus.ts';
import { type RunningApplication, startApplication } from '../shared/runtime/application.ts';
import type { Logger } from '../shared/runtime/logger.ts';
import { createMemoryStore } from '../shared/store/memory-store.ts';
import type { Snapshot } from '../shared/store/ports.ts';
import { type Configuration, StartError } from './configuration.ts';
import { registeredApplications } from './registry.ts';
import { objectsOf, seedSnapshot } from './seeding.ts';
import { startTouchpointMock } from './touchpoint-mock/mock-server.ts';
import { startPortal } from './touchpoint-mock/portal-server.ts';

export interface RunningEstate {
  readonly gateway: string;
  readonly touchpoint: string;
  readonly portal: string;
  readonly applications: Readonly<Record<string, string>>;
  readonly adapters: { readonly state: string; readonly events: string };
  /** Answers not ready from now on, so that whoever balances load looks elsewhere. */
  drain(): void;
  close(): Promise<void>;
}

/** Starts the whole estate in this process: real HTTP between its applications, state and events in memory. */
export async function startEstate(configuration: Configuration, log: Logger): Promise<RunningEstate> {
  const directory = configuration.FIXTURES_DIR === undefined ? undefined : pathToFileURL(`${configuration.FIXTURES_DIR}/`);
  const fixtures = await loadFixtures(directory);
  const { credentials } = fixtures.at(Date.now());
  refuseDemoCredentials(configuration);

  const adapter = createMemoryStore({ journal: configuration.JOURNAL === 'on' });
  const bus = createMemoryBus();
  const token = randomBytes(32).toString('base64url');
  const pepper = randomBytes(32).toString('base64url');
  const agent = new Agent({ connections: 128, keepAliveTimeout: 30_000, keepAliveMaxTimeout: 60_000 });
  const addresses = new Map<Application, string>();
  const addressOf = (application: Application): string => {
    const address = addresses.get(application);
    if (address === undefined) throw new Error(`${application} has not started.`);
    return address;
  };

  let gatewayUrl = '';
  const stopping = new AbortController();
  const running: RunningApplication[] = [];
  const closing: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.toReversed()) await close();
    await agent.close();
    await bus.close();
    await adapter.close();
  };
  try {
    for (const { service } of registeredApplications) {
      const started = await startApplication({
        service,
        adapter,
        bus,
        addressOf,
        token,
        agent,
        log,
        gatewayUrl: () => gatewayUrl,
        host: '127.0.0.1',
        port: 0,
        strictResponses: configuration.STRICT_RESPONSES,
        stopping: stopping.signal,
      });
      running.push(started);
      closing.push(started.close);
      addresses.set(started.application, started.url);
    }
    const driver = createClockDriver({ worlds: adapter.worlds, addressOf, token, agent, log });
    closing.push(driver.stop);
    const seed = (now: number): Snapshot => seedSnapshot(fixtures.at(now), now);
    const rehearsals = createRehearsals({
      worlds: adapter.worlds,
      seed,
      pepper,
      defaultWebhookSecret: credentials.find(({ kind }) => kind === 'signature')?.secret,
    });
    await rehearsals.ensure(DEFAULT_REHEARSAL);
    const gateway = await startGateway({
      host: configuration.HOST,
      port: configuration.GATEWAY_PORT,
      directory: adapter.worlds,
      createRehearsal: rehearsals.ensure,
      credentials: credentials.flatMap(({ kind, secret, ...credential }) =>
        kind === 'signature' ? [] : [{ ...credential, kind, key: secret }],
      ),
      pepper,
      addressOf,
      token,
      simulation: adapter.simulation,
      log: log.child({ application: 'gateway' }),
      control: createControlPlane({
        worlds: adapter.worlds,
        rehearsals,
        driver,
        ask: createInsideCall({ addressOf, token, agent }),
        objects: objectsOf(registeredApplications.map(({ service }) => service)),
        simulation: adapter.simulation,
        log,
        stopping: stopping.signal,
      }),
      documents: createDocuments(),
      limits: { perAddressPerMinute: configuration.RATE_LIMIT_PER_ADDRESS, perKeyPerMinute: configuration.RATE_LIMIT_PER_KEY },
      states: () => [adapter.state(), bus.state()],
    }).catch(portTaken('GATEWAY_PORT'));
    closing.push(gateway.close);
    gatewayUrl = gateway.url;
    const touchpoint = await startTouchpoint(configuration, log);
    closing.push(touchpoint.close);
    return {
      gateway: gateway.url,
      touchpoint: touchpoint.mock,
      portal: touchpoint.portal,
      applications: Object.fromEntries(running.map(({ application, url }) => [application, url])),
      adapters: { state: 'memory', events: 'memory' },
      drain: () => {
        gateway.drain();
        for (const { drain } of running) drain();
        touchpoint.drain();
      },
      close: () => {
        stopping.abort();
        return closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Starts the touchpoint mock and its portal, which share nothing with the rest of the estate. */
export async function startTouchpoint(configuration: Configuration, log: Logger) {
  const { HOST, TOUCHPOINT_PORT, PORTAL_HOST, PORTAL_PORT, MOCK_STORE_KEY, MOCK_LANES } = configuration;
  const shared = { storeKey: MOCK_STORE_KEY, lanes: MOCK_LANES, logger: log };
  const mock = await startTouchpointMock({ ...shared, host: HOST, port: TOUCHPOINT_PORT }).catch(portTaken('TOUCHPOINT_PORT'));
  try {
    const portal = await startPortal({ ...shared, host: PORTAL_HOST, port: PORTAL_PORT, mockUrl: mock.url }).catch(
      portTaken('PORTAL_PORT'),
    );
    return {
      mock: mock.url,
      portal: portal.url,
      drain: () => {
        mock.drain();
        portal.drain();
      },
      close: async () => {
        await portal.close();
        await mock.close();
      },
    };
  } catch (error) {
    await mock.close();
    throw error;
  }
}

const portTaken =
  (variable: string) =>
  (error: unknown): never => {
    const { code, port } = error as { code?: string; port?: number };
    if (code === 'EADDRINUSE') throw new StartError(`Port ${port} is taken; free it, or choose another one with ${variable}.`, 1);
    if (code === 'EACCES') throw new StartError(`Port ${port} may not be opened by this user; choose another one with ${variable}.`, 1);
    throw error;
  };

/** The demo credentials stand in public files: in production they let nobody in by accident. */
function refuseDemoCredentials({ NODE_ENV, ALLOW_DEMO_CREDENTIALS, FIXTURES_DIR }: Configuration): void {
  if (NODE_ENV !== 'production' || ALLOW_DEMO_CREDENTIALS || FIXTURES_DIR !== undefined) return;
  throw new StartError(
    'With NODE_ENV=production the demo credentials of fixtures/credentials.json are refused; bring your own with FIXTURES_DIR, or set ALLOW_DEMO_CREDENTIALS=true.',
  );
}
