import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import type { StartableService } from '../../estate/configuration.ts';
import { urlVariable } from '../../estate/variables.ts';
import { clientOnAgent } from '../../rehearsal/estate-client.ts';
import { type Application, applicationNames } from '../../shared/catalog/applications.ts';
import type { ControlOutput } from '../../shared/catalog/control/define-operation.ts';
import type { createRehearsal } from '../../shared/catalog/control/operations/rehearsals.ts';
import { newId } from '../../shared/domain/ids.ts';
import type { World } from '../../shared/domain/world.ts';
import { CONTEXT_HEADER, encodeContext, TOKEN_HEADER } from '../../shared/transport/estate-headers.ts';
import { ADMIN } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { type PlainClient, plain, type PlainReply as Reply } from '../support/plain-client.ts';
import { type Strike, startWay, type Way } from './way.ts';

const MAIN = fileURLToPath(new URL('../../estate/main.ts', import.meta.url));
const TOKEN = 'the-token-of-an-estate-of-processes';
const PEPPER = 'the-pepper-of-an-estate-of-processes';
/** A machine that is busy with other things takes its time to start them. */
export const PATIENCE_MS = 90_000;
const PAUSE_MS = 50;
const LINES_SHOWN = 40;
/** A port without a listener. */
export const NOBODY = '127.0.0.1:1';

/** One process of the estate. */
export interface Running {
  readonly service: StartableService;
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Its last log lines. */
  said(): readonly string[];
  readyz(): Promise<{ readonly status: number; readonly body: { status: string; waitingFor?: string[]; degraded?: string[] } }>;
  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

type Environment = Readonly<Record<string, string>>;

/** Nothing of this process's environment but where programs are, and where their compiled code is kept. */
const kept = ({ PATH, NODE_COMPILE_CACHE }: NodeJS.ProcessEnv) => ({ PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) });

const living = new Set<ChildProcess>();

/** Starts one process as a container does: it resolves when the process listens. */
export async function startProcess(service: StartableService, environment: Environment): Promise<Running> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...kept(process.env),
      SERVICE: service,
      PORT: '0',
      GATEWAY_PORT: '0',
      ESTATE_TOKEN: TOKEN,
      ...(service === 'gateway' && { CREDENTIAL_PEPPER: PEPPER }),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  living.add(child);
  const lines: string[] = [];
  const hear = (chunk: Buffer): void => {
    lines.push(...chunk.toString().split('\n').filter(Boolean));
    lines.splice(0, lines.length - 400);
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
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
    said: () => lines,
    readyz: async () => {
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      return { status: answer.status, body: (await answer.json()) as Awaited<ReturnType<Running['readyz']>>['body'] };
    },
    signal: (signal) => void child.kill(signal),
    ended,
  };
}

interface InsideCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string;
}

export interface EstateOptions {
  /** How many processes of each. Who is not named is away. */
  readonly services: Readonly<Partial<Record<'gateway' | Application, number>>>;
  readonly redisPort: number;
  /** `host:port`; without it Kafka is away. */
  readonly kafka?: string;
  readonly environment?: Environment;
}

/** Some applications of the estate, each in processes of its own, and the ways between them and to Redis. */
export async function startEstateOfProcesses({ services, redisPort, kafka = NOBODY, environment = {} }: EstateOptions) {
  const named = Object.entries(services) as ['gateway' | Application, number][];
  const ways = new Map<'gateway' | Application, Way>();
  /** Each process has its own way to Redis. */
  const toRedis = new Map<Running, Way>();
  const running = new Map<'gateway' | Application, Running[]>(named.map(([service]) => [service, []]));
  const agent = new Agent({ connections: 256, keepAliveTimeout: 20_000 });
  const clients: PlainClient[] = [];
  for (const [service] of named) ways.set(service, await startWay());
  const wayTo = (service: 'gateway' | Application): Way => {
    const way = ways.get(service);
    if (!way) throw new Error(`${service} is away in this estate.`);
    return way;
  };
  const addresses = Object.fromEntries(applicationNames.map((name) => [urlVariable(name), ways.get(name)?.url ?? `http://${NOBODY}`]));
  const lead = (service: 'gateway' | Application): void => wayTo(service).lead((running.get(service) ?? []).map(({ port }) => port));

  /** Starts one more process of a service. */
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

  /** A rehearsal of its own. */
  async function rehearse(name: string = `f-${randomBytes(5).toString('hex')}`): Promise<Rehearsed> {
    const outside = plain(clientOnAgent({ gateway, bearer: '', apiKey: '', admin: ADMIN, rehearsal: 'default' }, agent));
    const { credentials, world } = await outside.control('create-rehearsal', { body: { name } });
    const { bearer, apiKey } = credentials;
    const client = plain(clientOnAgent({ gateway, bearer, apiKey, admin: ADMIN, rehearsal: name }, agent));
    clients.push(client);
    return { name, world: world as World, credentials, client, ...asking(client) };
  }

  /** Calls an internal API, as another application of the estate. */
  async function inside(from: Application, to: Application, { world, client }: Rehearsed, call: InsideCall) {
    const now = Date.parse((await client.control('read-clock')).now);
    const context = {
      ...{ world, now, principal: from, correlationId: 'faults', faults: 0, chain: [from] },
      ...{ requestId: newId('req', now), deadline: Date.now() + 20_000 },
    };
    const answer = await request(`${wayTo(to).url}${call.path}`, {
      method: call.method as 'GET',
      headers: {
        [CONTEXT_HEADER]: encodeContext(context),
        [TOKEN_HEADER]: TOKEN,
        ...(call.method !== 'GET' && { 'idempotency-key': call.key ?? randomUUID(), 'content-type': 'application/json' }),
      },
      ...(call.method !== 'GET' && { body: JSON.stringify(call.body ?? {}) }),
      dispatcher: agent,
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
    return { status: answer.statusCode, headers: answer.headers, body: (await answer.body.json()) as any };
  }

  return {
    gateway,
    agent,
    rehearse,
    inside,
    start,
    way: wayTo,
    wayToRedis: (one: Running): Way => {
      const way = toRedis.get(one);
      if (!way) throw new Error(`${one.service} is none of these processes.`);
      return way;
    },
    /**
     * Disturbs the Redis connection of the first process of a service that sends a matching command, and of no other process.
     * @returns that process
     */
    async strike(service: 'gateway' | Application, strike: Strike): Promise<Running> {
      const candidates = running.get(service) ?? [];
      const wayOf = (one: Running): Way | undefined => toRedis.get(one);
      const struck = await Promise.race(
        candidates.map((one) =>
          wayOf(one)
            ?.strike(strike)
            .then(() => one),
        ),
      );
      for (const one of candidates) if (one !== struck) wayOf(one)?.clear();
      if (!struck) throw new Error(`No ${service} is running.`);
      return struck;
    },
    /** Those that run. */
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

/** A new rehearsal, and calls within it. */
export interface Rehearsed extends ReturnType<typeof asking> {
  readonly name: string;
  readonly world: World;
  readonly credentials: ControlOutput<typeof createRehearsal>['credentials'];
  readonly client: PlainClient;
}

async function hasStore(one: Running): Promise<boolean> {
  const { status, body } = await one.readyz().catch(() => ({ status: 0, body: { status: '', waitingFor: ['an answer'] } }));
  return status === 200 || (body.waitingFor ?? []).every((text) => text.startsWith('kafka'));
}

/** Statuses that a client retries with the same key: the other side is unavailable, or still working. */
const isPassing = ({ status, body }: Reply): boolean => [502, 503, 504].includes(status) || body?.retryable === true;

function asking(client: PlainClient) {
  /** The same request with the same key again, until the answer is definite. @returns the last reply, and how often it was asked */
  async function insist(method: string, path: string, body?: unknown, key: string = randomUUID()): Promise<Reply & { asked: number }> {
    const until = Date.now() + PATIENCE_MS;
    for (let asked = 1; ; asked++) {
      const headers: Record<string, string> = method === 'GET' ? {} : { 'idempotency-key': key };
      const reply = await client.call(method, path, body, { headers }).catch((error: Error) => error);
      if (!(reply instanceof Error) && !isPassing(reply)) return { ...reply, asked };
      if (Date.now() > until) throw new Error(`${method} ${path} got no definite answer: ${JSON.stringify(reply)}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  return {
    insist,
    /** For steps that must succeed. */
    async ok(method: string, path: string, body?: unknown, key?: string) {
      const reply = await insist(method, path, body, key);
      if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body;
    },
    // biome-ignore lint/suspicious/noExplicitAny: tests look into objects freely
    object: async (type: string, id: string): Promise<any> => client.control('read-object', { params: { type, id } }),
    /** Invariants that do not hold, but for those about events: while Kafka is away these are in the outbox. */
    async broken(): Promise<readonly string[]> {
      const { invariants: all } = await client.control('verify');
      const invariants = all.filter(({ id }) => id !== 'event-versions');
      return invariants.flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`));
    },
  };
}

/** Runs the body of a test. When it fails, prints the last log lines of the processes. */
export async function shown(estate: EstateOfProcesses, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    const said = estate.all().map((one) => `--- ${one.service} (${one.pid})\n${one.said().slice(-LINES_SHOWN).join('\n')}`);
    // biome-ignore lint/suspicious/noConsole: the log lines of the processes explain the failure
    console.error(`${error instanceof Error ? error.message : error}\n${said.join('\n')}`);
    throw error;
  }
}

/** Stops all processes that a test has left behind. */
export function killAll(): void {
  for (const child of living) child.kill('SIGKILL');
}

export const times = <T>(count: number, each: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => each(n));
