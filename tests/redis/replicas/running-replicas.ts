import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { Agent } from 'undici';
import { readConfiguration } from '../../../estate/configuration.ts';
import { openElsewhere } from '../../../estate/elsewhere.ts';
import { type FrontDoor, openFrontDoor } from '../../../estate/front-door.ts';
import { registeredApplications } from '../../../estate/registry.ts';
import { loadFixtures } from '../../../fixtures/load.ts';
import { createEstateClient } from '../../../rehearsal/estate-client.ts';
import { type Application, applicationNames } from '../../../shared/catalog/applications.ts';
import { createObservability } from '../../../shared/observability/observability.ts';
import { createLogger } from '../../../shared/process/logger.ts';
import { type RunningApplication, startApplication } from '../../../shared/runtime/application.ts';
import type { StoreAdapter } from '../../../shared/store/ports/estate-store.ts';
import { createRedisStore, type RedisStoreOptions } from '../../../shared/store/redis/store.ts';
import { createHttpTransport } from '../../../shared/transport/http-transport.ts';
import type { AnyService } from '../../../shared/work/handler.ts';
import { ADMIN } from '../../support/open-rehearsal.ts';
import { type PlainClient, plain } from '../../support/plain-client.ts';
import { describeWithRedis } from '../with-redis.ts';
import { startBalancer } from './balancer.ts';
import { createGroupBus } from './group-bus.ts';

const TOKEN = 'the-token-of-an-estate-with-replicas';
const PEPPER = 'the-pepper-of-an-estate-with-replicas';

export interface ReplicasOptions {
  readonly redis: string;
  /** Each process has a connection to Redis, a gateway and a replica of every application. */
  readonly processes?: number;
  readonly services?: readonly AnyService[];
  readonly store?: Partial<RedisStoreOptions>;
}

interface Replica {
  readonly adapter: StoreAdapter;
  readonly applications: readonly RunningApplication[];
  readonly door: FrontDoor;
  readonly client: PlainClient;
}

/** An estate in several copies that share one Redis and the bus. Each call within the estate goes to the next replica. */
export async function startReplicas({ redis, processes = 2, services = [], store = {} }: ReplicasOptions) {
  const prefix = `${randomUUID()}:`;
  const bus = createGroupBus();
  const agent = new Agent({ connections: 128 });
  const log = createLogger('silent');
  const stopping = new AbortController();
  const configuration = readConfiguration({ GATEWAY_PORT: '0', RATE_LIMIT_PER_ADDRESS: '1000000', RATE_LIMIT_PER_KEY: '1000000' });
  const fixtures = await loadFixtures();
  const real = openElsewhere(configuration, { token: TOKEN, own: () => [] });
  const urls = new Map<Application, string[]>(applicationNames.map((name) => [name, []]));
  let calls = 0;
  const addressOf = (application: Application): string => {
    const known = urls.get(application) ?? [];
    return known[calls++ % known.length] ?? 'http://127.0.0.1:1';
  };
  const transport = createHttpTransport({ addressOf, token: TOKEN, agent });
  let gatewayUrl = '';
  const service = (registered: AnyService): AnyService =>
    services.find(({ application }) => application === registered.application) ?? registered;

  async function startReplica(): Promise<Replica> {
    const adapter = await createRedisStore({ ...store, url: redis, prefix });
    const shared = { adapter, transport, token: TOKEN, agent, log, stopping: stopping.signal };
    const own = { bus, elsewhere: real.plug, gatewayUrl: () => gatewayUrl, host: '127.0.0.1', port: 0, strictResponses: true };
    const start = (registered: AnyService) => startApplication({ ...shared, ...own, service: service(registered) });
    const applications = await Promise.all(registeredApplications.map((registered) => start(registered.service)));
    for (const { application, url } of applications) urls.get(application)?.push(url);
    const outside = { configuration, fixtures, addressOf, pepper: PEPPER, states: () => [adapter.state()] };
    const door = await openFrontDoor({ ...shared, ...outside, observability: createObservability() });
    return { adapter, applications, door, client: clientOf(door.url) };
  }

  const replicas = await Promise.all(Array.from({ length: processes }, startReplica));
  await Promise.all(replicas.map(({ door }) => door.prepared));
  const balancer = await startBalancer(replicas.map(({ door }) => door.url));
  gatewayUrl = balancer.url;
  const stoppedGateways = new Set<string>();

  return {
    replicas,
    redis,
    prefix,
    bus,
    /** Leads each request to the next gateway. */
    gateway: balancer.url,
    /** Stops the gateway that got the last request with this path. @returns its address */
    async stopGatewayOf(path: string): Promise<string> {
      const url = balancer.lastAt(path) ?? '';
      balancer.leaveOut(url);
      const [stopped] = replicas.filter(({ door }) => door.url === url);
      if (!stopped || stoppedGateways.has(url)) throw new Error(`No running gateway got a request at ${path}.`);
      stoppedGateways.add(url);
      await stopped.door.close();
      return url;
    },
    agent,
    addressOf,
    token: TOKEN,
    async close(): Promise<void> {
      stopping.abort();
      await balancer.close();
      for (const { door, client } of replicas) {
        await client.close();
        if (!stoppedGateways.has(door.url)) await door.close();
      }
      await Promise.all(replicas.flatMap(({ applications }) => applications.map((application) => application.close())));
      await real.close();
      await agent.destroy();
      await bus.close();
      await Promise.all(replicas.map(({ adapter }) => adapter.close()));
    },
  };
}

export type Replicas = Awaited<ReturnType<typeof startReplicas>>;

/** A client with credentials that are bound to no rehearsal. */
export const clientOf = (gateway: string, rehearsal = 'default'): PlainClient =>
  plain(createEstateClient({ gateway, bearer: 'demo-integration-token', apiKey: 'demo-carrier-key', admin: ADMIN, rehearsal }));

/** Describes tests of an estate with replicas on its own Redis. Without `redis-server` they are skipped. */
export function describeReplicas(title: string, options: Omit<ReplicasOptions, 'redis'>, body: (estate: Replicas) => void): void {
  describeWithRedis(title, (redis) => {
    const estate = {} as Replicas;
    beforeAll(async () => void Object.assign(estate, await startReplicas({ redis: redis.server.url, ...options })));
    afterAll(() => estate.close?.());
    body(estate);
  });
}
