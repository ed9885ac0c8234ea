import { Router } from 'express';
import type { Agent } from 'undici';
import { createConsole } from '../console/serve.ts';
import { createClockDriver } from '../control/clock/driver.ts';
import { createControlPlane } from '../control/control-plane.ts';
import { createDryCall, createOutsideCall } from '../control/outside-call.ts';
import { createPaymentPage } from '../control/payment-page.ts';
import { createReadiness, statesOf } from '../control/readiness.ts';
import { startExpiry } from '../control/rehearsals/expiry.ts';
import { withOwnData } from '../control/rehearsals/own-data.ts';
import { createRehearsals, type Rehearsals } from '../control/rehearsals/rehearsals.ts';
import { createUpgrades } from '../control/rehearsals/upgrades.ts';
import { createUse } from '../control/rehearsals/use.ts';
import { createRuns } from '../control/runs/runs.ts';
import { createSnapshots } from '../control/snapshots/snapshots.ts';
import { createStreams } from '../control/stream/streams.ts';
import { createRealSystems } from '../control/swaps/real-systems.ts';
import { changedSwaps, permittedSwaps } from '../control/swaps/swaps.ts';
import { createSystemChecks } from '../control/swaps/system-checks.ts';
import { createTopology, type TouchpointState } from '../control/topology.ts';
import { createForbiddenChanges } from '../control/verify/forbidden-changes.ts';
import { createVerifications, verifyWorld } from '../control/verify/verify.ts';
import { createRegistrations } from '../control/webhooks/registrations.ts';
import { createWebhookWork } from '../control/webhooks/work.ts';
import type { FixtureSet } from '../fixtures/load.ts';
import { createDocuments } from '../gateway/documents.ts';
import { type GatewayOptions, startGateway } from '../gateway/gateway.ts';
import { createProductPictures } from '../gateway/pictures/serve.ts';
import manifest from '../package.json' with { type: 'json' };
import { GATEWAY } from '../shared/catalog/applications.ts';
import { isProblem } from '../shared/catalog/problems.ts';
import { createEstateCalls } from '../shared/control/estate-call.ts';
import { stepsBreathing } from '../shared/domain/breathe.ts';
import { idleExpiryMs } from '../shared/domain/duration.ts';
import { DEFAULT_REHEARSAL } from '../shared/domain/ids.ts';
import { movedInTime } from '../shared/domain/moved-in-time.ts';
import { keepSecret, showTokens } from '../shared/domain/redaction.ts';
import type { Observability } from '../shared/observability/observability.ts';
import { READY, type State } from '../shared/process/readiness.ts';
import { createSlices, NEVER_GONE } from '../shared/process/slices.ts';
import { pause } from '../shared/process/waiting.ts';
import type { StoreAdapter, Worlds } from '../shared/store/ports/estate-store.ts';
import type { Transport } from '../shared/transport/transport.ts';
import type { DemoCredentials } from '../ui/data/config.ts';
import { createAgents } from './agents.ts';
import { adaptersInUse, type Configuration, corsOriginsOf, eventServers } from './configuration.ts';
import { configuredSwaps } from './configured-swaps.ts';
import { consoleConfig, publicAmong, refuseDemoCredentials } from './console.ts';
import { openOutside } from './elsewhere.ts';
import { worldBytesOf } from './infrastructure.ts';
import { ownListeners } from './own-listeners.ts';
import { objectsOf, registeredApplications } from './registry.ts';
import { createScenarioRuns } from './scenario-runs.ts';
import { seedData, seedSteps } from './seeding.ts';
import { checks, createReceive } from './snapshot-checks.ts';
import { explainListenError } from './start-error.ts';

/** Wall time until the default rehearsal is opened again after the store failed. */
const RETRY_MS = 500;

interface FrontDoorOptions extends Pick<GatewayOptions, 'states' | 'addressOf' | 'endpointOf' | 'token' | 'pepper' | 'log'> {
  readonly configuration: Configuration;
  readonly fixtures: FixtureSet;
  readonly adapter: StoreAdapter;
  /** Carries due work and the outside world's calls to the applications. */
  readonly transport: Transport;
  /** Undefined: the touchpoint mock does not belong to this process. */
  readonly touchpoint?: () => TouchpointState;
  /** URLs of further listeners of this process, which webhooks never call. */
  readonly listeners?: () => readonly string[];
  readonly agent: Agent;
  readonly observability: Observability;
  readonly stopping: AbortSignal;
}

export interface FrontDoor {
  readonly url: string;
  readonly demo: DemoCredentials;
  /** Resolves when each world of another release has been adopted or refused. */
  readonly examined: Promise<void>;
  /** Resolves when the default rehearsal exists. */
  readonly prepared: Promise<void>;
  drain(): void;
  close(): Promise<void>;
}

/** Starts the gateway and the control plane, which drives the clocks of all rehearsals. */
export async function openFrontDoor(options: FrontDoorOptions): Promise<FrontDoor> {
  const { configuration, fixtures, adapter, addressOf, transport, token, pepper, agent, log, observability, stopping } = options;
  const { touchpoint = (): TouchpointState => ({ state: 'unknown' }) } = options;
  const now = Date.now();
  const { credentials, paymentTokens, products } = fixtures.at(now);
  const documents = Router().use(
    createDocuments(eventServers(configuration)),
    createProductPictures(new Map(products.map(({ sku, name }) => [sku, name]))),
  );
  refuseDemoCredentials(configuration, credentials, log);
  keepSecret(credentials.map(({ secret }) => secret));
  showTokens(paymentTokens.map(({ token }) => token));
  const defaultSwaps = configuredSwaps(configuration);
  const console = consoleConfig(configuration, credentials, () => touchpoint().portal);
  let url = '';
  const callFromOutside = createOutsideCall({ transport, numbers: adapter.worlds, turns: adapter.turns });
  const outside = openOutside(configuration, () => ownListeners({ ...configuration, addressOf }, [url, ...(options.listeners?.() ?? [])]));
  const outbound = outside.checked;
  const gatewayStore = adapter.store(GATEWAY);
  const ownWork = createWebhookWork({ store: gatewayStore, worlds: adapter.worlds, control: adapter.control, outbound, log });
  const webhooks = createRegistrations({ store: gatewayStore, worlds: adapter.worlds, outbound });
  const driver = createClockDriver({ worlds: adapter.worlds, transport, turns: adapter.turns, ownWork, log });
  const inSlices = createSlices();
  const seed = movedInTime((at: number) => seedData(fixtures.at(at), at, defaultSwaps), now);
  const { estate, scratch, verify } = checks();
  const upgrades = createUpgrades({ worlds: adapter.worlds, estate, scratch, verify, seed, inSlices, log, stopping });
  const worlds = withResolve(adapter.worlds, upgrades.resolve);
  const rehearsals = createRehearsals({
    worlds,
    heap: adapter.heap,
    seed,
    seedWith: ({ data, swaps }, at) =>
      inSlices(NEVER_GONE, async (breathe) => {
        const { fixtures: changed, leftOut } = data
          ? await withOwnData(fixtures, data, { now: at, breathe })
          : { fixtures: fixtures.at(at), leftOut: undefined };
        const seed = await stepsBreathing(seedSteps(changed, at, { ...defaultSwaps, ...swaps }), breathe);
        return { seed: { ...seed, data }, leftOut };
      }),
    permitted: (requested) => permittedSwaps(outbound, requested),
    changed: (world, changes) => changedSwaps(outbound, adapter.worlds, world, changes),
    pepper,
    defaultWebhookSecret: credentials.find(({ kind }) => kind === 'signature')?.secret,
    kept: webhooks.kept,
    opened: (name) => snapshots.open(name),
    limits: { most: configuration.MAX_REHEARSALS, idleMs: idleExpiryMs(configuration.REHEARSAL_IDLE_EXPIRY) },
  });
  const objects = objectsOf(registeredApplications.map(({ service }) => service));
  const forbiddenChanges = createForbiddenChanges({ store: gatewayStore, control: adapter.control });
  const snapshots = createSnapshots({
    worlds: adapter.worlds,
    driver,
    forbiddenChanges,
    estate,
    receive: createReceive({
      most: configuration.MAX_SNAPSHOT_BYTES,
      secrets: [...credentials.map(({ secret }) => secret), token, pepper],
      inSlices,
    }),
    inSlices,
    limits: { most: configuration.MAX_SNAPSHOTS, bytes: configuration.MAX_SNAPSHOT_BYTES },
    version: manifest.version,
  });
  const use = createUse({ worlds: adapter.worlds, log });
  const runs = createRuns({ store: adapter.worlds, scenarios: createScenarioRuns({ gateway: () => url, credentials }), log });
  const agents = createAgents({ gateway: () => url, pepper, agent, log });
  observability.watchWorlds(() => adapter.worlds.backlog());
  const readiness = createReadiness({ addressOf, agent });
  let preparing: State = { ready: false, waitingFor: `the rehearsal "${DEFAULT_REHEARSAL}"` };
  const gateway = await startGateway({
    host: configuration.HOST,
    port: configuration.GATEWAY_PORT,
    directory: worlds,
    turns: adapter.turns,
    createRehearsal: rehearsals.ensure,
    noteUse: use.note,
    worldBytes: worldBytesOf(configuration),
    heap: adapter.heap,
    snapshotBytes: configuration.MAX_SNAPSHOT_BYTES,
    credentials: [
      ...credentials.flatMap(({ kind, secret, ...credential }) =>
        kind === 'signature' || kind === 'oauth-client' ? [] : [{ ...credential, kind, key: secret }],
      ),
      ...agents.credentials,
    ],
    clients: credentials.filter(({ kind }) => kind === 'oauth-client'),
    pepper,
    addressOf,
    endpointOf: options.endpointOf,
    token,
    control: adapter.control,
    log: log.child({ application: 'gateway' }),
    controlPlane: createControlPlane({
      log,
      worlds: adapter.worlds,
      rehearsals,
      use,
      driver,
      turns: adapter.turns,
      callFromOutside,
      callDry: createDryCall({ transport }),
      realSystems: createRealSystems({ transport, estateCalls: createEstateCalls(token) }),
      runs,
      checkSystem: createSystemChecks({ ...outside, runs }),
      streams: createStreams(),
      webhooks,
      snapshots,
      snapshotBytes: configuration.MAX_SNAPSHOT_BYTES,
      objects,
      verified: createVerifications({
        verify: (world, breathe) => verifyWorld(adapter.worlds, world, objects, breathe),
        inSlices,
      }),
      forbiddenChanges,
      inSlices,
      control: adapter.control,
      topology: createTopology({ worlds: adapter.worlds, readiness, touchpoint, adapters: adaptersInUse(configuration) }),
      stopping,
    }),
    agents: agents.answer,
    documents: Router().use(
      createPaymentPage({ rehearsals, use, numbers: adapter.worlds, callFromOutside }),
      ...(configuration.CONSOLE === 'on' ? [createConsole(console, configuration.NODE_ENV === 'production')] : []),
      documents,
    ),
    allowedHosts: configuration.ALLOWED_HOSTS,
    corsOrigins: corsOriginsOf(configuration),
    limits: { perAddressPerMinute: configuration.RATE_LIMIT_PER_ADDRESS, perKeyPerMinute: configuration.RATE_LIMIT_PER_KEY },
    states: () => [...options.states(), preparing, ...upgrades.states()],
    applicationStates: async (how) => statesOf(how === 'now' ? await readiness() : readiness.latest()),
    observability,
  }).catch(explainListenError('GATEWAY_PORT'));
  url = gateway.url;
  const expiry = startExpiry({ worlds: adapter.worlds, log });
  const prepared = upgrades.examined
    .then(() => ensureDefault(rehearsals, stopping))
    .then(() => {
      preparing = READY;
    });
  return {
    url: gateway.url,
    demo: publicAmong(credentials),
    examined: upgrades.examined,
    prepared,
    drain: gateway.drain,
    close: async () => {
      await runs.stop();
      await gateway.close();
      await expiry.stop();
      await driver.stop();
      await outside.close();
      await prepared;
      await upgrades.stop();
    },
  };
}

/** The store of worlds with another way to find a rehearsal. Its members may be made on demand. */
const withResolve = (worlds: Worlds, resolve: Worlds['resolve']): Worlds =>
  new Proxy(worlds, { get: (target, name) => (name === 'resolve' ? resolve : Reflect.get(target, name)) });

/** Repeats until it succeeds. The store itself reports why it is unavailable. */
async function ensureDefault(rehearsals: Rehearsals, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await rehearsals.ensure(DEFAULT_REHEARSAL);
      return;
    } catch (error) {
      // The other rehearsals can be used.
      if (isProblem(error, 'incompatible_world')) return;
      await pause(RETRY_MS);
    }
  }
}
