import { Router } from 'express';
import { Agent, request } from 'undici';
import { loadFixtures } from '../../fixtures/load.ts';
import { createClockDriver } from '../../gateway/control/clock-driver.ts';
import { verifyWorld } from '../../gateway/control/verify.ts';
import { type RunningGateway, startGateway } from '../../gateway/gateway.ts';
import { registeredApplications } from '../../services/registry.ts';
import { objectsOf, seedSnapshot } from '../../services/seeding.ts';
import type { Application } from '../../shared/catalog/applications.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { Bus, Deliver } from '../../shared/events/bus.ts';
import { createMemoryBus } from '../../shared/events/memory-bus.ts';
import { type RunningApplication, startApplication } from '../../shared/runtime/application.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/simulation/context.ts';
import { createMemoryStore } from '../../shared/store/memory-store.ts';
import type { Store } from '../../shared/store/ports.ts';

/** Wall time that a request may take here. */
const DEADLINE_MS = 5_000;
/**
 * Leases run out long before the deadline, so that what a killed process held is soon taken over. A request that is merely slow
 * may lose its lease to a repeat as well; then the store refuses its commit, and it is asked again.
 */
const LEASE_MARGIN_MS = -4_200;
/** Wall time after which a client stops insisting. */
const PATIENCE_MS = 60_000;
const TOKEN = 'inside';

/** When a process dies: at its n-th commit, before the store hears of it, or after, before anybody hears of that. */
export interface Crash {
  readonly application: Application;
  readonly commit: number;
  readonly when: 'before' | 'after';
}

interface Instance {
  dead: boolean;
  running: RunningApplication | undefined;
  /** How it consumes events; what it had not acknowledged when it died is its successor's. */
  deliver: Deliver | undefined;
  unsubscribe: (() => void) | undefined;
  readonly death: PromiseWithResolvers<Instance>;
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * The whole estate in this process on one store that survives, with applications that die when told: connections break off,
 * nothing of what ran goes on, and a new instance starts on the same store.
 */
export async function crashingEstate() {
  const adapter = createMemoryStore();
  const bus = createMemoryBus();
  const agent = new Agent({ keepAliveTimeout: 1_000 });
  const log = createLogger('silent');
  const instances = new Map<Application, Instance>();
  const commits = new Map<Application, number>();
  let crash: Crash | undefined;
  let crashed = 0;
  const restarts: Promise<void>[] = [];
  // Only webhooks come this way; the gateway itself keeps nothing and does not die.
  let gateway: RunningGateway | undefined;
  const addressOf = (application: Application): string => instances.get(application)?.running?.url ?? 'http://127.0.0.1:1';

  function mortal(store: Store, instance: Instance): Store {
    const alive =
      <A extends unknown[], R>(operation: (...args: A) => Promise<R>) =>
      (...args: A): Promise<R> =>
        instance.dead ? never<R>() : operation(...args);
    return {
      application: store.application,
      object: alive(store.object),
      unique: alive(store.unique),
      index: alive(store.index),
      all: alive(store.all),
      counters: alive(store.counters),
      claim: alive(store.claim),
      release: alive(store.release),
      due: alive(store.due),
      releaseDue: alive(store.releaseDue),
      drain: alive(store.drain),
      held: alive(store.held),
      unsent: alive(store.unsent),
      isPending: alive(store.isPending),
      park: alive(store.park),
      commit: alive(async (world, plan) => {
        const count = (commits.get(store.application) ?? 0) + 1;
        commits.set(store.application, count);
        if (crash?.application !== store.application || crash.commit !== count) return store.commit(world, plan);
        if (crash.when === 'after') await store.commit(world, plan);
        crashed += 1;
        restarts.push(dieAndRestart(instance, store.application));
        return never();
      }),
    };
  }

  /** What a process had not acknowledged when it died is given to the next one, as a broker does. */
  function mortalBus(instance: Instance): Bus {
    return {
      ...bus,
      subscribe: async (application, topics, deliver) => {
        instance.deliver = async (...delivery) => {
          const heir = await Promise.race([instance.dead ? never<undefined>() : deliver(...delivery), instance.death.promise]);
          await heir?.deliver?.(...delivery);
        };
        const subscription = await bus.subscribe(application, topics, instance.deliver);
        instance.unsubscribe = () => void subscription.stop();
        return subscription;
      },
    };
  }

  async function start(application: Application): Promise<Instance> {
    const registered = registeredApplications.find(({ service }) => service.application === application);
    if (!registered) throw new Error(`${application} is not registered.`);
    const instance: Instance = {
      dead: false,
      running: undefined,
      deliver: undefined,
      unsubscribe: undefined,
      death: Promise.withResolvers(),
    };
    instance.running = await startApplication({
      service: registered.service,
      adapter: { ...adapter, store: (name) => mortal(adapter.store(name), instance) },
      bus: mortalBus(instance),
      addressOf,
      token: TOKEN,
      agent,
      log,
      host: '127.0.0.1',
      port: 0,
      strictResponses: true,
      gatewayUrl: () => gateway?.url ?? 'http://127.0.0.1:1',
      timing: { leaseMarginMs: LEASE_MARGIN_MS, workDeadlineMs: DEADLINE_MS },
    });
    instances.set(application, instance);
    return instance;
  }

  async function dieAndRestart(instance: Instance, application: Application): Promise<void> {
    instance.dead = true;
    instance.running?.kill();
    instance.death.resolve(await start(application));
    instance.unsubscribe?.();
  }

  for (const { service } of registeredApplications) await start(service.application);
  const fixtures = await loadFixtures();
  const began = Date.now();
  const world = await adapter.worlds.open('crash', seedSnapshot(fixtures.at(began), began), {
    bearer: '',
    apiKey: '',
    webhookSecret: 'whsec_Y3Jhc2g=',
  });
  gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    directory: adapter.worlds,
    createRehearsal: () => Promise.reject(new Error('There is one rehearsal here.')),
    credentials: [],
    pepper: 'pepper',
    addressOf,
    token: TOKEN,
    simulation: adapter.simulation,
    log,
    control: Router(),
    documents: Router(),
    limits: { perAddressPerMinute: 1_000_000, perKeyPerMinute: 1_000_000 },
    ready: () => true,
  });
  const driver = createClockDriver({ worlds: adapter.worlds, addressOf, token: TOKEN, agent, log });

  async function ask(application: Application, method: string, path: string, body: unknown, key: string) {
    const view = await adapter.worlds.current(world);
    const context = {
      world,
      now: view?.now ?? began,
      principal: 'tester',
      requestId: newId('req', began),
      correlationId: 'crash',
      deadline: Date.now() + DEADLINE_MS,
      faults: 0,
      chain: [],
    };
    const response = await request(`${addressOf(application)}${path}`, {
      method: method as 'POST',
      headers: {
        [CONTEXT_HEADER]: encodeContext(context),
        [TOKEN_HEADER]: TOKEN,
        'idempotency-key': key,
        'content-type': 'application/json',
      },
      ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
      dispatcher: agent,
      signal: AbortSignal.timeout(DEADLINE_MS + 300),
    });
    const text = await response.body.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
    return { status: response.statusCode, body: (text === '' ? undefined : JSON.parse(text)) as any };
  }

  /** As a careful client would: the same request with the same key again, until the answer is definite. */
  async function insist(application: Application, method: string, path: string, body?: unknown, key = `${method} ${path}`) {
    const until = Date.now() + PATIENCE_MS;
    while (Date.now() < until) {
      const reply = await ask(application, method, path, body, key).catch(() => undefined);
      if (reply && reply.status < 500 && reply.body?.retryable !== true) return reply;
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    throw new Error(`${method} ${path} never got a definite answer.`);
  }

  return {
    ask,
    insist,
    /** Arms one crash, counted from now. */
    crashAt(next: Crash | undefined): void {
      commits.clear();
      crash = next;
    },
    commits: (application: Application): number => commits.get(application) ?? 0,
    crashes: (): number => crashed,
    async advance(ms: number) {
      await Promise.all(restarts);
      const view = await adapter.worlds.current(world);
      return driver.advance(world, (view?.now ?? began) + ms, 20_000);
    },
    async settle() {
      await Promise.all(restarts);
      return driver.settle(world, 20_000);
    },
    ledger: () => adapter.worlds.ledger(world),
    verify: () => verifyWorld(adapter.worlds, world, objectsOf(registeredApplications.map(({ service }) => service))),
    async close(): Promise<void> {
      await Promise.all(restarts);
      await driver.stop();
      await gateway?.close();
      for (const { running, dead } of instances.values()) if (!dead) await running?.close();
      await agent.destroy();
    },
  };
}

export type CrashingEstate = Awaited<ReturnType<typeof crashingEstate>>;
