import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Agent, request } from 'undici';
import type { StartableService } from '../../estate/configuration.ts';
import { type Application, applicationNames } from '../../shared/catalog/applications.ts';
import { urlVariable } from '../../shared/configuration/variables.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { World } from '../../shared/domain/world.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/transport/estate-headers.ts';
import { bare, MAIN } from '../processes/started.ts';
import { describeWithRedis, type Settings, type TestRedis } from '../redis/with-redis.ts';
import { eventually } from '../support/eventually.ts';
import { openRehearsal } from '../support/open-rehearsal.ts';
import { insisting } from '../support/steps/insisting.ts';
import { type Strike, startWay, type Way } from '../support/way.ts';

const TOKEN = 'the-token-of-an-estate-of-processes';
const PEPPER = 'the-pepper-of-an-estate-of-processes';
/** Long enough for a busy machine. */
export const PATIENCE_MS = 90_000;
const LINES_SHOWN = 40;
/** A port without a listener. */
export const NOBODY = '127.0.0.1:1';

interface Readiness {
  readonly status: string;
  readonly waitingFor?: string[];
}

const living = new Set<ChildProcess>();

/** Starts one process. Resolves when the process listens. */
export async function startProcess(service: StartableService, environment: Settings) {
  const pepper = service === 'gateway' ? { CREDENTIAL_PEPPER: PEPPER } : {};
  const child = spawn(process.execPath, [MAIN], {
    env: { ...bare(), SERVICE: service, PORT: '0', GATEWAY_PORT: '0', ESTATE_TOKEN: TOKEN, ...pepper, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  living.add(child);
  const lines: string[] = [];
  const keep = (chunk: Buffer): void => {
    lines.push(...chunk.toString().split('\n').filter(Boolean));
    lines.splice(0, lines.length - 400);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const ended = once(child, 'exit').then(([code, signal]) => {
    living.delete(child);
    return (code ?? signal) as number | string;
  });
  const listening = new Promise<string>((resolve) => {
    child.on('message', (message: { listening?: true; url?: string }) => {
      if (message.listening) resolve(message.url ?? '');
    });
  });
  const outcome = await Promise.race([listening, ended]);
  if (typeof outcome === 'number' || !outcome.startsWith('http')) throw new Error(`${service} ended (${outcome}): ${lines.join('\n')}`);
  const url = outcome;
  return {
    service,
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    lines,
    readyz: async () => {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      return { status: answer.status, body: (await answer.json()) as Readiness };
    },
    signal: (signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT') => void child.kill(signal),
    /** The exit code, or the signal that ended the process. */
    ended,
  };
}

export type Running = Awaited<ReturnType<typeof startProcess>>;

interface InsideCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

export interface EstateOptions {
  /** Number of processes of each service. Other services do not run. */
  readonly services: Readonly<Partial<Record<'gateway' | Application, number>>>;
  readonly redisPort: number;
  /** `host:port`; without it Kafka is missing. */
  readonly kafka?: string;
  readonly environment?: Settings;
}

/** Applications of the estate in separate processes, with proxies between them and to Redis. */
async function startEstateOfProcesses({ services, redisPort, kafka = NOBODY, environment = {} }: EstateOptions) {
  const named = Object.entries(services) as ['gateway' | Application, number][];
  const ways = new Map<'gateway' | Application, Way>();
  /** Each process has its own proxy to Redis. */
  const toRedis = new Map<Running, Way>();
  const running = new Map<'gateway' | Application, Running[]>(named.map(([service]) => [service, []]));
  const agent = new Agent({ connections: 256, keepAliveTimeout: 20_000 });
  for (const [service] of named) ways.set(service, await startWay());
  const wayTo = (service: 'gateway' | Application): Way => {
    const way = ways.get(service);
    if (!way) throw new Error(`${service} is missing in this estate.`);
    return way;
  };
  const addresses = Object.fromEntries(applicationNames.map((name) => [urlVariable(name), ways.get(name)?.url ?? `http://${NOBODY}`]));
  const lead = (service: 'gateway' | Application): void => wayTo(service).lead((running.get(service) ?? []).map(({ port }) => port));

  async function start(service: 'gateway' | Application): Promise<Running> {
    const redis = await startWay([redisPort]);
    const one = await startProcess(service, {
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      ...(service !== 'gateway' && { KAFKA_BROKERS: kafka }),
      GATEWAY_URL: ways.get('gateway')?.url ?? `http://${NOBODY}`,
      RATE_LIMIT_PER_ADDRESS: '10000000',
      RATE_LIMIT_PER_KEY: '10000000',
      ...addresses,
      ...environment,
    });
    toRedis.set(one, redis);
    running.get(service)?.push(one);
    void one.ended.then(async () => {
      const left = (running.get(service) ?? []).filter((other) => other !== one);
      running.set(service, left);
      lead(service);
      await redis.close();
    });
    lead(service);
    await eventually(`${service} has its store`, () => hasStore(one), PATIENCE_MS);
    return one;
  }

  await Promise.all(named.flatMap(([service, count]) => Array.from({ length: count }, () => start(service))));
  const gateway = wayTo('gateway').url;

  /** Calls an internal API, as another application of the estate. */
  async function inside(from: Application, to: Application, rehearsal: Rehearsed, call: InsideCall) {
    const now = await rehearsal.now();
    const world = rehearsal.world as World;
    const origin = { world, now, principal: from, correlationId: 'faults', faults: 0, chain: [from] };
    const context = encodeContext({ ...origin, requestId: newId('req', now), deadline: Date.now() + 20_000 });
    const isRead = call.method === 'GET';
    const answer = await request(`${wayTo(to).url}${call.path}`, {
      method: call.method as 'GET',
      headers: {
        [CONTEXT_HEADER]: context,
        [TOKEN_HEADER]: TOKEN,
        ...(!isRead && { 'idempotency-key': randomUUID(), 'content-type': 'application/json' }),
      },
      body: isRead ? null : JSON.stringify(call.body ?? {}),
      dispatcher: agent,
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read replies without a schema
    return { status: answer.statusCode, headers: answer.headers, body: (await answer.body.json()) as any };
  }

  return {
    rehearse: () => rehearseAt(gateway),
    inside,
    start,
    way: wayTo,
    wayToRedis: (one: Running): Way => {
      const way = toRedis.get(one);
      if (!way) throw new Error(`${one.service} is not one of these processes.`);
      return way;
    },
    /**
     * Disturbs the Redis connection of the first process of a service that sends a matching command, and of no other process.
     * @returns that process
     */
    async strike(service: 'gateway' | Application, strike: Strike): Promise<Running> {
      const candidates = running.get(service) ?? [];
      const struck = await Promise.race(
        candidates.map((one) =>
          toRedis
            .get(one)
            ?.strike(strike)
            .then(() => one),
        ),
      );
      for (const one of candidates) if (one !== struck) toRedis.get(one)?.clear();
      if (!struck) throw new Error(`No ${service} is running.`);
      return struck;
    },
    of: (service: 'gateway' | Application): readonly Running[] => running.get(service) ?? [],
    one: (service: 'gateway' | Application): Running => {
      const [first] = running.get(service) ?? [];
      if (!first) throw new Error(`No ${service} is running.`);
      return first;
    },
    all: (): readonly Running[] => [...running.values()].flat(),
    async close(): Promise<void> {
      const all = [...running.values()].flat();
      for (const one of all) one.signal('SIGKILL');
      await Promise.all(all.map(({ ended }) => ended));
      await agent.destroy();
      await Promise.all([...ways.values()].map((way) => way.close()));
    },
  };
}

export type EstateOfProcesses = Awaited<ReturnType<typeof startEstateOfProcesses>>;

/** A new rehearsal, whose steps repeat requests until the reply is definite. */
async function rehearseAt(gateway: string) {
  const rehearsal = await openRehearsal(gateway);
  return {
    ...insisting(rehearsal, PATIENCE_MS),
    /** Violated invariants, except about events: while Kafka is missing they are in the outbox. */
    async broken(): Promise<readonly string[]> {
      const { invariants } = await rehearsal.control('verify');
      const others = invariants.filter(({ id }) => id !== 'event-versions');
      return others.flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`));
    },
  };
}

export type Rehearsed = Awaited<ReturnType<typeof rehearseAt>>;

async function hasStore(one: Running): Promise<boolean> {
  const { status, body } = await one.readyz().catch(() => ({ status: 0, body: { status: '', waitingFor: ['an answer'] } }));
  return status === 200 || (body.waitingFor ?? []).every((text) => text.startsWith('kafka'));
}

/** Runs the body of a test. If it fails, prints the last log lines of the processes. */
async function shown(estate: EstateOfProcesses, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    const logs = estate.all().map((one) => `--- ${one.service} (${one.pid})\n${one.lines.slice(-LINES_SHOWN).join('\n')}`);
    // biome-ignore lint/suspicious/noConsole: the log lines of the processes explain the failure
    console.error(`${error instanceof Error ? error.message : error}\n${logs.join('\n')}`);
    throw error;
  }
}

/** Services that are needed to confirm an order. */
export const SHOP = { gateway: 1, 'ecommerce-platform': 1, crm: 1, oms: 1, 'payment-hub': 1, sim: 1, 'inventory-service': 1 } as const;

interface Described extends Omit<EstateOptions, 'redisPort'> {
  readonly redis?: Settings;
}
type Row = (title: string, body: () => Promise<void>) => void;

/** Describes rows of the fault matrix on an estate of processes. Without `redis-server` they are skipped. */
export function describeEstate(
  title: string,
  described: Described,
  body: (estate: EstateOfProcesses, row: Row, redis: TestRedis) => void,
): void {
  const { redis: settings = {}, ...options } = described;
  describeWithRedis(
    title,
    (redis) => {
      const estate = {} as EstateOfProcesses;
      beforeAll(async () => void Object.assign(estate, await startEstateOfProcesses({ ...options, redisPort: redis.server.port })));
      afterAll(async () => {
        await estate.close?.();
        for (const child of living) child.kill('SIGKILL');
      });
      body(estate, (rowTitle, run) => test(rowTitle, () => shown(estate, run)), redis);
    },
    settings,
  );
}

export const times = <T>(count: number, each: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => each(n));
