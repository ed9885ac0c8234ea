import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import { Agent } from 'undici';
import { createClockDriver } from '../../control/clock/driver.ts';
import { readConfiguration } from '../../estate/configuration.ts';
import { openElsewhere } from '../../estate/elsewhere.ts';
import { registeredApplications } from '../../estate/registry.ts';
import { type RunningGateway, startGateway } from '../../gateway/gateway.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import type { World } from '../../shared/domain/world.ts';
import type { Bus, Deliver } from '../../shared/events/bus.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { type RunningApplication, startApplication } from '../../shared/runtime/application.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import type { Store } from '../../shared/store/ports/estate-store.ts';
import type { Plan } from '../../shared/store/ports/plan.ts';
import { createRedisStore } from '../../shared/store/redis/store.ts';
import { createHttpTransport } from '../../shared/transport/http-transport.ts';
import { estate } from './estate.ts';

/** When a process dies: at its n-th commit, before the store receives it, or after, before anybody receives the answer. */
export interface Crash {
  readonly application: Application;
  readonly commit: number;
  readonly when: 'before' | 'after';
}

/**
 * Leases of a crashed process: they `end` with it, as if it were replaced only after their expiry, or they
 * `run out` in wall time, which takes well under a second here.
 */
export type Leases = 'end' | 'run out';

/** Wall time that a request and due work may take. */
export const DEADLINE_MS = { end: 15_000, 'run out': 5_000 } as const;
/** Negative, leases run out long before the deadline; a request that is merely slow may then lose its lease to a repeat as well. */
const LEASE_MARGIN_MS = { end: 5_000, 'run out': -4_200 } as const;
/** Short, so that the outbox of a dead relay is found soon. A slow relay may then send an event twice, which is allowed. */
const RELAY_LEASE_MS = 200;

/** A lease of an application on something in a world. */
interface Lease {
  readonly world: World;
  readonly release: () => Promise<void>;
}

interface Instance {
  dead: boolean;
  running?: RunningApplication;
  /** Its consumer of events. Deliveries that it has not acknowledged before a crash go to its successor. */
  deliver?: Deliver;
  unsubscribe?: () => void;
  /** The claims of its requests, by token. A commit ends a claim too, so some are stale. */
  readonly claimed: Map<string, Lease>;
  /** The due work that it leased. */
  readonly taken: Lease[];
  readonly death: PromiseWithResolvers<Instance>;
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * All applications in this process on one surviving store. They crash on request: connections break off, running work stops,
 * and a new instance starts on the same store.
 */
export async function startMortalApplications(leases: Leases) {
  const options = { relayLeaseMs: RELAY_LEASE_MS };
  const adapter = estate.redis
    ? await createRedisStore({ ...options, url: estate.redis, prefix: `${randomUUID()}:` })
    : createMemoryStore(options);
  const bus = createMemoryBus();
  const agent = new Agent({ keepAliveTimeout: 1_000 });
  const log = createLogger('silent');
  const token = 'inside';
  const elsewhere = openElsewhere(readConfiguration({}), { token, own: () => [] });
  const instances = new Map<Application, Instance>();
  /** The armed crash with its world, and the number of commits there since. */
  let armed: { readonly world: World; readonly crash: Crash | undefined; readonly commits: Map<Application, number> } | undefined;
  let crashes = 0;
  let restarts: Promise<void>[] = [];
  /**
   * Due work leased by crashed instances until the test settles or advances. When leases run out, the retrying client is
   * the first to notice, because the clock is not notified.
   */
  const abandoned: (() => Promise<void>)[] = [];
  let resting = 0;
  // Only webhooks pass this gateway. It stores nothing and never crashes.
  let gateway: RunningGateway | undefined;
  const addressOf = (application: Application): string => instances.get(application)?.running?.url ?? 'http://127.0.0.1:1';
  const transport = createHttpTransport({ addressOf, token, agent });

  /** Whether the process dies at this commit, and when. */
  function fate(application: Application, world: World): Crash['when'] | undefined {
    if (armed?.world !== world) return undefined;
    const count = (armed.commits.get(application) ?? 0) + 1;
    armed.commits.set(application, count);
    const { crash } = armed;
    return crash?.application === application && crash.commit === count ? crash.when : undefined;
  }

  function mortal(store: Store, instance: Instance, service: Application): Store {
    const alive =
      <A extends unknown[], R>(operation: (...args: A) => Promise<R>) =>
      (...args: A): Promise<R> =>
        instance.dead ? never<R>() : operation(...args);
    const { application, ...operations } = store;
    const mortals = Object.entries(operations).map(([name, operation]) => [name, alive(operation as () => Promise<unknown>)]);
    return {
      application,
      ...(Object.fromEntries(mortals) as typeof operations),
      claim: alive(async (world, request) => {
        const claim = await store.claim(world, request);
        if (claim.is === 'ours')
          instance.claimed.set(claim.token, { world, release: () => store.release(world, request.key, claim.token) });
        return claim;
      }),
      release: alive((world, key, held) => {
        instance.claimed.delete(held);
        return store.release(world, key, held);
      }),
      commit: alive(async (world, plan) => {
        const when = fate(service, world);
        if (when !== 'before') noteDue(instance, store, world, plan);
        if (when === undefined) return store.commit(world, plan);
        if (when === 'after') await store.commit(world, plan);
        crashes += 1;
        restarts.push(dieAndRestart(instance, service));
        return never();
      }),
    };
  }

  /** Redelivers unacknowledged events of a crashed process to the next one, like a broker. */
  function mortalBus(instance: Instance): Bus {
    return {
      ...bus,
      subscribe: async (application, wanted, deliver) => {
        instance.deliver = async (event) => {
          const delivered = instance.dead ? never<undefined>() : deliver(event).then(() => undefined);
          const heir = await Promise.race([delivered, instance.death.promise]);
          return heir?.deliver?.(event);
        };
        const subscription = await bus.subscribe(application, wanted, instance.deliver);
        instance.unsubscribe = () => void subscription.stop();
        return subscription;
      },
    };
  }

  async function start(application: Application): Promise<Instance> {
    const registered = registeredApplications.find(({ service }) => service.application === application);
    if (!registered) throw new Error(`${application} is not registered.`);
    const instance: Instance = { dead: false, claimed: new Map(), taken: [], death: Promise.withResolvers() };
    instance.running = await startApplication({
      service: registered.service,
      adapter: { ...adapter, store: (name) => mortal(adapter.store(name), instance, application) },
      bus: mortalBus(instance),
      transport,
      token,
      agent,
      elsewhere: elsewhere.plug,
      log,
      host: '127.0.0.1',
      port: 0,
      strictResponses: true,
      gatewayUrl: () => gateway?.url ?? 'http://127.0.0.1:1',
      timing: { leaseMarginMs: LEASE_MARGIN_MS[leases], workDeadlineMs: DEADLINE_MS[leases] },
    });
    instances.set(application, instance);
    return instance;
  }

  async function letGoDue(): Promise<void> {
    for (const releaseWithheld of abandoned.splice(0)) await releaseWithheld();
  }

  async function dieAndRestart(instance: Instance, application: Application): Promise<void> {
    instance.dead = true;
    instance.running?.kill();
    const heir = await start(application);
    if (leases === 'end') {
      // Earlier worlds of the instance are gone.
      const held = (leases: Iterable<Lease>) => [...leases].filter(({ world }) => world === armed?.world).map(({ release }) => release);
      for (const releaseWithheld of held(instance.claimed.values())) await releaseWithheld();
      abandoned.push(...held(instance.taken));
      if (resting > 0) await letGoDue();
    }
    instance.death.resolve(heir);
    instance.unsubscribe?.();
  }

  for (const { service } of registeredApplications) await start(service.application);
  gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    directory: adapter.worlds,
    createRehearsal: () => Promise.reject(new Error('Rehearsals are not created here.')),
    credentials: [],
    pepper: 'pepper',
    addressOf,
    token,
    control: adapter.control,
    log,
    controlPlane: async () => {},
    agents: async () => {},
    documents: Router(),
    limits: { perAddressPerMinute: 1_000_000, perKeyPerMinute: 1_000_000 },
    states: () => [],
    applicationStates: async () => [],
  });
  const driver = createClockDriver({ worlds: adapter.worlds, transport, log });

  return {
    worlds: adapter.worlds,
    driver,
    addressOf,
    token,
    agent,
    /** Counts the commits of a world from now on, and arms at most one crash among them. */
    arm(world: World, crash: Crash | undefined): void {
      armed = { world, crash, commits: new Map() };
    },
    commits: (application: Application): number => armed?.commits.get(application) ?? 0,
    crashes: (): number => crashes,
    /** Settles a world, without waiting for the leases of a dead process. */
    async rest<T>(settling: () => Promise<T>): Promise<T> {
      await Promise.all(restarts);
      restarts = [];
      resting += 1;
      await letGoDue();
      return settling().finally(() => {
        resting -= 1;
      });
    },
    async close(): Promise<void> {
      await Promise.all(restarts);
      await driver.stop();
      await gateway?.close();
      await Promise.all([...instances.values()].map(({ running, dead }) => (dead ? undefined : running?.close())));
      await elsewhere.close();
      await agent.destroy();
      await adapter.close();
    },
  };
}

/** Due work that the committing process runs itself before it replies is leased to it too. */
function noteDue(instance: Instance, store: Store, world: World, plan: Plan): void {
  for (const { kind, key, lease } of plan.due) {
    if (lease) instance.taken.push({ world, release: () => store.releaseDue(world, { kind, key, token: lease.token }) });
  }
}

export type MortalApplications = Awaited<ReturnType<typeof startMortalApplications>>;
